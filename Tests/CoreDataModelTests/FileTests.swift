import CoreDataModel
import Foundation
import SyncPersistence
import Testing

final class FileTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "CoreDataModelTests-\(ProcessInfo.processInfo.processIdentifier)-\(FileTests.next())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A number that no other folder of this process has.
    private static func next() -> Int {
        counter.lock()
        defer { counter.unlock() }
        count += 1
        return count
    }

    private static let counter = NSLock()
    // because all access goes through the lock.
    nonisolated(unsafe) private static var count = 0

    private func write(_ text: String, to path: String) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func names(_ path: String) throws -> [String] {
        try Schema(contentsOf: folder.appendingPathComponent(path)).entities.map(\.name)
    }

    /// What is wrong at a path, with the folder's own path taken away.
    private func fault(_ path: String) throws -> String {
        let error = try #require(throws: ModelError.self) {
            try ModelDocument(contentsOf: folder.appendingPathComponent(path))
        }
        #expect(error.code == .file || error.code == .xml || error.code == .limit)
        return "\(error)".replacingOccurrences(of: folder.path, with: "…")
    }

    private func current(_ name: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        	<key>_XCCurrentVersionName</key>
        	<string>\(name)</string>
        </dict>
        </plist>
        """
    }

    @Test func modelIsReadFromEachFileForm() throws {
        try write("<model><entity name='A'/></model>", to: "M.xcdatamodel/contents")
        try write("<model><entity name='B'/></model>", to: "V.xcdatamodeld/Other.xcdatamodel/contents")
        #expect(try names("M.xcdatamodel") == ["A"])
        #expect(try names("M.xcdatamodel/") == ["A"])
        #expect(try names("M.xcdatamodel/contents") == ["A"])
        #expect(try names("V.xcdatamodeld") == ["B"])
        #expect(try names("V.xcdatamodeld/Other.xcdatamodel") == ["B"])
        let path = folder.appendingPathComponent("V.xcdatamodeld/Other.xcdatamodel/contents").path
        #expect(try ModelDocument(contentsOf: folder.appendingPathComponent("V.xcdatamodeld")).path == path)
    }

    @Test func currentVersionOfSeveralIsRead() throws {
        for name in ["V", "V 2", "V 3"] {
            try write("<model><entity name='\(name)'/></model>", to: "V.xcdatamodeld/\(name).xcdatamodel/contents")
        }
        #expect(
            try fault("V.xcdatamodeld")
                == "'…/V.xcdatamodeld': it holds 3 versions, and no '.xccurrentversion' says which is current: give the "
                + "path of one of 'V 2.xcdatamodel', 'V 3.xcdatamodel', 'V.xcdatamodel'")
        try write(current("V 2.xcdatamodel"), to: "V.xcdatamodeld/.xccurrentversion")
        #expect(try names("V.xcdatamodeld") == ["V 2"])
        for name in ["V 4.xcdatamodel", "../V.xcdatamodeld/V.xcdatamodel"] {
            try write(current(name), to: "V.xcdatamodeld/.xccurrentversion")
            #expect(
                try fault("V.xcdatamodeld")
                    == "'…/V.xcdatamodeld': '.xccurrentversion' names '\(name)', which is not there: name one of "
                    + "'V 2.xcdatamodel', 'V 3.xcdatamodel', 'V.xcdatamodel', or give its path")
        }
        try write("<plist><dict/></plist>", to: "V.xcdatamodeld/.xccurrentversion")
        #expect(try fault("V.xcdatamodeld").contains("it holds 3 versions"))
        try write("bplist00", to: "V.xcdatamodeld/.xccurrentversion")
        #expect(
            try fault("V.xcdatamodeld")
                == "'…/V.xcdatamodeld/.xccurrentversion': line 1, column 1: this is not XML: an element was expected")
        try write("<!DOCTYPE a [<!ENTITY b 'c'>]><plist/>", to: "V.xcdatamodeld/.xccurrentversion")
        #expect(
            try fault("V.xcdatamodeld")
                == "'…/V.xcdatamodeld/.xccurrentversion': line 1, column 1: the document type has declarations of its "
                + "own, which are not read: take them away")
    }

    @Test func missingOrWrongFileIsAnErrorWithItsPath() throws {
        #expect(try fault("gone") == "'…/gone': there is no such file or folder: correct the path")
        try write("", to: "Empty.xcdatamodeld/.keep")
        #expect(
            try fault("Empty.xcdatamodeld")
                == "'…/Empty.xcdatamodeld': it holds no folder .xcdatamodel: there is no model in it")
        try write("", to: "M.xcdatamodel/elements")
        #expect(
            try fault("M.xcdatamodel")
                == "'…/M.xcdatamodel': it holds no file 'contents': give a folder .xcdatamodeld or .xcdatamodel, not a "
                + "compiled model or another folder")
        try write("<model>\n<x", to: "contents")
        #expect(
            try fault("contents")
                == "'…/contents': line 2, column 1: the file ends inside of the tag of 'x': it has been cut off")
        let large = folder.appendingPathComponent("large").path
        #expect(FileManager.default.createFile(atPath: large, contents: nil))
        let handle = try #require(FileHandle(forWritingAtPath: large))
        try handle.truncate(atOffset: UInt64(ModelLimits.byteCount) + 1)
        try handle.close()
        #expect(
            try fault("large") == "'…/large': it has more than 16777216 bytes, which no model has: check what it is")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/zero")))
    func deviceFileIsRefused() throws {
        let error = #expect(throws: ModelError.self) { try Schema(contentsOf: URL(fileURLWithPath: "/dev/zero")) }
        #expect(
            error.map { "\($0)" }
                == "'/dev/zero': it is no file: give the file 'contents' of a model, or its folder")
    }

    @Test func symbolicLinkIsFollowed() throws {
        try write("<model><entity name='A'/></model>", to: "real")
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("link"), withDestinationURL: folder.appendingPathComponent("real"))
        #expect(try names("link") == ["A"])
    }
}
