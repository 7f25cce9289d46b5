/// The page of operators: plain HTML without scripts, in which every text is escaped.
struct OperationsPage {
    /// A row of the page.
    struct Account {
        let name: String
        let activity: AccountActivity
        let commits: Int
        /// The numbers of the store; nil if it is not open.
        let store: Store?
    }

    /// The numbers of a store.
    struct Store {
        let records: Int64
        let sequence, horizon: Int64
    }

    /// The commits of all accounts in the last minute.
    let commits: Int
    /// The number of open stores.
    let openStores: Int
    /// The number of requests that wait.
    let waits: Int
    /// The accounts with recent messages, by name.
    let accounts: [Account]
    /// The number of those that the page leaves out.
    let omittedCount: Int

    /// The most rows.
    static let rowLimit = 200

    /// The page.
    var html: String {
        let totals = [
            ("Accounts with recent messages", accounts.count + omittedCount), ("Open stores", openStores),
            ("Commits in the last minute", commits),
            ("Devices behind", accounts.reduce(0) { $0 + $1.activity.behindCount }),
            ("Refused records", accounts.reduce(0) { $0 + $1.activity.refused }), ("Waiting requests", waits),
        ]
        let columns = [
            "Account", "Records", "Last change", "Horizon", "Commits per minute", "Devices", "Devices behind",
            "Refused records", "Conflicts",
        ]
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="refresh" content="10">
            <title>Synchronization</title>
            <style>
            body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em }
            table { border-collapse: collapse; width: 100% }
            th, td { border-bottom: 1px solid #ccc; padding: .3em .6em; text-align: right }
            th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere }
            </style>
            </head>
            <body>
            <h1>Synchronization</h1>
            <table id="totals">
            \(totals.map { "<tr><th scope=\"row\">\($0.0)</th><td>\($0.1)</td></tr>" }.joined(separator: "\n"))
            </table>
            <h2>Accounts</h2>
            <table id="accounts">
            <tr>\(columns.map { "<th scope=\"col\">\($0)</th>" }.joined())</tr>
            \(accounts.map(row).joined(separator: "\n"))
            </table>
            <p>\(omittedCount) more accounts are not listed. Devices and counts are those of this process since its start.
            A device is behind if another device has pushed since its last complete pull. Devices that have not pulled since
            the horizon compare everything.</p>
            </body>
            </html>

            """
    }

    private func row(_ account: Account) -> String {
        func text(_ number: Int64?) -> String { number.map { "\($0)" } ?? "–" }
        let cells = [
            account.name, text(account.store?.records), text(account.store?.sequence), text(account.store?.horizon),
            "\(account.commits)", "\(account.activity.deviceCount)", "\(account.activity.behindCount)",
            "\(account.activity.refused)", "\(account.activity.conflicts)",
        ]
        return "<tr>\(cells.map { "<td>\(Self.escaped($0))</td>" }.joined())</tr>"
    }

    /// Returns a text whose characters mean nothing in HTML.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
