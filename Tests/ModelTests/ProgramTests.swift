import ExampleSupport
import Foundation
import TestSupport
import Testing

@testable import model

struct ProgramTests {
    private func run(_ words: String...) -> (code: Int32, output: [String], errors: [String]) {
        let run = ProgramRun { Program(output: ProgramOutput(write: $0, writeError: $1)).run(words) }
        return (run.exitCode, run.output, run.errors)
    }

    private func path(_ name: String) -> String {
        SharedFiles.packageFolder.appendingPathComponent("Examples/Model/Data/\(name)").path
    }

    @Test func tablesShowTheSchemaAndListIgnoredSettings() {
        let result = run(path("Library.xcdatamodeld"))
        #expect(result.code == 0)
        #expect(result.errors == [])
        let expected = """
            \(path("Library.xcdatamodeld/Library 2.xcdatamodel/contents")): 3 entities

            Author (was Writer)
              attribute  type     key  remote key         optional
              born       date                             optional
              id         integer  key
              name       string        details.full_name
              relationship  leads to   inverse  on deletion  optional  else
              items         many Item  author   cascade      optional  ordered, not exported

            Book (inherits Item)
              attribute  type     optional  default
              pages      integer  optional  0

            Item (abstract)
              attribute  type     key  default       else
              barcode    string   key
              price      decimal       decimal 9.95
              title      string        "untitled"    indexed, by Trim
              relationship  leads to    inverse  on deletion
              author        one Author  items    nullify

            ! 3 things are passed over, or to be known:
              line 5, column 9: Author.id: the default 0 is passed over: each record has a key of its own
              line 11, column 9: Author.initials: it is transient, and left out: what is not stored is for the app to keep
              line 19, column 98: Book.pages: 'minValueString' is passed over: values are not checked against it: check \
            them where they are made
            """
        #expect(result.output.joined(separator: "\n") == expected)
    }

    @Test func outputStatesThatNothingWasIgnored() {
        let result = run(path("Library.xcdatamodeld/Library.xcdatamodel"))
        #expect(result.code == 0)
        #expect(
            result.output.dropFirst() == [
                "", "Writer", "  attribute  type     key", "  id         integer  key", "  name       string", "",
                "✓ nothing is passed over",
            ])
    }

    @Test func modelWithFaultsPrintsTheFaultsInsteadOfTables() {
        let result = run(path("Broken.xcdatamodel"))
        #expect(result.code == 1)
        #expect(result.output == [])
        #expect(
            result.errors == [
                "model: '\(path("Broken.xcdatamodel/contents"))' cannot be used:",
                "  ✗ line 4, column 30: Note.id: 'Integer 128' is no type of an attribute: write one of Binary, Boolean, "
                    + "Composite, Date, Decimal, Double, Float, Integer 16, Integer 32, Integer 64, String, "
                    + "Transformable, URI, UUID",
                "  ✗ line 6, column 9: Note.text: the property of the entity in line 5 has this name: rename one of them",
                "  ✗ line 7, column 9: Note.tags: its inverse 'Tag.notes' has none itself: name 'tags' there",
                "  ✗ line 9, column 5: Tag: it inherits 'Label', which is not in the schema: add that entity, or correct "
                    + "the parent",
            ])
    }

    @Test func programRequiresExactlyOnePath() {
        #expect(run("--help").output == [Program.help])
        #expect(run("--help").code == 0)
        for result in [run(), run("a", "b"), run(""), run("--tables"), run("-x", "a")] {
            #expect(result.code == 64)
            #expect(result.errors.last == "Try 'model --help'.")
        }
        let missing = run("/nowhere/at all")
        #expect(missing.code == 1)
        #expect(
            missing.errors == [
                "model: '/nowhere/at all' cannot be used:", "  ✗ there is no such file or folder: correct the path",
            ])
    }

    @Test func syncProblemsAreListedAndSetTheExitCode() throws {
        let result = try run(
            contents: """
                <model><entity name="User">
                <attribute name="userID" attributeType="String" optional="YES"/>
                <attribute name="user_id" attributeType="String" optional="YES"/>
                </entity></model>
                """)
        #expect(result.code == 1)
        #expect(
            result.output.suffix(2) == [
                "✗ 1 thing stands in the way of syncing JSON:",
                "  'User.userID' and 'User.user_id' are both reached by 'user_id': rename one of them",
            ])
    }

    @Test func outputContainsNoTerminalControlCharacters() throws {
        let result = try run(contents: "<model><entity name='A&#x9B;&#10;B'/></model>")
        #expect(result.output.contains("A\u{FFFD}\u{FFFD}B"))
    }

    /// Runs the program with a model of the given text.
    private func run(contents: String) throws -> (code: Int32, output: [String], errors: [String]) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ModelTests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(contents.utf8).write(to: file)
        return run(file.path)
    }
}
