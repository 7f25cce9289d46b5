import DifferentialSync

/// `demo diff`: shows what changes from one file of records to another.
struct DiffCommand {
    private let arguments: Arguments
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) {
        self.arguments = arguments
        self.console = console
    }

    func run() throws -> Int32 {
        let files = try arguments.files.map { path in
            let file = try RecordFile(path: path)
            try file.check(key: arguments.key)
            return file
        }
        let (old, new) = (files[0], files[1])
        let key = arguments.key
        let changes = try diff(wins: new.records, loses: old.records, primaryKey: { $0.key(key) })
        console.line("\(old.name) → \(new.name), by \(key.joined(separator: ", "))", .bold)
        console.line("\(old.records.count) records → \(new.records.count): \(changes?.counts ?? ChangeCounts())")
        if changes != nil { console.line() }
        console.diff((arguments.showsAll ? .all : ChangeText()).lines(of: changes) { $0.key(key) })
        return ExitCode.success
    }
}
