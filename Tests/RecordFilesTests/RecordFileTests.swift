import RecordFiles
import Testing

struct RecordFileTests {
    static func file(_ text: String) throws(InputError) -> RecordFile {
        try RecordFile(text: Array(text.utf8), name: "A.json")
    }

    static func error(_ text: String, key: [MemberName] = ["code"]) -> String? {
        do throws(InputError) {
            try file(text).check(key: key)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func linesAfterAByteOrderMarkAreRecords() throws {
        let text = "\u{FEFF}{\"id\": 1}\n{\"id\": 2}\n"
        #expect(try RecordFile(text: Array(text.utf8), name: "A.records").records.count == 2)
    }

    @Test func recordsStandInAnArrayOrInAnObjectWithOne() throws {
        let records: [Record] = [["code": "AD"], ["code": "AE", "n": .number("1")]]
        #expect(try Self.file(#"[{"code": "AD"}, {"code": "AE", "n": 1}]"#).records == records)
        #expect(try Self.file(#"{"v": 2, "l": [{"code": "AD"}, {"code": "AE", "n": 1}]}"#).records == records)
        #expect(try Self.file("[]").records == [])
        #expect(try Self.file(#"{"l": []}"#).records == [])
    }

    @Test(arguments: [
        ("[{]", "A.json:1:3: found ']', expected a name or '}'"),
        ("7", "A.json:1:1: found a number; expected an array of records, or an object with one"),
        (
            "{\"a\":\n1}",
            "A.json:1:1: found an object without an array; expected an array of records, or an object with one"
        ),
        (
            #"{"b": [], "a": []}"#,
            #"A.json:1:1: found an object with 2 arrays, "a", "b"; expected an array of records, or an object with one"#
        ),
        ("[{\"code\": 1},\n  7]", "A.json:2:3: record 2 is a number, expected an object"),
        (
            "{\"l\": [{\"code\": 1},\n  null]}",
            "A.json:2:3: record 2 is null, expected an object"
        ),
        (
            "[{\"code\": 1},\n  {\"type\": 2, \"name\": 3}]",
            #"A.json:2:3: record 2 has no "code", which is part of the key; it has "name", "type""#
        ),
        ("[{}]", #"A.json:1:2: record 1 has no "code", which is part of the key; it has no members"#),
        (
            #"[{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1}]"#,
            #"A.json:1:2: record 1 has no "code", which is part of the key; it has "a", "b", "c", "d", "e", "f", "g", "#
                + #""h", "i", "j", "k", "l", …"#
        ),
        (
            #"[{"code": null}]"#,
            #"A.json:1:2: record 1 has null for "code", expected a string, a number or a boolean, as it is part of "#
                + "the key"
        ),
        (
            #"[{"code": []}]"#,
            #"A.json:1:2: record 1 has an array for "code", expected a string, a number or a boolean, as it is part "#
                + "of the key"
        ),
        (
            "[{\"code\": \"AD\"},\n\n{\"code\": \"AE\"},\n{\"code\": \"AD\", \"n\": 1}]",
            #"A.json:4:1: record 3 has the key "AD", as has record 1 in line 1, which differs from it: make the keys "#
                + "unique, or name a key of more parts: --key a,b"
        ),
    ])
    func errorsSayWhatIsWhere(text: String, error: String) {
        #expect(Self.error(text) == error)
    }

    @Test func keysOfSeveralParts() {
        let text = #"[{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"b": "x", "a": 1, "c": true}]"#
        #expect(
            Self.error(text, key: ["a", "b"])
                == #"A.json:1:42: record 3 has the key 1, "x", as has record 1 in line 1, which differs from it: make "#
                + "the keys unique, or name a key of more parts: --key a,b")
        #expect(Self.error(#"[{"a": 1, "b": "x"}, {"a": 1, "b": "y"}]"#, key: ["a", "b"]) == nil)
        #expect(Self.error(#"[{"a": 1, "b": 2}, {"a": 2, "b": 1}]"#, key: ["a", "b"]) == nil)
        #expect(
            Self.error(#"[{"a": 1}]"#, key: ["a", "b"])
                == #"A.json:1:2: record 1 has no "b", which is part of the key; it has "a""#)
    }

    @Test func equalRecordsCountOnce() {
        #expect(Self.error(#"[{"code": 1, "n": 2}, {"n": 2, "code": 1}]"#) == nil)
        #expect(Self.error(#"[{"code": 1}, {"code": "1"}, {"code": 1.0}]"#) == nil, "these are three keys")
    }

    @Test func errorsDoNotObeyWhatTheyQuote() {
        #expect(
            Self.error("[{\"\\u001b[31m\": 1}]")
                == #"A.json:1:2: record 1 has no "code", which is part of the key; it has "\u001B[31m""#)
        #expect("\(InputError("x", in: "\u{1B}A"))" == "\u{FFFD}A: x")
    }

    @Test func theFormIsKept() throws {
        let bare = try Self.file(#"[{"code": 1}]"#)
        #expect(
            bare.text(holding: [["a": "b", "code": "c"]], key: ["code"]) == """
                [
                  {
                    "code": "c",
                    "a": "b"
                  }
                ]

                """)
        let wrapped = try Self.file(#"{"version": 2, "list": [{"code": 1}]}"#)
        #expect(
            wrapped.text(holding: [], key: ["code"]) == """
                {
                  "list": [],
                  "version": 2
                }

                """)
    }

    @Test func formWritesARecordWithoutLookingAtTheFile() throws {
        let form = try Self.file("[\r\n  {\r\n    \"id\": 1\r\n  }\r\n]\r\n").textForm
        #expect(form.newline == "\r\n")
        #expect(form.separator == ",\r\n  ")
        #expect(
            form.text(of: ["n": .null, "id": .number("2")], likeTextOf: nil, first: ["id"])
                == "{\r\n    \"id\": 2,\r\n    \"n\": null\r\n  }")
    }

    @Test func jsonLinesAreReadAndWritten() throws {
        let text = "{\"code\": 1}\n\n  {\"code\": 2, \"n\": [1]}\r\n"
        let file = try Self.file(text)
        #expect(file.isLines)
        #expect(file.records == [["code": .number("1")], ["code": .number("2"), "n": .array([.number("1")])]])
        #expect(file.text(at: 1) == #"{"code": 2, "n": [1]}"#)
        #expect(file.text(holding: [["n": "x", "code": "y"]], key: ["code"]) == "{\"code\": \"y\", \"n\": \"x\"}\n")
        #expect(try Self.file(#"{"code": 1}"#).records.count == 1, "one line")
        #expect(try Self.file(" \n").records == [])
        #expect(Self.error("{\"code\": 1}\n{\"code\": }") == "A.json:2:10: found '}', expected a value")
        #expect(
            Self.error("{\"code\": 1}\n{\"code\": 2, \"code\": 3}")
                == #"A.json:2:13: found the name "code" again, expected it once in an object, as at 2:2"#)
        #expect(
            Self.error("{\"code\": 1}\n{\"code\": \"x")
                == "A.json:2:12: found the end of the file, expected '\"' to end the string that begins at 2:10")
        #expect(Self.error("{\"code\": 1}\n7") == "A.json:2:1: record 2 is a number, expected an object")
    }

    @Test func recordWithAnArrayIsNoFileOfRecordsAmongLines() throws {
        let lines = try Self.file("{\"id\": 1, \"l\": []}\n{\"id\": 2}\n")
        let record = try Self.file("{\"id\": 1, \"l\": []}\n")
        let error = InputError(
            "found an object with the array \"l\" and the key beside it, and another file has JSON lines: if the "
                + "object is a record, add --lines", in: "A.json")
        for (base, ours, theirs) in [(record, lines, lines), (lines, record, lines), (lines, lines, record)] {
            #expect(throws: error) {
                _ = try RecordFile.form(base: base, ours: ours, theirs: theirs, key: ["id"])
            }
        }
        #expect(try RecordFile.form(base: lines, ours: record, theirs: lines, key: ["code"]).isLines == false)
        #expect(try RecordFile.form(base: record, ours: record, theirs: record, key: ["id"]).records == [])
    }

    @Test func membersKeepTheirOrder() {
        #expect(
            JSONLine.memberNames(of: #"{"b": {"x": ":"}, "a\"\u0041": [{"y": 1}], "c" : 2}"#) == ["b", "a\"A", "c"])
        #expect(
            JSONLine(order: ["b", "a"], isCompact: true).text(
                of: .object(["a": "1", "b": .array([.null, "x"]), "c": .bool(true)]))
                == #"{"b":[null,"x"],"a":"1","c":true}"#)
    }
}
