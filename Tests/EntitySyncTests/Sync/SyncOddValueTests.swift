import EntitySync
import SyncPersistence
import Testing

/// Values and forms of JSON text that concern one attribute alone, or none.
struct SyncOddValueTests {
    static func schema() throws -> Schema {
        try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("age", .integer)
                Attribute("size", .double)
                Attribute("price", .decimal)
                Attribute("text", .string)
                Attribute("extra", .json)
                Relationship("notes", toMany: "Note", isOrdered: true, inverse: "user")
            }
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("user", to: "User", inverse: "notes")
            }
        }
    }

    @Test(arguments: StoreKind.allCases, ["-0.0", "\"-0.0\"", "\"-0e5\"", "-0"])
    func signOfAZeroIsKeptByNoStore(kind: StoreKind, zero: String) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Point") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("x", .double)
                }
            })
        try await store.sync("[{\"id\": 1, \"x\": \(zero)}]", into: "Point")
        #expect(try await store.value("Point", 1, "x").description == "0.0")
    }

    @Test(arguments: StoreKind.allCases)
    func numberBeyondAllDoublesConcernsItsAttributeAlone(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let unknown = try await store.sync(#"[{"id": 1, "age": 3, "unknown": 1e400}]"#, into: "User")
        #expect(unknown.reports.isEmpty)
        #expect(try await store.value("User", 1, "age") == 3)
        let json = #"{"id": 1, "age": 1e400, "size": -1e400, "price": 1e400, "text": 1e400, "extra": [1e400]}"#
        let result = try await store.sync(json, into: "User")
        #expect(Set(result.reports.map(\.path)) == ["age", "size", "price", "text", "extra"].mapSet { "[0].\($0)" })
        #expect(result.reports.allSatisfy { $0.kind == .unconvertible })
        #expect(result.reports.first?.found == "a number that no double holds")
        #expect(result.isUnchanged)
        let key = try await store.sync(#"[{"id": 1e400}, {"id": 1}]"#, into: "User")
        #expect(key.reports.map(\.path) == ["[0].id"])
    }

    @Test(arguments: StoreKind.allCases)
    func byteOrderMarkIsPassedOver(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        for json in ["\u{FEFF}[{\"id\": 1}]", "\u{FEFF}{\"id\": 1}", "\u{FEFF} {\"id\": 1}\n{\"id\": 2}"] {
            let result = try await store.sync(json, into: "User")
            #expect(result.reports.isEmpty)
            #expect(try await store.keys("User").first == 1)
        }
        await #expect(throws: JSONError.self) { try await store.sync("[\u{FEFF}{\"id\": 1}]", into: "User") }
    }

    @Test(arguments: StoreKind.allCases)
    func unknownKeysOfARepeatedPayloadAreListed(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let objects = { (last: String) in
            (1...40).map { #"{"id": \#($0), "notes": [{"id": \#($0), "a": 1}], "\#($0 == 40 ? last : "b")": 1}"# }
        }
        let json = "[\(objects("c").joined(separator: ", "))]"
        for _ in 0..<3 {
            let result = try await store.sync(json, into: "User")
            #expect(result.unknownKeys == ["User": ["b", "c"], "Note": ["a"]])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func truthValueIsNoKey(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let result = try await store.sync(#"[{"id": true}, {"id": 2, "notes_ids": [true]}]"#, into: "User")
        #expect(result.reports.map(\.path) == ["[0].id", "[1].notes_ids[0]"])
        #expect(try await store.keys("User") == [2])
    }

    @Test(arguments: StoreKind.allCases)
    func zeroHasNoSign(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(#"[{"id": 1, "size": -0.0}]"#, into: "User")
        guard case .double(let size) = try await store.value("User", 1, "size") else { return #expect(Bool(false)) }
        #expect(size.sign == .plus)
    }

    @Test
    func textThatLooksLikeANumberIsRefusedWithTheReason() async throws {
        let store = try await SyncStore(.inMemory, Self.schema())
        let result = try await store.sync(
            #"[{"id": 1, "age": "01", "size": "+5", "price": 1e-130}, {"id": 2, "age": "x"}]"#, into: "User")
        #expect(
            result.reports.map(\.expected) == [
                "an integer of 64 bits, in text without a plus or zeros before it",
                "a number that a double holds, in text without a plus or zeros before it",
                "a decimal number of up to 38 digits and an exponent from -128 to 127", "an integer of 64 bits",
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func keyOfParentsAndExportsIsConverted(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(#"[{"id": 1}]"#, into: "User")
        try await store.sync(#"[{"id": 1}]"#, into: "Note", parent: RecordID("User", "1"))
        #expect(try await store.members("User", 1, "notes") == [1])
        #expect(try await store.adapter.export(RecordID("User", "1")) != nil)
        #expect(try await store.adapter.export(RecordID("User", "x")) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func namesOfTheLibraryAreNotAmongChangedProperties(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(#"[{"id": 1, "notes": [{"id": 1}, {"id": 2}]}]"#, into: "User")
        let result = try await store.sync(#"[{"id": 1, "notes": [{"id": 2}, {"id": 1}]}]"#, into: "User")
        #expect(!result.isUnchanged)
        #expect(!result["Note"].updated.contains { $0.properties.contains { $0.hasPrefix("sync.") } })
    }

    @Test
    func reportOfASingleObjectHasNoIndexInItsPath() async throws {
        let store = try await SyncStore(.inMemory, Self.schema())
        let result = try await store.adapter.insertOrUpdate(["id": 1, "age": "old"], into: "User").result
        #expect(result.reports.map(\.path) == ["age"])
        let synced = try await store.adapter.update("User", 1, with: ["id": nil, "age": 4])
        let (record, update) = (synced.record, synced.result)
        #expect(update.reports.map(\.path) == ["id"])
        #expect(update.reports.map(\.kind) == [.missingValue])
        #expect(record?["age"] == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func integersBeyond64BitsAreExactTexts(kind: StoreKind) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Post") {
                    Attribute("id", .string, isPrimaryKey: true)
                    Attribute("text", .string)
                }
            })
        let json = #"[{"id": 12345678901234567890, "text": 98765432109876543210}, {"id": 12345678901234567891}]"#
        #expect(try await store.sync(json, into: "Post").reports.isEmpty)
        #expect(try await store.keys("Post") == ["12345678901234567890", "12345678901234567891"])
        #expect(try await store.value("Post", "12345678901234567890", "text") == "98765432109876543210")
    }
}

extension Array {
    fileprivate func mapSet<Result: Hashable>(_ body: (Element) -> Result) -> Set<Result> { Set(map(body)) }
}
