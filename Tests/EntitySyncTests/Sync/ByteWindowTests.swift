import TestSupport
import Testing

@testable import EntitySync

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A part of a file, which grows until an object fits into it.
struct ByteWindowTests {
    @Test func windowGrowsUpToItsLimitAndThenReportsThePlace() throws {
        let folder = TemporaryFolder()
        let content = (0..<200).map { UInt8($0) }
        try Data(content).write(to: URL(fileURLWithPath: folder.file()))
        let window = try ByteWindow(PayloadFile(path: folder.file()), size: 16, limit: 64)
        #expect(Array(window.bytes) == Array(content[0..<16]))
        try window.look(at: 100)
        for size in [32, 64] {
            try window.grow()
            #expect(Array(window.bytes) == Array(content[100..<100 + size]))
        }
        let error = #expect(throws: SyncError.self) { try window.grow() }
        #expect(error?.code == .unreadable)
        #expect(
            error?.message
                == "an object of the payload, from byte 100 on, has more than 64 bytes: have it sent in parts")
        // What is left of the file fits.
        try window.look(at: 150)
        try window.grow()
        #expect(Array(window.bytes) == Array(content[150..<200]))
        #expect(window.isLast)
    }
}
