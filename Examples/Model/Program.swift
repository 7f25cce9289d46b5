import CoreDataModel
import EntitySync
import ExampleSupport
import Foundation

/// The program, which `main.swift` and the tests run.
struct Program {
    let output: ProgramOutput

    static let help = """
        model: what a Core Data model says, as tables.

          model PATH    the model of a .xcdatamodeld or .xcdatamodel folder, or of the file 'contents' in it

        It lists entities, attributes and relationships, what the schema of a store passes over, and what stands in the way
        of syncing JSON, with which it ends with 1. Of a model that cannot be used, it lists all faults, with line and
        column, and ends with 1. It ends with 64 if the command line is wrong.
        """
}

extension Program {
    /// Runs the program.
    ///
    /// - Parameter words: The words of the command line, after the program's name.
    /// - Returns: The exit code: 0, or 1 for a model that cannot be used or synced, or 64 for a command line that is wrong.
    func run(_ words: [String]) -> Int32 {
        let path: String
        switch PathCommand(words) {
        case .help:
            output.write(Program.help)
            return ExitCode.success
        case .misuse(let reason): return output.misuse("model", reason)
        case .run(nil): return output.misuse("model", "it takes the path of a model; none was given")
        case .run(let given?): path = given
        }
        do {
            let document = try ModelDocument(contentsOf: URL(fileURLWithPath: path))
            show(document)
            return document.schema.syncProblems.isEmpty ? ExitCode.success : ExitCode.failure
        } catch {
            let path = error.path.map { printable($0) } ?? path
            output.writeError("model: '\(path)' cannot be used:")
            for finding in error.findings { output.writeError("  ✗ \(printable(finding.description))") }
            return ExitCode.failure
        }
    }

    private func show(_ document: ModelDocument) {
        let entities = document.schema.entities
        output.write("\(printable(document.path ?? "")): \(count(entities.count, "entity", "entities"))")
        for entity in entities {
            output.write("")
            output.write(printable(entity.title))
            let tables = [Table(attributesOf: entity), Table(relationshipsOf: entity)]
            for line in tables.flatMap(\.lines) { output.write("  \(printable(line))") }
        }
        output.write("")
        if document.notices.isEmpty {
            output.write("✓ nothing is passed over")
        } else {
            output.write("! \(count(document.notices.count, "thing is", "things are")) passed over, or to be known:")
            for notice in document.notices { output.write("  \(printable(notice.description))") }
        }
        let problems = document.schema.syncProblems
        if problems.isEmpty { return }
        output.write("✗ \(count(problems.count, "thing stands", "things stand")) in the way of syncing JSON:")
        for problem in problems { output.write("  \(printable(problem.description))") }
    }

    private func count(_ number: Int, _ one: String, _ several: String) -> String {
        "\(number) \(number == 1 ? one : several)"
    }
}
