import DifferentialSync
import ExampleSupport
import RecordFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `diffsync merge`: merges what two files of records have made of a third.
struct MergeCommand {
    let arguments: Arguments
    let console: Console

    private var text: ChangeText { arguments.showsAll ? .all : ChangeText() }

    func run() throws -> Int32 {
        let key = arguments.key
        let files = try arguments.files.map(arguments.file)
        let (base, local, remote) = (files[0], files[1], files[2])
        let form = try RecordFile.form(base: base, ours: local, theirs: remote, key: key)
        let merged = try merge(
            base: base.records, local: local.records, remote: remote.records, primaryKey: { $0.key(key) },
            policy: arguments.conflictPolicy)
        let names = key.map(\.text).joined(separator: ", ")
        console.line(printable("\(local.name) and \(remote.name), merged by \(names)"), .bold)
        for (name, file) in [("local", local), ("remote", remote)] {
            let changes = try diff(wins: file.records, loses: base.records, primaryKey: { $0.key(key) })
            console.line("\(padded(name)) \(count(file.records)): \(changes?.counts ?? ChangeCounts())")
        }
        let changes = try diff(wins: merged.elements, loses: base.records, primaryKey: { $0.key(key) })
        console.line("\(padded("merged")) \(count(merged.elements)): \(changes?.counts ?? ChangeCounts())")
        if changes != nil { console.line() }
        console.diff(text.lines(of: changes) { $0.key(key) })
        show(resolved: merged.merge.resolved)
        show(open: merged.open)
        if let path = arguments.output { try write(form.text(holding: merged.elements, key: key), to: path) }
        return merged.open.isEmpty ? ExitCode.success : ExitCode.openConflicts
    }

    private func count(_ records: [Record]) -> String {
        "\(records.count) record\(records.count == 1 ? "" : "s")"
    }

    private func padded(_ name: String) -> String {
        name + String(repeating: " ", count: max(0, 7 - name.count))
    }
}

extension MergeCommand {
    private func show(resolved decisions: [ThreeWayMerge<Record>.Decision]) {
        if decisions.isEmpty { return }
        console.line()
        console.line("\(decisions.count) \(conflicts(decisions.count)) resolved", .bold)
        for decision in decisions.prefix(text.lines) {
            guard let conflict = decision.conflict, let resolution = decision.resolution else { continue }
            console.line(
                "\(title(conflict)): \(conflict.kind.text(local: "local", remote: "remote")); "
                    + resolution.text(local: "local", remote: "remote"))
            if let line = text.line(from: decision.base, to: decision.merged, key: { $0.key(arguments.key) }) {
                console.diff([line], indentation: "  ")
            }
        }
        showRest(decisions.count)
    }

    private func show(open conflicts: [Conflict<Record>]) {
        console.line()
        if conflicts.isEmpty { return console.line("No conflict is left open.", .green) }
        console.line("\(conflicts.count) \(self.conflicts(conflicts.count)) left open, where the base stands", .bold)
        for conflict in conflicts.prefix(text.lines) {
            let fields = conflict.clashingMembers
            console.line(
                "\(title(conflict)): \(conflict.kind.text(local: "local", remote: "remote"))"
                    + (fields.isEmpty ? "" : "; in both: \(printable(fields.joined(separator: ", ")))")
                    + (conflict.base == nil ? "; neither is merged" : ""))
            for (side, record) in [("local ", conflict.local), ("remote", conflict.remote)] {
                guard let line = text.line(from: conflict.base, to: record, key: { $0.key(arguments.key) }) else {
                    continue
                }
                console.diff([line], indentation: "  \(side) ")
            }
        }
        showRest(conflicts.count)
    }

    private func showRest(_ count: Int) {
        if count > text.lines { console.line("… \(count - text.lines) more; --all shows them", .faint) }
    }

    private func conflicts(_ count: Int) -> String {
        count == 1 ? "conflict" : "conflicts"
    }

    private func title(_ conflict: Conflict<Record>) -> String {
        let record = conflict.local ?? conflict.remote ?? [:]
        return printable(record.key(arguments.key).map(\.description).joined(separator: ", "))
    }

    /// Writes the merged records into a new file that takes the place and the mode of the old one.
    private func write(_ text: String, to path: String) throws(InputError) {
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let old = try? FileManager.default.attributesOfItem(atPath: url.path)
        // A pipe, a device such as /dev/stdout, and a link that leads nowhere must remain.
        let isReplaced = old == nil || old?[.type] as? FileAttributeType == .typeRegular
        do {
            if isReplaced, let mode = old?[.posixPermissions] {
                try ReplacementFile(for: url, text: text, mode: mode).takePlace()
            } else {
                try Data(text.utf8).write(to: url, options: isReplaced ? .atomic : [])
            }
        } catch {
            throw InputError(
                "the merged records cannot be written here: is there such a folder, and is it yours?", in: path)
        }
        console.line()
        console.line(printable("The merged records are in \(path)."))
    }
}
