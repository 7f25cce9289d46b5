import Foundation
import RecordFiles
import TestSupport
import Testing

@testable import diffsync

struct FileCommandTests {
    static let base = """
        [{"code": "A", "x": 1, "y": 1}, {"code": "B", "x": 1}, {"code": "C"}, {"code": "E"}]
        """
    static let local = """
        [{"code": "A", "x": 2, "y": 1}, {"code": "B", "x": 2, "y": "\\u001b[5m"}, {"code": "D"}]
        """
    static let remote = """
        {"version": 3, "list": [{"code": "A", "x": 1, "y": 3}, {"code": "B", "x": 3}, {"code": "C", "q": null}]}
        """

    /// Writes the three files and runs the program with them.
    static func run(
        _ words: String..., in folder: TemporaryFolder, isTerminal: Bool = false
    ) throws -> (exitCode: Int32, output: [String], errors: [String]) {
        for (name, text) in [("base", base), ("local", local), ("remote", remote)] {
            _ = try folder.write(text, to: name + ".json")
        }
        let run = ProgramRun(
            words.map { $0.hasSuffix(".json") ? "\(folder.path)/\($0)" : $0 }, isTerminal: isTerminal)
        func short(_ lines: [String]) -> [String] {
            lines.map { $0.replacingOccurrences(of: folder.path + "/", with: "") }
        }
        return (run.exitCode, short(run.output), short(run.errors))
    }

