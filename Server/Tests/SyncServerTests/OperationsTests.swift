import Foundation
import HTTPSync
import SyncPersistence
import TestSupport
import Testing

/// The page of operators in a real browser.
@Suite struct OperationsTests {
    private static var chromium: String? {
        ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Returns the page as a browser shows it.
    private func page(_ server: ServerProcess, password: String) async throws -> String {
        let browser = try #require(Self.chromium)
        let (folder, port) = (TemporaryFolder(), server.port)
        return try await inThread {
            let run = try ChildProcess(
                browser,
                [
                    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                    "--user-data-dir=\(folder.path)", "--timeout=20000", "--dump-dom",
                    "http://operator:\(password)@127.0.0.1:\(port)/operations",
                ])
            return run.finish().output
        }
    }

    @Test(.enabled(if: chromium != nil, "chromium is not installed; install it with: apt-get install chromium"))
    func aBrowserShowsTheAccountsAndRunsNothingOfTheirs() async throws {
        let server = try ServerProcess(["--account-records", "2"])
        let hostile = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"
        for account in ["ada", hostile] {
            let phone = try await ManualDevice(server, account: account)
            let tablet = try await ManualDevice(server, "tablet", account: account)
            #expect(try await phone.send(phone.insertion("a")).status == 200)
            #expect(try await phone.send(phone.insertion("b", number: 2, push: "q")).status == 200)
            // The account is full, so this one is refused.
            #expect(try await phone.send(phone.insertion("c", number: 3, push: "r")).status == 200)
            if account == "ada" { #expect(try await tablet.records().count == 2) }
            #expect(try await phone.records().isEmpty)
            if account != "ada" { #expect(try await tablet.send(tablet.pull(9)).status == 409) }
        }
        let page = try await page(server, password: TestTokens.operatorToken)
        #expect(page.contains("<title>Synchronization</title>"), "\(page)")
        // Records, last change, horizon, commits, devices, devices behind, refused records, conflicts.
        #expect(
            page.contains(
                "<tr><td>ada</td><td>2</td><td>2</td><td>0</td><td>2</td><td>2</td><td>0</td><td>1</td><td>0</td></tr>")
        )
        #expect(page.contains("<td>&lt;img src=x onerror=\"document.title='taken'\"&gt;"))
        #expect(!page.contains("<img") && !page.contains("<script"))
        #expect(page.contains("<th scope=\"row\">Refused records</th><td>2</td>"))
    }

    @Test(.enabled(if: chromium != nil, "chromium is not installed; install it with: apt-get install chromium"))
    func aBrowserWithoutTheTokenShowsNothing() async throws {
        let server = try ServerProcess()
        _ = try await ManualDevice(server, account: "somebody")
        let page = try await page(server, password: "wrong")
        #expect(!page.contains("somebody") && !page.contains("Horizon"))
    }
}
