import Foundation
import Testing

@testable import pictures

/// The pictures in the repository are those that `make pictures` draws.
struct PicturesTests {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Documentation/Pictures")

    @Test(arguments: ["shadow", "sync", "cost", "diff"])
    func pictureInTheRepositoryIsTheOneDrawn(name: String) throws {
        let draw = try #require(Pictures.all.first { $0.name == name }?.draw)
        let file = try Data(contentsOf: Self.folder.appendingPathComponent("\(name).svg"))
        #expect(String(decoding: file, as: UTF8.self) == (try draw()), "'make pictures' draws it anew")
    }

    @Test func folderHoldsNothingElse() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(files) == Set(Pictures.all.map { "\($0.name).svg" }))
    }

    @Test func pictureIsWellFormed() throws {
        for (name, draw) in Pictures.all {
            let text = try draw()
            #expect(text.hasPrefix("<svg "), "\(name)")
            #expect(text.contains("prefers-color-scheme: dark"), "\(name)")
            #expect(!text.contains("& "), "\(name)")
        }
    }
}