    @Test func aDiff() throws {
        let run = try Self.run("diff", "base.json", "local.json", "--key", "code", in: TemporaryFolder())
        #expect(run.exitCode == 0)
        #expect(run.errors == [])
        #expect(
            run.output == [
                "base.json → local.json, by code",
                "4 records → 3: 1 added, 2 deleted, 2 replaced",
                "",
                #"+ {code: "D"}"#,
                #"- {code: "C"}"#,
                #"- {code: "E"}"#,
                #"~ {code: "A", y: 1, x: 1 → 2}"#,
                #"~ {code: "B", x: 1 → 2, y: none → "\u001B[5m"}"#,
            ])
    }

    @Test func aDiffInColour() throws {
        let folder = TemporaryFolder()
        let run = try Self.run("diff", "base.json", "local.json", "--key", "code", in: folder, isTerminal: true)
        #expect(run.output[0] == "\u{1B}[1mbase.json → local.json, by code\u{1B}[0m")
        #expect(run.output[3] == "\u{1B}[32m+ {code: \"D\"}\u{1B}[0m")
        #expect(run.output[4] == "\u{1B}[31m- {code: \"C\"}\u{1B}[0m")
        #expect(run.output[6] == "\u{1B}[33m~ {code: \"A\", y: 1, x: 1 → 2}\u{1B}[0m")
        let plain = try Self.run(
            "diff", "base.json", "local.json", "--key", "code", "--plain", in: folder, isTerminal: true)
        #expect(plain.output[3] == #"+ {code: "D"}"#)
        let colored = try Self.run("diff", "base.json", "local.json", "--key", "code", "--color", in: folder)
        #expect(colored.output == run.output)
    }

    @Test func textconvSortsKeysAsText() throws {
        let folder = TemporaryFolder()
        let path = try folder.write(#"[{"id": 2}, {"n": 1, "id": 10}]"#, to: "a.json")
        #expect(ProgramRun(["textconv", "--key", "id", path]).output == [#"{"id": 10, "n": 1}"#, #"{"id": 2}"#])
    }

    @Test func noDifference() throws {
        let run = try Self.run("diff", "base.json", "base.json", "--key", "code", in: TemporaryFolder())
        #expect(run.exitCode == 0)
        #expect(run.output == ["base.json → base.json, by code", "4 records → 4: no changes"])
    }

    @Test func longListsAndLinesAreShortenedUnlessAllIsAskedFor() throws {
        let folder = TemporaryFolder()
        let long = String(repeating: "x", count: 300)
        let records = (1...30).map { "{\"code\": \($0), \"text\": \"\(long)\"}" }.joined(separator: ",")
        _ = try folder.write("[\(records)]", to: "long.json")
        _ = try folder.write("[]", to: "none.json")
        let short = try Self.run("diff", "none.json", "long.json", "--key", "code", in: folder)
        #expect(short.output.count == 24)
        #expect(short.output.last == "+ … 10 more")
        #expect(short.output.allSatisfy { $0.count <= 100 })
        let all = try Self.run("diff", "none.json", "long.json", "--key", "code", "--all", in: folder)
        #expect(all.output.count == 33)
        #expect(all.output[3] == "+ {code: 1, text: \"\(long)\"}")
    }

    @Test func aMergeByFields() throws {
        let folder = TemporaryFolder()
        let run = try Self.run(
            "merge", "base.json", "local.json", "remote.json", "--key", "code", "--output", "out.json", in: folder)
        #expect(run.exitCode == 1)
        #expect(run.errors == [])
        #expect(
            run.output == [
                "local.json and remote.json, merged by code",
                "local   3 records: 1 added, 2 deleted, 2 replaced",
                "remote  3 records: 1 deleted, 3 replaced",
                "merged  4 records: 1 added, 1 deleted, 1 replaced",
                "",
                #"+ {code: "D"}"#,
                #"- {code: "E"}"#,
                #"~ {code: "A", x: 1 → 2, y: 1 → 3}"#,
                "",
                "1 conflict resolved",
                #""A": local and remote edited it differently; merged field by field"#,
                #"  ~ {code: "A", x: 1 → 2, y: 1 → 3}"#,
                "",
                "2 conflicts left open, where the base stands",
                #""C": local deleted it, remote edited it"#,
                #"  local  - {code: "C"}"#,
                #"  remote ~ {code: "C", q: none → null}"#,
                #""B": local and remote edited it differently; in both: x"#,
                #"  local  ~ {code: "B", x: 1 → 2, y: none → "\u001B[5m"}"#,
                #"  remote ~ {code: "B", x: 1 → 3}"#,
                "",
                "The merged records are in out.json.",
            ])
        let merged = try RecordFile(path: "\(folder.path)/out.json")
        #expect(
            merged.records == [
                ["code": "A", "x": .number("2"), "y": .number("3")], ["code": "B", "x": .number("1")], ["code": "C"],
                ["code": "D"],
            ])
    }

    @Test func mergesThatAreSettled() throws {
        let folder = TemporaryFolder()
        let local = try Self.run(
            "merge", "base.json", "local.json", "remote.json", "--key", "code", "--policy", "local", "--output",
            "local-out.json", in: folder)
        #expect(local.exitCode == 0)
        #expect(local.output.contains("3 conflicts resolved"))
        #expect(local.output.contains(#""C": local deleted it, remote edited it; local's version stands"#))
        #expect(local.output.contains("No conflict is left open."))
        let records = try RecordFile(path: "\(folder.path)/local.json").records
        #expect(try RecordFile(path: "\(folder.path)/local-out.json").records == records)

        let remote = try Self.run(
            "merge", "base.json", "remote.json", "local.json", "--key", "code", "--policy", "remote", "--output",
            "remote-out.json", in: folder)
        #expect(remote.exitCode == 0)
        #expect(try RecordFile(path: "\(folder.path)/remote-out.json").records == records)
        #expect(try folder.text(of: "remote-out.json").hasSuffix("],\n  \"version\": 3\n}\n"), "the form of LOCAL")

        let same = try Self.run("merge", "base.json", "base.json", "local.json", "--key", "code", in: folder)
        #expect(same.exitCode == 0)
        #expect(
            same.output == [
                "base.json and local.json, merged by code", "local   4 records: no changes",
                "remote  3 records: 1 added, 2 deleted, 2 replaced",
                "merged  3 records: 1 added, 2 deleted, 2 replaced", "",
                #"+ {code: "D"}"#, #"- {code: "C"}"#, #"- {code: "E"}"#, #"~ {code: "A", y: 1, x: 1 → 2}"#,
                #"~ {code: "B", x: 1 → 2, y: none → "\u001B[5m"}"#, "", "No conflict is left open.",
            ])
    }

    @Test func aMergeThatSettlesNothing() throws {
        let run = try Self.run(
            "merge", "base.json", "local.json", "remote.json", "--key", "code", "--policy", "open",
            in: TemporaryFolder())
        #expect(run.exitCode == 1)
        #expect(run.output.contains("3 conflicts left open, where the base stands"))
        #expect(!run.output.contains { $0.hasSuffix("resolved") })
    }

    @Test func diffForGitShowsAChangedMode() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("{\"id\": 1}", to: "notes.jsonl")
        let command = ["git-diff", "--key", "id", "notes.jsonl"]
        let changed = ProgramRun(command + [file, "a1", "100644", file, "a1", "100755"])
        #expect(changed.output == ["notes.jsonl, by id", "1 record → 1: no changes", "mode 100644 → 100755"])
        let added = ProgramRun(command + ["/dev/null", ".", ".", file, "a1", "100644"])
        #expect(added.output == ["notes.jsonl, by id", "0 records → 1: 1 added", "", "+ {id: 1}"])
    }

    /// Merges three texts as git's driver does.
    static func gitMerge(
        base: String, ours: String, theirs: String, name: String
    ) throws -> (exitCode: Int32, text: String) {
        let folder = TemporaryFolder()
        let paths = try [("base", base), ("ours", ours), ("theirs", theirs)].map { side, text in
            try folder.write(text, to: "\(side)-\(name)")
        }
        let run = ProgramRun(["git-merge", "--key", "id"] + paths)
        return (run.exitCode, try folder.text(of: "ours-\(name)"))
    }

    @Test(arguments: [
        ("a.json", "[\n  {\"id\": 1, \"n\": N},\n\n  {\"id\": 2},\n  {\"id\": 3}\n]\n"),
        ("b.json", "[\n  {\"id\": 1, \"n\": N}, {\"id\": 2},\n  {\"id\": 3}\n]\n"),
        ("c.jsonl", "{\"id\": 1, \"n\": N}\n{\"id\": 2}"),
        ("d.jsonl", "\n{\"id\": 1, \"n\": N}\n\n{\"id\": 2}\n{\"id\": 3}\n\n"),
        ("e.json", "\u{FEFF}[\n  {\"id\": 1, \"n\": N},\n  {\"id\": 2}\n]\n"),
        ("f.jsonl", "\u{FEFF}{\"id\": 1, \"n\": N}\n{\"id\": 2}\r\n{\"id\": 3}\n"),
    ])
    func aMergeKeepsWhatStandsBetweenRecords(name: String, text: String) throws {
        func file(_ number: Int) -> String { text.replacingOccurrences(of: "N", with: "\(number)") }
        let merge = try Self.gitMerge(base: file(1), ours: file(1), theirs: file(2), name: name)
        #expect(merge.exitCode == 0)
        #expect(Array(merge.text.utf8) == Array(file(2).utf8))
    }

    @Test(arguments: ["\n  ,", "\n,\n  ", "\n,  "])
    func aConflictHasOneCommaWhereCommasBeginLines(separator: String) throws {
        func file(_ number: Int) -> String {
            let records = ["{\"id\": 1}", "{\"id\": 2, \"n\": \(number)}", "{\"id\": 3}"]
            return "[\n  " + records.joined(separator: separator) + "\n]\n"
        }
        let merge = try Self.gitMerge(base: file(1), ours: file(2), theirs: file(3), name: "a.json")
        #expect(merge.exitCode == 1)
        let ours = try #require(merge.text.range(of: "<<<<<<< ours\n"))
        let base = try #require(merge.text.range(of: "||||||| base\n"))
        let end = try #require(merge.text.range(of: ">>>>>>> theirs\n"))
        // Our side is chosen.
        let (text, start) = (merge.text, merge.text.startIndex)
        let parts = [
            text[start..<ours.lowerBound], text[ours.upperBound..<base.lowerBound], text[end.upperBound...],
        ]
        let chosen = parts.joined(separator: "")
        #expect(chosen.filter { !$0.isWhitespace } == file(2).filter { !$0.isWhitespace })
    }

    @Test func aConflictKeepsTheEmptyLinesAroundIt() throws {
        func file(_ number: Int, _ added: String = "") -> String {
            "[\n  {\"id\": 1},\n\n  {\"id\": 2, \"n\": \(number)},\n\n  {\"id\": 3}\(added)\n]\n"
        }
        let merge = try Self.gitMerge(base: file(1), ours: file(2), theirs: file(3, ", {\"id\": 4}"), name: "a.json")
        #expect(merge.exitCode == 1)
        #expect(
            merge.text == """
                [
                  {"id": 1},

                <<<<<<< ours
                  {"id": 2, "n": 2},
                ||||||| base
                  {"id": 2, "n": 1},
                =======
                  {"id": 2, "n": 3},
                >>>>>>> theirs

                  {"id": 3},

                  {"id": 4}
                ]

                """)
    }

    @Test func outputKeepsALinkAndTheModeOfItsFile() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("[]", to: "shared.json")
        let link = folder.file("merged.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "shared.json")
        let run = try Self.run(
            "merge", "base.json", "base.json", "local.json", "--key", "code", "--output", "merged.json", in: folder)
        #expect(run.exitCode == 0)
        #expect(run.output.last == "The merged records are in merged.json.")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "shared.json")
        #expect(try RecordFile(path: file).records.count == 3)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(mode.map { "\($0)" } == "\(0o600)")
    }

    @Test func newFileHasTheModeOfTheOldOneBeforeItTakesItsPlace() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("[]", to: "notes.json")
        let new = try ReplacementFile(for: URL(fileURLWithPath: file), text: "[1]", mode: 0o640)
        let mode = try FileManager.default.attributesOfItem(atPath: new.url.path)[.posixPermissions]
        #expect(mode.map { "\($0)" } == "\(0o640)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "[]")
        try new.takePlace()
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "[1]")
        #expect(try folder.names == ["notes.json"])
    }

    @Test func newFileDoesNotNeedTheNameOfOneThatWasLeftBehind() throws {
        let folder = TemporaryFolder()
        let left = ".diffsync.\(ProcessInfo.processInfo.processIdentifier)"
        for name in ["notes.json", left] { _ = try folder.write("[]", to: name) }
        let url = URL(fileURLWithPath: folder.file("notes.json"))
        let files = try (1...2).map { try ReplacementFile(for: url, text: "[\($0)]", mode: 0o600) }
        for file in files { try file.takePlace() }
        #expect(try folder.text(of: "notes.json") == "[2]")
        #expect(try folder.text(of: left) == "[]")
        #expect(try folder.names == [left, "notes.json"])
    }

    @Test func namesInAFileDoNotControlTheTerminal() throws {
        let folder = TemporaryFolder()
        let paths = try (0...2).map { number in
            try folder.write("[{\"id\": 1, \"\\u001b]0;x\\u0007\": \(number)}]", to: "\(number).json")
        }
        let run = ProgramRun(["merge"] + paths + ["--key", "id", "--output", "\(folder.path)/\u{1B}[2J"])
        #expect(run.exitCode == 1)
        #expect(
            run.output.contains("1: local and remote edited it differently; in both: \u{FFFD}]0;x\u{FFFD}"))
        #expect(run.output.last == "The merged records are in \(folder.path)/\u{FFFD}[2J.")
        let scalars = run.output.flatMap { Array($0.unicodeScalars) }
        #expect(!scalars.contains { $0.properties.generalCategory == .control })
    }

    @Test func recordThatBothSidesAddedIsNotInTheOutput() throws {
        let folder = TemporaryFolder()
        let paths = try ["[]", #"[{"id": 1, "x": 1}]"#, #"[{"id": 1, "x": 2}, {"id": 2}]"#].enumerated().map {
            try folder.write($1, to: "\($0).json")
        }
        let run = ProgramRun(["merge"] + paths + ["--key", "id", "--output", folder.file("out.json")])
        #expect(run.exitCode == 1)
        #expect(run.output.contains("1: local and remote added it differently; in both: x; neither is merged"))
        #expect(try RecordFile(path: folder.file("out.json")).records == [["id": .number("2")]])
    }

    @Test func filesThatCannotBeUsed() throws {
        let folder = TemporaryFolder()
        let missing = try Self.run("diff", "base.json", "nothing.json", "--key", "code", in: folder)
        #expect(missing.exitCode == 2)
        #expect(missing.output == [])
        #expect(missing.errors == ["diffsync: nothing.json: there is no such file"])

        let none = try Self.run("diff", "base.json", folder.path, "--key", "code", in: folder)
        #expect(none.errors == ["diffsync: \(folder.path): this is a folder, not a file"])

        _ = try folder.write("[{\"code\": 1},\n {\"code\": }]", to: "bad.json")
        let malformed = try Self.run("merge", "base.json", "local.json", "bad.json", "--key", "code", in: folder)
        #expect(malformed.exitCode == 2)
        #expect(malformed.output == [])
        #expect(malformed.errors == ["diffsync: bad.json:2:11: found '}', expected a value"])

        let keyless = try Self.run("diff", "base.json", "remote.json", "--key", "id", in: folder)
        #expect(keyless.exitCode == 2)
        #expect(
            keyless.errors == [
                #"diffsync: base.json:1:2: record 1 has no "id", which is part of the key; it has "code", "x", "y""#
            ])

        let unwritable = try Self.run(
            "merge", "base.json", "local.json", "remote.json", "--key", "code", "--output", "none/out.json", in: folder)
        #expect(unwritable.exitCode == 2)
        #expect(
            unwritable.errors == [
                "diffsync: none/out.json: the merged records cannot be written here: is there such a folder, and is it yours?"
            ])
    }
}

