import ExampleSupport
import RecordFiles

/// The program, which `main.swift` and the tests run.
struct Program {
    let output: ProgramOutput
}

extension ExitCode {
    /// A merge has unresolved conflicts; git treats the file as conflicted.
    static let openConflicts: Int32 = 1
    /// A file cannot be read or written.
    static let unusableFile: Int32 = 2
}

extension Program {
    /// Runs the program.
    ///
    /// - Parameter words: The words of the command line, after the program's name.
    /// - Returns: The exit code.
    func run(_ words: [String]) -> Int32 {
        output.run("diffsync", failure: ExitCode.unusableFile) {
            let arguments = try Arguments(words)
            let console = Console(isColored: arguments.isColored ?? output.isTerminal, write: output.write)
            switch arguments.command {
            case .diff: return try DiffCommand(arguments: arguments, console: console).run()
            case .merge: return try MergeCommand(arguments: arguments, console: console).run()
            case .textconv: return try TextCommand(arguments: arguments, console: console).run()
            case .gitDiff: return try DiffCommand(arguments: arguments, console: console).runForGit()
            case .gitMerge:
                return try GitMergeCommand(arguments: arguments, writeError: output.writeError).run()
            case .help:
                console.line(Program.help)
                return ExitCode.success
            }
        }
    }

    static let help = """
        diffsync: diff and merge of files of records, by primary key.

          diffsync diff OLD NEW --key NAME
                                 what changes from OLD to NEW
          diffsync merge BASE LOCAL REMOTE --key NAME
                                 what LOCAL and REMOTE have made of BASE, merged
          diffsync textconv FILE --key NAME
                                 one record in each line, sorted by the text of their keys: 10 comes before 2
          diffsync git-diff --key NAME …
                                 diff, with the words that git passes to an external diff
          diffsync git-merge --key NAME --path %P %O %A %B
                                 merge as git's merge driver: the result is written to %A
          diffsync help          this text

        A file of records is a JSON array of objects, an object in which exactly one member is an array, or JSON lines:
        one object in each line (.jsonl, .ndjson). A number is compared as it is written: 1 and 1.0 differ.

        Options:
          --key NAME             the member that tells records apart; for a key of several parts: --key code,region
          --lines                the files are JSON lines, whatever they are called
          --all                  every change and whole lines, where long lists and lines are shortened otherwise
          --plain, --color       without colours, or with them; otherwise colours are used in a terminal, unless
                                 NO_COLOR is set

        Options of merge and git-merge:
          --policy fields        each member of a record is merged by itself; where both sides changed one to
                                 different values, the conflict is left open (this is so unless another is given)
          --policy local         what LOCAL did to a record stands, if REMOTE changed it as well
          --policy remote        what REMOTE did to a record stands, if LOCAL changed it as well
          --policy open          a record that both changed is left open, without a merge by members
          --output FILE          merge only: write the merged records, in the form of LOCAL; where a conflict is left
                                 open, the record of BASE stands, or none if both sides added it
          --path PATH            git-merge only: the path of the file in the repository

        In a git repository:
          echo '*.jsonl diff=records merge=records' >> .gitattributes
          git config diff.records.command 'diffsync git-diff --key id'
          git config merge.records.driver 'diffsync git-merge --key id --path %P %O %A %B'
          git config merge.records.recursive binary

        Exit codes: 0 all is well, 1 a merge has left conflicts open, 2 a file cannot be used, 64 the command line is
        wrong. git-diff always ends with 0, and prints why it cannot compare a file.
        """
}
