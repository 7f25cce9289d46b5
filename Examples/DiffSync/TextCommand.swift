import ExampleSupport
import RecordFiles

/// `diffsync textconv`: prints a file's records, one in each line, sorted by the text of their keys.
struct TextCommand {
    let arguments: Arguments
    let console: Console

    func run() throws -> Int32 {
        let key = arguments.key
        let file = try arguments.file(arguments.files[0])
        let lines = file.records.map { record in
            (key: record.key(key).map(\.description), text: JSONLine(order: key).text(of: .object(record)))
        }
        for line in lines.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) { console.line(line.text) }
        return ExitCode.success
    }
}

extension Arguments {
    /// Reads a file of records and checks its keys.
    func file(_ path: String) throws(InputError) -> RecordFile {
        let file = try RecordFile(path: path, shownAs: self.path, isLines: isLines)
        try file.check(key: key)
        return file
    }
}