/// The commands on real collections.
@Suite(.enabled(if: SharedFiles.arePresent, "the folder of real data is not there; set DIFFSYNC_SHARED"))
struct RealFileTests {
    static func path(_ year: Int) throws -> String {
        try #require(SharedFiles.folder).appendingPathComponent("data/iso-codes/\(year)/iso3166-2.json").path
    }

    @Test func aDiff() throws {
        let run = ProgramRun(["diff", try Self.path(2020), try Self.path(2022), "--key", "code", "--all"])
        #expect(run.exitCode == 0)
        #expect(run.output[1] == "4883 records → 5123: 578 added, 338 deleted, 1335 replaced")
        #expect(run.output.count { $0.hasPrefix("+ ") } == 578)
        #expect(run.output.count { $0.hasPrefix("- ") } == 338)
        #expect(run.output.count { $0.hasPrefix("~ ") } == 1335)
    }

    @Test func aMerge() throws {
        let folder = TemporaryFolder()
        let paths = try [2020, 2022, 2024].map(Self.path)
        let open = ProgramRun(["merge"] + paths + ["--key", "code", "--output", "\(folder.path)/merged.json"])
        #expect(open.exitCode == 1)
        #expect(open.output[1] == "local   5123 records: 578 added, 338 deleted, 1335 replaced")
        #expect(open.output[2] == "remote  5046 records: 645 added, 482 deleted, 2026 replaced")
        let merged = try RecordFile(path: "\(folder.path)/merged.json")
        #expect(open.output[3].hasPrefix("merged  \(merged.records.count) records: "))
        try merged.check(key: ["code"])
        #expect(try folder.text(of: "merged.json").hasPrefix("{\n  \"3166-2\": [\n    {\n      \"code\": \"AD-02\","))
        let settled = ProgramRun(["merge"] + paths + ["--key", "code", "--policy", "remote"])
        #expect(settled.exitCode == 0)
        #expect(settled.output.last == "No conflict is left open.")
    }
}

extension TemporaryFolder {
    /// Writes a file.
    ///
    /// - Returns: Its path.
    func write(_ text: String, to name: String) throws -> String {
        write(Data(text.utf8), to: name)
        return file(name)
    }

    func text(of name: String) throws -> String {
        String(decoding: try #require(contents(of: name)), as: UTF8.self)
    }
}
