import ExampleSupport
import Foundation
import StoreSync
import SyncCoordination
import SyncPersistence

/// An inspection for a person: titled parts with lines of several columns.
struct Report {
    /// The name of the file.
    let title: String

    /// Whether nothing waits.
    let isSettled: Bool

    /// The parts, without empty ones.
    let parts: [Part]

    /// A part with a title.
    struct Part {
        let title: String
        let rows: [[String]]
    }

    init(_ inspection: Inspection) {
        let state = inspection.state
        title = printable(inspection.path)
        isSettled = state.isSettled && inspection.isSynchronized
        func counts(_ counts: [(name: String, count: Int)]) -> [[String]] { counts.map { [$0.name, "\($0.count)"] } }
        func ids(_ ids: [RecordID]) -> [[String]] { ids.map { [$0.description] } }
        let parts = [
            Part(title: "Why has this not synced?", rows: inspection.reasons.map { [$0] }),
            Part(title: "Device", rows: Self.facts(of: inspection)),
            Part(title: "Records", rows: counts(inspection.entities)),
            Part(
                title: "Local changes to send",
                rows: counts(state.pendingCounts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })),
            Part(title: "In flight", rows: ids(state.inFlight)),
            Part(title: "Open conflicts", rows: state.openConflicts.map { [$0.id.description, $0.kind] }),
            Part(title: "Refused", rows: state.refused.map { [$0.id.description, $0.code, $0.reason] }),
            Part(title: "Waiting for other records", rows: ids(state.waiting)),
            Part(title: "Unreadable", rows: state.unreadable.map { [$0.id.description, $0.reason] }),
            Part(title: "Last events", rows: inspection.events.reversed().map { [$0.time, $0.text] }),
            Part(title: "Rows of the library's tables", rows: counts(inspection.tables)),
        ]
        self.parts = parts.filter { !$0.rows.isEmpty }
            .map { Part(title: $0.title, rows: $0.rows.map { $0.map(printable) }) }
    }

    private static func facts(of inspection: Inspection) -> [[String]] {
        let state = inspection.state
        var facts = [
            ["device", state.device ?? "none: no cycle has begun"], ["account", state.account ?? "none"],
            ["scope", state.scope ?? "all records"],
            ["cursor", state.cursor.map { "\($0.sequence) in epoch \($0.epoch)" } ?? "none"],
            ["last push", state.pushNumber == 0 ? "none" : "\(state.pushNumber)"],
            ["last commit", "\(inspection.commit)"],
        ]
        if let history = inspection.history {
            facts.append(["history", "up to \(history.sequence), deletions since \(history.horizon)"])
        }
        facts.append(["file", "\(inspection.size.file) bytes, log \(inspection.size.log) bytes"])
        return facts
    }
}

extension Report {
    /// The report as lines of text.
    var lines: [String] {
        var lines = ["\(title): \(isSettled ? "✓ nothing waits" : "✗ not in step")"]
        for part in parts {
            lines += ["", part.title]
            let widths = part.rows.reduce(into: [Int]()) { widths, row in
                for (column, text) in row.enumerated() {
                    if column == widths.count { widths.append(0) }
                    widths[column] = max(widths[column], text.count)
                }
            }
            for row in part.rows {
                let cells = row.enumerated().map { column, text in
                    column + 1 == row.count ? text : text + String(repeating: " ", count: widths[column] - text.count)
                }
                lines.append("  " + cells.joined(separator: "  "))
            }
        }
        return lines
    }

    /// Adds the report to a page.
    func draw(on page: inout HTMLPage) {
        var html = "<p id=\"verdict\">\(isSettled ? "✓ nothing waits" : "✗ not in step")</p>\n"
        for part in parts {
            html += "<h2>\(htmlEscaped(part.title))</h2>\n<table>\n"
            for row in part.rows { html += "<tr>\(row.map { "<td>\(htmlEscaped($0))</td>" }.joined())</tr>\n" }
            html += "</table>\n"
        }
        page.add(
            html,
            style: """
                h2 { font-size: 1.1em; margin: 1.5em 0 .3em }
                table { border-collapse: collapse }
                td { padding: .15em 1.5em .15em 0; vertical-align: top }

                """)
    }
}

extension RecordedEvent {
    /// The date to the second, in UTC.
    var time: String { date.formatted(.iso8601) }
}

extension StoreConflict {
    /// What both sides have done, without values.
    fileprivate var kind: String {
        if versions.local == versions.base && versions.remote == nil { return "deleted there, and needed here" }
        if versions.remote == versions.base && versions.local == nil { return "deleted here, and needed there" }
        if versions.local == nil { return "deleted here, changed there" }
        if versions.remote == nil { return "changed here, deleted there" }
        return "changed on both sides: \(fields.joined(separator: ", "))"
    }
}
