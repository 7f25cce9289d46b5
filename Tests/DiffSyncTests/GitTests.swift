import Foundation
import TestSupport
import Testing

/// `diffsync` as the diff and merge driver of a real git repository.
@Suite(.enabled(if: GitRepository.gitPath != nil, "git is not installed"))
struct GitTests {
    @Test func editsOfDifferentRecordsAndMembersMergeWithoutAConflict() throws {
        let git = try GitRepository()
        try git.write(
            #"{"id": 1, "text": "milk", "done": false}"#, #"{"id": 2, "text": "bread", "done": false}"#,
            to: "notes.jsonl")
        try git.commit("base")
        try git.branch("theirs")
        try git.write(
            #"{"id": 1, "text": "milk", "done": true}"#, #"{"id": 2, "text": "bread", "done": false}"#,
            #"{"id": 4, "text": "jam", "done": false}"#, to: "notes.jsonl")
        try git.commit("theirs")
        try git.switchTo("main")
        try git.write(
            #"{"id": 1, "text": "oat milk", "done": false}"#, #"{"id": 3, "text": "tea", "done": false}"#,
            to: "notes.jsonl")
        try git.commit("ours")
        let merge = try git.run("merge", "--no-edit", "theirs")
        #expect(merge.exitCode == 0, "\(merge.output)")
        #expect(
            Set(try git.lines(of: "notes.jsonl")) == [
                #"{"id": 1, "text": "oat milk", "done": true}"#, #"{"id": 3, "text": "tea", "done": false}"#,
                #"{"id": 4, "text": "jam", "done": false}"#,
            ])
    }

    @Test func recordsStayInTheOrderOfTheCurrentBranch() throws {
        let git = try GitRepository()
        func write(_ ids: Int...) throws {
            try git.write(ids.map { #"{"id": \#($0)}"# }.joined(separator: "\n"), to: "notes.jsonl")
        }
        try write(1, 3, 5, 7)
        try git.commit("base")
        try git.branch("theirs")
        try write(0, 5, 6, 3, 1, 8)
        try git.commit("theirs")
        try git.switchTo("main")
        try write(1, 2, 3, 5, 7, 9)
        try git.commit("ours")
        #expect(try git.run("merge", "--no-edit", "theirs").exitCode == 0)
        #expect(try git.lines(of: "notes.jsonl") == [0, 1, 2, 8, 3, 5, 9, 6].map { #"{"id": \#($0)}"# })
    }

    @Test func realConflictIsLeftBetweenMarkersAndReported() throws {
        let git = try GitRepository()
        let array = { (text: String) in
            """
            [
              {"id": 1, "text": "\(text)"},
              {"id": 2, "text": "bread"}
            ]
            """
        }
        try git.write(array("milk"), to: "notes.json")
        try git.commit("base")
        try git.branch("theirs")
        try git.write(array("soy milk"), to: "notes.json")
        try git.commit("theirs")
        try git.switchTo("main")
        try git.write(array("oat milk"), to: "notes.json")
        try git.commit("ours")
        let merge = try git.run("merge", "--no-edit", "theirs")
        #expect(merge.exitCode == 1)
        #expect(merge.output.contains("diffsync: notes.json: conflicts in 1 record:"))
        #expect(merge.output.contains("id 1: ours and theirs edited it differently; in both: text"))
        #expect(try git.run("status", "--short").output == "UU notes.json\n")
        #expect(
            try git.lines(of: "notes.json") == [
                "[", "<<<<<<< ours", #"  {"id": 1, "text": "oat milk"},"#, "||||||| base",
                #"  {"id": 1, "text": "milk"},"#, "=======", #"  {"id": 1, "text": "soy milk"},"#, ">>>>>>> theirs",
                #"  {"id": 2, "text": "bread"}"#, "]",
            ])
    }

    @Test func branchesThatWereMergedIntoEachOtherHaveAConflictOfRecords() throws {
        let git = try GitRepository()
        let record = { (text: String) in "{\"id\": 1, \"text\": \"\(text)\"}" }
        func commit(_ text: String) throws {
            try git.write(record(text), to: "notes.jsonl")
            try git.commit(text)
        }
        try commit("milk")
        try git.branch("theirs")
        try commit("soy milk")
        try git.run("tag", "theirs-1")
        try git.switchTo("main")
        try commit("oat milk")
        try git.run("tag", "ours-1")
        #expect(try git.run("merge", "--no-edit", "theirs-1").exitCode == 1)
        try commit("oat or soy milk")
        try git.switchTo("theirs")
        #expect(try git.run("merge", "--no-edit", "ours-1").exitCode == 1)
        try commit("soy or oat milk")
        try git.switchTo("main")
        #expect(try git.run("merge", "--no-edit", "theirs").exitCode == 1)
        #expect(
            try git.lines(of: "notes.jsonl") == [
                "<<<<<<< ours", record("oat or soy milk"), "||||||| base", record("milk"), "=======",
                record("soy or oat milk"), ">>>>>>> theirs",
            ])
    }

