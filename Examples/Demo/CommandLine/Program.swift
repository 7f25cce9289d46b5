import ExampleSupport
import RecordFiles

/// The program, which `main.swift` and the tests run.
struct Program {
    let output: ProgramOutput
}

extension Program {
    /// Runs the program.
    ///
    /// - Parameter words: The words of the command line, after the program's name.
    /// - Returns: The exit code, which is also a failure if the devices disagree.
    func run(_ words: [String]) -> Int32 {
        output.run("demo") {
            let arguments = try Arguments(words)
            return try run(
                arguments, Console(isColored: arguments.isColored ?? output.isTerminal, write: output.write))
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
          demo help              this text

        To compare and merge files of your own, there is diffsync: 'swift run diffsync --help'.

        Options:
          --plain, --color       without colours, or with them; otherwise colours are used in a terminal, unless
                                 NO_COLOR is set

        Exit codes: 0 all is well, 1 the devices disagree, 64 the command line is wrong.
        """
}
