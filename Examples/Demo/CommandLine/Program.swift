import DifferentialSync

/// The program: what `main.swift` runs, and the tests too.
struct Program {
    /// Takes the lines that go to the standard output.
    let output: (String) -> Void

    /// Takes the lines that go to the standard error output.
    let errors: (String) -> Void

    /// Whether the output is a terminal that has colours.
    let isTerminal: Bool
}

/// What the program says to its caller.
enum ExitCode {
    static let success: Int32 = 0
    /// A file cannot be used, or the devices do not agree.
    static let failure: Int32 = 1
    /// The command line cannot be understood.
    static let usage: Int32 = 64
    /// A merge has left conflicts open.
    static let openConflicts: Int32 = 3
}

extension Program {
    /// Runs the program.
    ///
    /// - Parameter words: The words of the command line, after the program's name.
    /// - Returns: The exit code.
    func run(_ words: [String]) -> Int32 {
        do {
            let arguments = try Arguments(words)
            let console = Console(isColored: arguments.isColored ?? isTerminal, write: output)
            return try run(arguments, console)
        } catch let error as UsageError {
            errors("demo: \(error)")
            errors("Try 'demo help'.")
            return ExitCode.usage
        } catch {
            errors("demo: \(error)")
            return ExitCode.failure
        }
    }

    private func run(_ arguments: Arguments, _ console: Console) throws -> Int32 {
        switch arguments.command {
        case .everything:
            let tour = try AddressBookTour(console).run()
            console.line()
            console.line()
            let currencies = try CurrencyTour(console).run()
            return tour && currencies ? ExitCode.success : ExitCode.failure
        case .tour:
            return try AddressBookTour(console).run() ? ExitCode.success : ExitCode.failure
        case .currencies:
            return try CurrencyTour(console).run() ? ExitCode.success : ExitCode.failure
        case .diff:
            return try DiffCommand(arguments, console).run()
        case .merge:
            return try MergeCommand(arguments, console).run()
        case .help:
            console.line(Program.help)
            return ExitCode.success
        }
    }

    static let help = """
        demo: two-way synchronization of collections, to watch and to try.

          demo                   both tours, one after the other
          demo tour              a phone and a tablet edit an address book offline and sync it
          demo currencies        the same with real data: the ISO 4217 currency codes of three years
          demo diff A.json B.json --key NAME
                                 what changes from A to B
          demo merge BASE.json LOCAL.json REMOTE.json --key NAME
                                 what LOCAL and REMOTE have made of BASE, merged
          demo help              this text

        A file of records is a JSON array of objects, or an object in which exactly one member is an array. A number
        is compared as it is written: 1 and 1.0 differ.

        Options of diff and merge:
          --key NAME             the member that tells records apart; for a key of several parts: --key code,region
          --all                  every change and whole lines, where long lists and lines are shortened otherwise

        Options of merge:
          --policy fields        each member of a record is merged by itself; where both sides changed one to
                                 different values, the conflict is left open (this is so unless another is given)
          --policy local         what LOCAL did stands
          --policy remote        what REMOTE did stands
          --policy open          every conflict is left open
          --output FILE          write the merged records, in the form of LOCAL; where a conflict is left open,
                                 the record of BASE stands

        Everywhere:
          --plain, --color       without colours, or with them; otherwise colours are used in a terminal, unless
                                 NO_COLOR is set

        Exit codes: 0 all is well, 1 a file cannot be used or the devices disagree, 64 the command line is wrong,
        3 a merge has left conflicts open.
        """
}
