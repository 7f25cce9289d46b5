import Foundation
import SyncValues
import Testing

struct ValueCoderTests {
    /// The value with whole numbers as integers, as which Foundation writes them.
    private func plain(_ value: Value) throws -> Value {
        switch value {
        case .double(let number): return Int64(exactly: number).map { .integer($0) } ?? value
        case .decimal(let number): return Int64("\(number)").map { .integer($0) } ?? value
        case .array(let elements): return .array(try elements.map(plain))
        case .object(let object):
            return .object(ValueObject(try object.members.map { .init(name: $0.name, value: try plain($0.value)) }))
        default: return value
        }
    }

    /// Expects that Foundation's coders and ours make the same of something, and read what the others have written.
    private func expectAgreement<Content: Codable & Equatable>(_ content: Content) throws {
        let value = try ValueEncoder().encode(content)
        let json = try JSONEncoder().encode(content)
        var options = JSONOptions()
        options.readsDecimals = true
        let ours = try Value(json: value.jsonBytes(), options: options)
        #expect(try plain(ours) == plain(Value(json: json, options: options)), "\(value)")
        #expect(try ValueDecoder().decode(Content.self, from: value) == content)
        #expect(try ValueDecoder().decode(Content.self, from: Value(json: json, options: options)) == content)
        #expect(try JSONDecoder().decode(Content.self, from: Data(value.jsonBytes())) == content)
    }

    @Test func scalarsAreAsForJSONEncoder() throws {
        try expectAgreement(Scalars())
        try expectAgreement(5)
        try expectAgreement("text")
        try expectAgreement([true, false])
        try expectAgreement(Kind.one)
    }

    @Test func containersAreAsForJSONEncoder() throws {
        try expectAgreement(Containers())
        try expectAgreement(Flattened())
        try expectAgreement([Nothing(), Nothing()])
        try expectAgreement(Dictionary(uniqueKeysWithValues: (0..<40).map { ("key \($0)", $0) }))
        try expectAgreement(["\u{E9}": 1, "b": 2])
    }

    @Test func whatAClassInheritsIsUnderSuper() throws {
        let value = try ValueEncoder().encode(Dog())
        #expect(value == ["age": 3, "super": ["name": "Rex"]])
        let dog = try ValueDecoder().decode(Dog.self, from: ["age": 4, "super": ["name": "Ada"]])
        #expect(dog.age == 4)
        #expect(dog.name == "Ada")
    }

    struct Native: Codable, Equatable {
        var data = Data([1, 2, 3])
        var date = Date(timeIntervalSinceReferenceDate: 788_918_400.25)
        var uuid = UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")!
        var url = URL(string: "https://example.org/a?b=c")!
        var decimal = Decimal(string: "0.1")!
        var value: Value = ["x": .date(Date(timeIntervalSinceReferenceDate: 0)), "y": [1.0, nil]]
    }

    @Test func whatAValueHasCasesForStaysAsItIs() throws {
        let native = Native()
        let value = try ValueEncoder().encode(native)
        #expect(
            value == [
                "data": .bytes(native.data), "date": .date(native.date), "uuid": .uuid(native.uuid),
                "url": .url(native.url), "decimal": .decimal(native.decimal), "value": native.value,
            ])
        #expect(try ValueDecoder().decode(Native.self, from: value) == native)
    }

    @Test func formsOfJSONAreReadToo() throws {
        let decoded = try ValueDecoder().decode(
            Native.self,
            from: [
                "data": "AQID", "date": "2026-01-01T02:00:00.25+02:00", "uuid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
                "url": "https://example.org/a?b=c", "decimal": 0.1, "value": ["x": 1],
            ])
        var native = Native()
        native.value = ["x": 1]
        #expect(decoded == native)
        #expect(try ValueDecoder().decode(String.self, from: .uuid(native.uuid)) == native.uuid.uuidString)
        #expect(try ValueDecoder().decode(String.self, from: .date(native.date)) == "2026-01-01T00:00:00.25Z")
        #expect(try ValueDecoder().decode(String.self, from: .url(native.url)) == "https://example.org/a?b=c")
        #expect(try ValueDecoder().decode(String.self, from: .bytes(native.data)) == "AQID")
    }

    @Test func datesOfTextAreThoseThatAreWritten() throws {
        for seconds in [-63_145_526_400, -1, -0.5, 0, 0.000001, 68_169_599, 68_169_600, 252_423_993_599.5] {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let text = try String(Value.date(date).json.dropFirst().dropLast())
            #expect(try ValueDecoder().decode(Date.self, from: .string(text)) == date, "\(text)")
        }
        for (text, seconds) in [
            ("2001-01-01 00:00:00z", 0), ("2001-01-01t00:00:00-01:30", 5_400), ("2000-02-29T00:00:00Z", -26_524_800),
            ("2001-01-01T00:00:00.1234567890123456789Z", 0.123456789012345678), ("2001-01-01", 0),
            ("2001-01-01T00:00:00", 0), ("2001-01-01T00:00:00+0100", -3_600),
        ] {
            let date = try ValueDecoder().decode(Date.self, from: .string(text))
            #expect(date.timeIntervalSinceReferenceDate == seconds, "\(text)")
        }
        for text in [
            "", "2001", "2001-02-29T00:00:00Z", "2001-13-01T00:00:00Z",
            "2001-00-01T00:00:00Z", "2001-01-00T00:00:00Z", "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z",
            "2001-01-01T00:00:60Z", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00Z ",
            "2001-01-01T00:00:00+24:00", "1900-02-29T00:00:00Z",
        ] {
            #expect(throws: DecodingError.self, "\(text)") {
                try ValueDecoder().decode(Date.self, from: .string(text))
            }
        }
    }

    @Test func integersAreReadFromEveryWholeNumberThatFits() throws {
        let decoder = ValueDecoder()
        #expect(try decoder.decode(Int8.self, from: -128) == -128)
        #expect(try decoder.decode(UInt8.self, from: 3.0) == 3)
        #expect(try decoder.decode(UInt64.self, from: .decimal(Decimal(string: "1e19")!)) == 10_000_000_000_000_000_000)
        #expect(try decoder.decode(Int.self, from: .decimal(-5)) == -5)
        #expect(try decoder.decode(Double.self, from: 3) == 3)
        #expect(try decoder.decode(Float.self, from: .decimal(Decimal(string: "0.1")!)) == 0.1)
        #expect(try ValueEncoder().encode(Float(0.1)) == 0.1)
        #expect(try ValueEncoder().encode(UInt64.max) == .decimal(Decimal(string: "18446744073709551615")!))
        for value: Value in [128, -129, 1.5, 1e300, .decimal(Decimal(string: "0.5")!), .double(.nan)] {
            #expect(throws: DecodingError.self, "\(value)") { try decoder.decode(Int8.self, from: value) }
        }
        #expect(throws: DecodingError.self) { try decoder.decode(UInt.self, from: -1) }
        #expect(throws: DecodingError.self) { try decoder.decode(Float.self, from: 1e300) }
        #expect(throws: DecodingError.self) { try decoder.decode(Bool.self, from: 1) }
        #expect(throws: DecodingError.self) { try decoder.decode(Int.self, from: "1") }
    }
}
