import DifferentialSync
import ExampleSupport
import RecordFiles

/// `diffsync diff`: shows what changes from one file of records to another.
struct DiffCommand {
    let arguments: Arguments
    let console: Console

    func run() throws -> Int32 {
        let (old, new) = try (arguments.file(arguments.files[0]), arguments.file(arguments.files[1]))
        try show(old, new, title: "\(old.name) → \(new.name)")
        return ExitCode.success
    }

    /// Runs with the words that git passes: path, old file, hash and mode, new file, hash and mode, and for a renamed
    /// file its new path.
    ///
    /// - Returns: Always success, because git ends at the first file that fails.
    func runForGit() throws -> Int32 {
        let words = arguments.files
        let path = words.count > 7 ? "\(words[0]) → \(words[7])" : words[0]
        guard words.count > 1 else {
            console.line(printable("\(path) has conflicts"), .yellow)
            return ExitCode.success
        }
        do {
            let isLines = arguments.isLines ?? RecordFile.isLines(name: words[0])
            let files = try [(words[1], "old"), (words[4], "new")].map { file, side in
                let file = try RecordFile(path: file, shownAs: "\(words[0]) (\(side))", isLines: isLines)
                try file.check(key: arguments.key)
                return file
            }
            try show(files[0], files[1], title: path)
        } catch {
            console.line(printable("\(path) cannot be compared by records: \(error)"), .red)
        }
        // The mode of a file that is added or deleted is `.` on the side that lacks it.
        let (old, new) = (words[3], words[6])
        if old != new && old != "." && new != "." {
            console.line(printable("mode \(old) → \(new)"), .yellow)
        }
        return ExitCode.success
    }

    private func show(_ old: RecordFile, _ new: RecordFile, title: String) throws {
        let key = arguments.key
        let changes = try diff(wins: new.records, loses: old.records, primaryKey: { $0.key(key) })
        console.line(printable("\(title), by \(key.map(\.text).joined(separator: ", "))"), .bold)
        let count = "\(old.records.count) record\(old.records.count == 1 ? "" : "s")"
        console.line("\(count) → \(new.records.count): \(changes?.counts ?? ChangeCounts())")
        let names = old.frame.differingNames(from: new.frame)
        if !names.isEmpty {
            let list = names.map(\.text).joined(separator: ", ")
            console.line(printable("beside the records: \(list) changed"), .yellow)
        }
        if changes != nil { console.line() }
        console.diff((arguments.showsAll ? .all : ChangeText()).lines(of: changes) { $0.key(key) })
    }
}