    @Test func fileThatIsNoJSONStaysAsItIsAndIsConflicted() throws {
        let git = try GitRepository()
        for (branch, text) in [("main", "[]"), ("theirs", "[7"), ("ours", "[8")] {
            if branch != "main" {
                try git.switchTo("main")
                try git.branch(branch)
            }
            try git.write(text, to: "notes.json")
            try git.commit(branch)
        }
        let merge = try git.run("merge", "--no-edit", "theirs")
        #expect(merge.exitCode != 0)
        #expect(merge.output.contains("diffsync: notes.json (ours):2:1: found the end of the file"))
        #expect(try git.lines(of: "notes.json") == ["[8"])
        #expect(try git.run("status", "--short").output == "UU notes.json\n")
    }

    @Test func recordsThatBothSidesAddAreMergedByKey() throws {
        let git = try GitRepository()
        try git.write("x", to: "other.txt")
        try git.commit("base")
        try git.branch("theirs")
        try git.write(#"{"id": 1, "text": "tea"}"#, #"{"id": 2, "text": "jam"}"#, to: "notes.jsonl")
        try git.commit("theirs")
        try git.switchTo("main")
        try git.write(#"{"id": 2, "text": "jam"}"#, #"{"id": 1, "text": "milk"}"#, to: "notes.jsonl")
        try git.commit("ours")
        #expect(try git.run("merge", "--no-edit", "theirs").exitCode == 1)
        #expect(
            try git.lines(of: "notes.jsonl") == [
                #"{"id": 2, "text": "jam"}"#, "<<<<<<< ours", #"{"id": 1, "text": "milk"}"#, "||||||| base", "=======",
                #"{"id": 1, "text": "tea"}"#, ">>>>>>> theirs",
            ])
    }

    /// Merges a file that both branches have changed, and returns git's exit status.
    private func merge(base: String?, ours: String, theirs: String, in git: GitRepository, _ name: String) throws
        -> Int32
    {
        if let base { try git.write(base, to: name) } else { try git.write("x", to: "other.txt") }
        try git.commit("base")
        try git.branch("theirs")
        try git.write(theirs, to: name)
        try git.commit("theirs")
        try git.switchTo("main")
        try git.write(ours, to: name)
        try git.commit("ours")
        return try git.run("merge", "--no-edit", "theirs").exitCode
    }

    @Test func membersBesideTheRecordsAreThoseOfTheSideThatChangedThem() throws {
        let git = try GitRepository()
        let file = { (version: Int, records: String) in "{\"version\": \(version), \"notes\": [\(records)]}" }
        let ours = file(1, #"{"id": 1}, {"id": 2}"#)
        #expect(
            try merge(base: file(1, #"{"id": 1}"#), ours: ours, theirs: file(2, #"{"id": 1}"#), in: git, "a.json") == 0)
        #expect(try git.lines(of: "a.json") == [file(2, #"{"id": 1}, {"id": 2}"#)])
        let empty = try GitRepository()
        #expect(
            try merge(base: file(1, ""), ours: file(2, ""), theirs: file(1, #"{"id": 1}"#), in: empty, "a.json") == 0)
        #expect(try empty.lines(of: "a.json") == [#"{"version": 2, "notes": ["#, #"  {"id": 1}"#, "]}"])
        let both = try GitRepository()
        #expect(try merge(base: file(1, ""), ours: file(2, ""), theirs: file(3, ""), in: both, "a.json") == 1)
        #expect(try both.lines(of: "a.json") == [file(2, "")])
        #expect(try both.run("status", "--short").output == "UU a.json\n")
    }

    @Test func filesWithoutRecordsKeepTheirText() throws {
        let git = try GitRepository()
        let (base, empty) = (#"{"notes": [{"id": 1}], "z": 1}"#, #"{"notes": [ ], "z": 1}"#)
        #expect(try merge(base: base, ours: empty, theirs: #"{"z": 1, "notes": []}"#, in: git, "a.json") == 0)
        #expect(try git.lines(of: "a.json") == [empty])
    }

    @Test func arraysThatBothSidesAddAreMerged() throws {
        let git = try GitRepository()
        #expect(try merge(base: nil, ours: #"[{"id": 1}]"#, theirs: #"[{"id": 2}]"#, in: git, "a.json") == 0)
        #expect(Set(try git.lines(of: "a.json")) == [#"[{"id": 1}, {"id": 2}]"#])
    }

    @Test func conflictHasTheLineEndingsOfTheFile() throws {
        let git = try GitRepository()
        let file = { (text: String) in "[\r\n  {\"id\": 1, \"a\": \"\(text)\"}\r\n]\r" }
        #expect(try merge(base: file("x"), ours: file("y"), theirs: file("z"), in: git, "a.json") == 1)
        let text = try String(contentsOf: git.folder.appendingPathComponent("a.json"), encoding: .utf8)
        #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == text.utf8.count { $0 == UInt8(ascii: "\r") })
        #expect(text.contains("<<<<<<< ours\r\n  {\"id\": 1, \"a\": \"y\"}\r\n||||||| base\r\n"))
    }

    @Test func recordWithALineSeparatorInATextStaysInItsLine() throws {
        let git = try GitRepository()
        let file = { (a: String, b: String) in "{\"id\": 1, \"t\": \"\u{2028}\", \"a\": \(a), \"b\": \(b)}" }
        #expect(try merge(base: file("1", "1"), ours: file("2", "1"), theirs: file("1", "2"), in: git, "a.jsonl") == 0)
        #expect(try git.lines(of: "a.jsonl") == [file("2", "2")])
    }

    @Test func recordOfAnIndentedFileBecomesALineAmongLines() throws {
        let git = try GitRepository()
        let lines = "{\"id\": 1, \"n\": \"a\"}\n{\"id\": 2, \"n\": \"b\"}\n"
        let theirs = """
            [
              {
                "id": 1,
                "n": "a"
              },
              {
                "id": 2,
                "n": "c"
              }
            ]
            """
        let added = #"{"id": 3, "n": "d"}"#
        #expect(try merge(base: lines, ours: lines + added, theirs: theirs, in: git, "people.records") == 0)
        let merged = [#"{"id": 1, "n": "a"}"#, #"{"id": 2, "n": "c"}"#, added]
        #expect(try git.lines(of: "people.records") == merged)
    }

    @Test func lastRecordWithAnEmptyArrayIsNotDeleted() throws {
        let git = try GitRepository()
        let record = #"{"id": 1, "tags": []}"#
        let base = record + "\n" + #"{"id": 2}"#
        let theirs = base + "\n" + #"{"id": 3}"#
        #expect(try merge(base: base, ours: record, theirs: theirs, in: git, "people.records") == 1)
        #expect(try git.lines(of: "people.records") == [record])
        #expect(try git.run("status", "--short").output == "UU people.records\n")
    }

    @Test func textsAreComparedScalarByScalar() throws {
        let git = try GitRepository()
        let (composed, decomposed) = ("{\"id\": \"\u{E9}\"", "{\"id\": \"e\u{301}\"}")
        #expect(
            try merge(
                base: composed + "}", ours: composed + "}\n" + decomposed, theirs: composed + ", \"a\": 1}", in: git,
                "a.jsonl") == 0)
        let lines = try git.lines(of: "a.jsonl").map { Array($0.unicodeScalars) }
        #expect(lines == [composed + ", \"a\": 1}", decomposed].map { Array($0.unicodeScalars) })
    }

    @Test func namesAreComparedScalarByScalar() throws {
        let git = try GitRepository()
        let (composed, decomposed) = ("{\"id\": 1, \"\u{E9}\": 1}", "{\"id\": 1, \"e\u{301}\": 1}")
        let (plain, edited) = ("{\"id\": 2, \"n\": 1, \"\u{E9}\": 1}", "{\"id\": 2, \"n\": 2, \"\u{E9}\": 1}")
        let renamed = "{\"id\": 2, \"n\": 1, \"e\u{301}\": 1}"
        #expect(
            try merge(
                base: composed + "\n" + plain, ours: composed + "\n" + edited, theirs: decomposed + "\n" + renamed,
                in: git, "a.jsonl") == 0)
        let lines = try git.lines(of: "a.jsonl").map { Array($0.unicodeScalars) }
        let merged = "{\"id\": 2, \"n\": 2, \"e\u{301}\": 1}"
        #expect(lines == [decomposed, merged].map { Array($0.unicodeScalars) })
    }

    @Test func diffShowsRecords() throws {
        let git = try GitRepository()
        try git.write(#"{"id": 1, "text": "milk"}"#, to: "notes.jsonl")
        try git.commit("base")
        try git.write(#"{"text": "tea", "id": 2}"#, #"{"id": 1, "text": "oat milk"}"#, to: "notes.jsonl")
        #expect(
            try git.run("diff").output == """
                notes.jsonl, by id
                1 record → 2: 1 added, 1 replaced

                + {id: 2, text: "tea"}
                ~ {id: 1, text: "milk" → "oat milk"}

                """)
        try git.run("add", ".")
        #expect(try git.run("diff", "--cached").output.contains("1 added, 1 replaced"))
        try FileManager.default.removeItem(at: git.folder.appendingPathComponent("notes.jsonl"))
        #expect(try git.run("diff").output.contains("2 records → 0: 2 deleted"))
    }

    @Test func textconvShowsRecordsInAStableOrder() throws {
        let git = try GitRepository()
        try git.run("config", "--unset", "diff.records.command")
        try git.run("config", "diff.records.textconv", "'\(ChildProcess.path(of: "diffsync"))' textconv --key id")
        try git.write(#"{"id": 1, "text": "milk"}"#, #"{"id": 2, "text": "tea"}"#, to: "notes.jsonl")
        try git.commit("base")
        try git.write(#"{"text": "tea", "id": 2}"#, #"{"id": 1, "text": "oat milk"}"#, to: "notes.jsonl")
        let lines = try git.run("diff").output.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("+{") } == [#"+{"id": 1, "text": "oat milk"}"#])
        #expect(lines.filter { $0.hasPrefix("-{") } == [#"-{"id": 1, "text": "milk"}"#])
    }
}

/// A git repository in a temporary folder, with `diffsync` as its driver.
final class GitRepository {
    let folder: URL

    static let gitPath = ["/usr/bin/git", "/usr/local/bin/git", "/opt/homebrew/bin/git"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("GitTests-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try run("init", "--quiet")
        try run("symbolic-ref", "HEAD", "refs/heads/main")
        let tool = "'\(try ChildProcess.path(of: "diffsync"))'"
        try run("config", "diff.records.command", "\(tool) git-diff --key id --plain")
        try run("config", "merge.records.driver", "\(tool) git-merge --key id --path %P %O %A %B")
        try run("config", "merge.records.recursive", "binary")
        let names = ["*.json", "*.jsonl", "*.records"]
        try write(names.map { "\($0) diff=records merge=records\n" }.joined(), to: ".gitattributes")
        try commit("attributes")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ lines: String..., to name: String) throws {
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: folder.appendingPathComponent(name))
    }

    func lines(of name: String) throws -> [String] {
        String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    func commit(_ message: String) throws {
        try run("add", ".")
        try run("commit", "--quiet", "--message", message)
    }

    func branch(_ name: String) throws { try run("checkout", "--quiet", "-b", name) }

    func switchTo(_ name: String) throws { try run("checkout", "--quiet", name) }

    /// Runs git without the user's settings.
    @discardableResult
    func run(_ words: String...) throws -> (exitCode: Int32, output: String) {
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
        environment["GIT_CONFIG_GLOBAL"] = "/dev/null"
        environment["GIT_CONFIG_NOSYSTEM"] = "1"
        environment["LC_ALL"] = "C"
        let process = try ChildProcess(
            #require(GitRepository.gitPath),
            ["-c", "user.name=Test", "-c", "user.email=test@mail.example", "--no-pager"] + words, in: folder.path,
            environment: environment, mergesErrors: true)
        let run = process.finish()
        return (run.exitCode, run.output)
    }
}
