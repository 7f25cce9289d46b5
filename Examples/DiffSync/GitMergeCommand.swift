import DifferentialSync
import ExampleSupport
import RecordFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `diffsync git-merge`: merges by records, and writes the result where git wants it.
///
/// Records keep their text, so that a merge changes no other line. An open conflict stands between git's markers. Where
/// a file cannot be read, nothing is written: git keeps all three versions, and takes the file as conflicted.
struct GitMergeCommand {
    let arguments: Arguments
    let writeError: (String) -> Void

    func run() throws -> Int32 {
        let key = arguments.key
        let (base, ours, theirs) = try (file(0, "base"), file(1, "ours"), file(2, "theirs"))
        let merged = try merge(
            base: base.records, local: ours.records, remote: theirs.records, primaryKey: { $0.key(key) },
            policy: arguments.conflictPolicy)
        let text = try MergedText(base: base, ours: ours, theirs: theirs, key: key)
        let path = arguments.files[1]
        do {
            try Data(text.text(of: merged).utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw InputError("the merged records cannot be written here", in: path)
        }
        if merged.open.isEmpty { return ExitCode.success }
        let count = "\(merged.open.count) record\(merged.open.count == 1 ? "" : "s")"
        writeError(printable("diffsync: \(arguments.path ?? path): conflicts in \(count):"))
        for conflict in merged.open.prefix(20) { writeError("  " + line(of: conflict)) }
        if merged.open.count > 20 { writeError("  … \(merged.open.count - 20) more") }
        return ExitCode.openConflicts
    }

    private func file(_ position: Int, _ side: String) throws(InputError) -> RecordFile {
        let name = (arguments.path ?? arguments.files[1]) + " (\(side))"
        let isLines = arguments.isLines ?? arguments.path.flatMap(RecordFile.isLines(name:))
        let file = try RecordFile(path: arguments.files[position], shownAs: name, isLines: isLines)
        try file.check(key: arguments.key)
        return file
    }

    private func line(of conflict: Conflict<Record>) -> String {
        let record = conflict.local ?? conflict.remote ?? [:]
        let key = arguments.key.map { "\($0) \(record[$0] ?? .null)" }.joined(separator: ", ")
        let fields = conflict.clashingMembers
        let text = "\(key): \(conflict.kind.text(local: "ours", remote: "theirs"))"
        return printable(text + (fields.isEmpty ? "" : "; in both: \(fields.joined(separator: ", "))"))
    }
}

extension Arguments {
    /// What resolves conflicts.
    var conflictPolicy: ConflictPolicy<Record> {
        switch policy {
        case .local: .localWins
        case .remote: .remoteWins
        case .fields: .mergingMembers(otherwise: .leaveOpen)
        case .open: .leaveOpen
        }
    }
}
