import Foundation
import StoreSync
import TestSupport
import Testing

/// The page that the program writes.
struct PageTests {
    private let store = InspectedStore()
    private var page: String { store.files.file("page.html") }

    private func writePage() async throws -> String {
        try await store.open { phone in
            try await store.write("", to: "<b>\"&\u{1B}", in: phone)
            try await store.synchronize(phone)
        }
        let run = await InspectedStore.inspect(store.path, "--html", page)
        #expect(run.exitCode == 0 && run.output == [] && run.errors == [])
        return String(decoding: store.files.contents(of: "page.html") ?? Data(), as: UTF8.self)
    }

    @Test func thePageIsSelfContainedAndHasNoMarkOfTheStore() async throws {
        let html = try await writePage()
        #expect(html.hasPrefix("<!DOCTYPE html>") && html.hasSuffix("</html>\n"))
        #expect(html.contains("write &lt;something&gt;") && html.contains("&lt;b&gt;"))
        for mark in ["<b>", "http", "src=", "<script", "\u{1B}"] { #expect(!html.contains(mark)) }
    }

    @Test(.enabled(if: Browser.path != nil, "there is no chromium")) func aBrowserShowsThePage() async throws {
        _ = try await writePage()
        let output = try Browser.document(of: page, in: store.files)
        #expect(output.contains("<p id=\"verdict\">✗ not in step</p>"))
        #expect(output.contains("<td>empty</td><td>write &lt;something&gt;</td>"))
        #expect(output.contains("<h2>Refused</h2>"))
    }

    @Test func thePageReplacesNoFileOfTheStore() async throws {
        try await store.open { _ in }
        let bytes = store.files.contents(of: "phone.sqlite")
        for name in ["phone.sqlite", "phone.sqlite-wal", "./phone.sqlite-shm"] {
            let run = await InspectedStore.inspect(store.path, "--html", store.files.file(name))
            #expect(run.exitCode == 1)
            #expect(run.errors.first?.contains("belongs to the store") == true)
        }
        #expect(store.files.contents(of: "phone.sqlite") == bytes)
    }

    @Test func aPageThatCannotBeWrittenIsAnError() async throws {
        try await store.open { _ in }
        let run = await InspectedStore.inspect(store.path, "--html", store.files.file("no folder/page.html"))
        #expect(run.exitCode == 1)
        #expect(run.errors.first?.contains("page.html") == true)
    }
}
