import Foundation

/// Runs lines, prints a table as it goes, and checks targets at the end.
package struct Runner {
    /// What the command line asks for.
    package struct Options: Sendable {
        package var suites: [String] = []
        package var sizes: [Int] = []
        package var filter: String?
        package var rounds: Int?
        package var json: String?
        package var checksTargets = false

        /// Reads the arguments.
        ///
        /// - Parameters:
        ///   - arguments: What stands behind the program's name.
        ///   - known: The suites that there are.
        /// - Throws: ``UsageError`` that says what is not understood.
        package init(_ arguments: [String], suites known: [String]) throws {
            var rest = arguments[...]
            func value(of option: String) throws -> String {
                guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
                    throw UsageError("\(option) needs a value")
                }
                return value
            }
            while let argument = rest.popFirst() {
                switch argument {
                case "--suite":
                    suites += try value(of: argument).split(separator: ",").map(String.init)
                    if let unknown = suites.first(where: { !known.contains($0) }) {
                        throw UsageError("there is no suite '\(unknown)'; there are \(known.joined(separator: ", "))")
                    }
                case "--size":
                    for text in try value(of: argument).split(separator: ",") {
                        guard let size = Int(text.filter { $0 != "_" }), size > 0 else {
                            throw UsageError("--size takes numbers of elements, not '\(text)'")
                        }
                        sizes.append(size)
                    }
                case "--filter": filter = try value(of: argument)
                case "--rounds":
                    guard let number = Int(try value(of: argument)), number > 0 else {
                        throw UsageError("--rounds takes a number above 0")
                    }
                    rounds = number
                case "--json": json = try value(of: argument)
                case "--check": checksTargets = true
                default: throw UsageError("'\(argument)' is not understood")
                }
            }
        }

        /// The sizes to run: those asked for, else the given ones.
        func sizes(default sizes: [Int]) -> [Int] { self.sizes.isEmpty ? sizes : self.sizes }

        /// Whether everything is to be run.
        var isUnrestricted: Bool { suites.isEmpty && sizes.isEmpty && filter == nil }

        func includes(suite: String) -> Bool { suites.isEmpty || suites.contains(suite) }

        func includes(_ line: String) -> Bool { filter.map { line.contains($0) } ?? true }
    }

    /// A command line that is not understood.
    package struct UsageError: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    let options: Options
    private let isTerminal = isatty(STDERR_FILENO) != 0

    /// Everything that was measured.
    package private(set) var rows: [Row] = []

    package init(options: Options) {
        self.options = options
    }
}

extension Runner {
    /// Runs a benchmark program: reads its arguments, measures, writes the file that was asked for, and checks targets.
    ///
    /// Ends the process where the arguments are not understood, where the file cannot be written, and where targets are
    /// to be met and are not.
    ///
    /// - Parameters:
    ///   - program: The program's name.
    ///   - usage: What it says of its arguments.
    ///   - suites: The suites that there are.
    ///   - sizes: The numbers of elements, unless others are asked for.
    ///   - targets: What is to be met.
    ///   - measure: Runs the suites.
    package static func run(
        program: String, usage: String, suites: [String], sizes: [Int], targets: [Target] = [],
        measure: (inout Runner, [Int]) -> Void
    ) {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") || arguments.contains("-h") { return print(usage) }
        do {
            let options = try Options(arguments, suites: suites)
            if options.checksTargets && targets.isEmpty { throw UsageError("there are no targets to --check here") }
            #if DEBUG
                print("This is a debug build: nothing it prints is worth comparing. Run it with -c release.\n")
            #endif
            var runner = Runner(options: options)
            measure(&runner, options.sizes(default: sizes))
            try runner.writeJSON()
            let areMet = runner.check(targets)
            if options.checksTargets && !areMet { exit(1) }
        } catch let error as UsageError {
            FileHandle.standardError.write(Data("\(program): \(error)\n\n\(usage)\n".utf8))
            // EX_USAGE
            exit(64)
        } catch {
            FileHandle.standardError.write(Data("\(program): \(error)\n".utf8))
            exit(1)
        }
    }

    /// Whether a line is asked for: suites make their workloads only for such.
    package func wants(suite: String, workload: String) -> Bool {
        options.includes(suite: suite) && options.includes("\(suite) \(workload)")
    }

    /// The sizes to run: those asked for, else the given ones.
    package func sizes(default sizes: [Int]) -> [Int] { options.sizes(default: sizes) }

    /// Measures a line and prints it.
    package mutating func run(_ line: Line) {
        let size = line.payloadBytes.map { " · \(bytes(Double($0)))" } ?? ""
        let title = "\(line.suite) · \(line.workload) · n = \(grouped(line.count))\(size)"
        let measured = line.measure(rounds: options.rounds) { step in progress("\(title): \(step)") }
        progress(nil)
        rows += measured
        print(title)
        let ours = measured.first { $0.role == .ours }
        let bound = measured.first { $0.role == .bound }
        let unit = line.divisor == 1 ? "ns" : "ns/element"
        print("  " + cells(["", unit, "peak", "× bound", "× ours", size.isEmpty ? "" : "peak ÷ payload"]))
        for row in measured {
            let peak = row.extraPeakBytes.map { line.divisor == 1 ? bytes($0) : "\(fixed($0, 1)) B" } ?? "–"
            print(
                "  "
                    + cells([
                        row.contestant, line.divisor == 1 ? grouped(Int(row.nanoseconds)) : fixed(row.nanoseconds, 1),
                        peak,
                        bound.map { fixed(row.nanoseconds / $0.nanoseconds, 2) } ?? "",
                        ours.map { fixed(row.nanoseconds / $0.nanoseconds, 2) } ?? "",
                        row.peakByPayload.map { fixed($0, 3) } ?? "",
                    ]))
            for tally in row.tallies {
                let isWhole = tally.value.rounded() == tally.value
                print("    \(tally.name): \(isWhole ? grouped(Int(tally.value)) : fixed(tally.value, 3))")
            }
        }
        print("")
    }

    /// Writes the rows to the file that was asked for, if one was.
    package func writeJSON() throws {
        guard let path = options.json else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(rows).write(to: URL(fileURLWithPath: path))
    }

    private func progress(_ text: String?) {
        guard isTerminal else { return }
        FileHandle.standardError.write(Data("\u{1B}[2K\r\(text ?? "")".utf8))
    }

    /// The first cell to the left, the others to the right in columns.
    private func cells(_ texts: [String]) -> String {
        let widths = [36, 12, 12, 9, 9, 17]
        return zip(texts, widths).enumerated().map { index, cell in
            let (text, width) = cell
            let padding = String(repeating: " ", count: max(0, width - text.count))
            return index == 0 ? text + padding : padding + text
        }.joined().trimmingSuffix(" ")
    }
}

/// A number with a fixed number of decimals.
package func fixed(_ number: Double, _ decimals: Int) -> String {
    String(format: "%.\(decimals)f", number)
}

/// A number with a comma after every three digits.
package func grouped(_ number: Int) -> String {
    var text = ""
    for (position, digit) in String(number).reversed().enumerated() {
        if position > 0 && position % 3 == 0 && digit != "-" { text.append(",") }
        text.append(digit)
    }
    return String(text.reversed())
}

private func bytes(_ count: Double) -> String {
    count < 10_000
        ? "\(Int(count)) B" : count < 10_000_000 ? "\(fixed(count / 1e3, 1)) kB" : "\(fixed(count / 1e6, 1)) MB"
}

extension String {
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }
}
