import Foundation

/// Types of every form that coding has, to be compared with what Foundation's coders make of them.
struct Scalars: Codable, Equatable {
    var bool = true
    var int = -7
    var int8 = Int8.min
    var int16 = Int16.max
    var int32 = Int32.min
    var int64 = Int64.max
    var uint = UInt(3)
    var uint8 = UInt8.max
    var uint16 = UInt16.max
    var uint32 = UInt32.max
    var uint64 = UInt64.max
    var float: Float = 0.1
    var double = 9.75
    var whole = 3.0
    var decimal = Decimal(string: "1234567890.123456789012345678")!
    var text = "a \"quoted\" \u{1F600}\n"
    var optional: Int?
    var present: Int? = 5
}

enum Kind: String, Codable, CodingKeyRepresentable { case one, two }

enum Payload: Codable, Equatable {
    case empty
    case single(Int)
    case named(x: Double, y: String?)
    indirect case nested(Payload, [Payload])
}

struct Containers: Codable, Equatable {
    var list = [1, 2, 3]
    var lists = [[1], [], [2, 3]]
    var optionals: [Int?] = [1, nil, 3]
    var byText = ["a": 1, "b": 2]
    var byInt = [1: "a", -2: "b"]
    var byKind: [Kind: Int] = [.one: 1, .two: 2]
    var byFloat: [Double: String] = [1.5: "x"]
    var set: Set<Int> = [5]
    var kind = Kind.two
    var payloads: [Payload] = [.empty, .single(1), .named(x: 0.5, y: nil), .nested(.empty, [.single(2)])]
    var range = 1...5
    var nothing: [String: String] = [:]
    var empty = Nothing()
}

struct Nothing: Codable, Equatable {}

class Animal: Codable {
    var name = "Rex"
}

final class Dog: Animal {
    var age = 3

    enum CodingKeys: String, CodingKey { case age }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        age = try container.decode(Int.self, forKey: .age)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(age, forKey: .age)
        try super.encode(to: container.superEncoder())
    }
}

/// Uses nested containers of both kinds, one of them twice.
struct Flattened: Codable, Equatable {
    var x = 1
    var y = 2
    var z = [3, 4]
    var w = "w"

    enum Outer: String, CodingKey { case inner, list }
    enum Inner: String, CodingKey { case x, y }

    init() {}

    func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: Outer.self)
        var inner = outer.nestedContainer(keyedBy: Inner.self, forKey: .inner)
        try inner.encode(x, forKey: .x)
        var again = outer.nestedContainer(keyedBy: Inner.self, forKey: .inner)
        try again.encode(y, forKey: .y)
        var list = outer.nestedUnkeyedContainer(forKey: .list)
        var numbers = list.nestedUnkeyedContainer()
        for number in z { try numbers.encode(number) }
        var object = list.nestedContainer(keyedBy: Inner.self)
        try object.encode(w, forKey: .x)
        try list.encodeNil()
        try "last".encode(to: list.superEncoder())
    }

    init(from decoder: any Decoder) throws {
        let outer = try decoder.container(keyedBy: Outer.self)
        let inner = try outer.nestedContainer(keyedBy: Inner.self, forKey: .inner)
        x = try inner.decode(Int.self, forKey: .x)
        y = try inner.decode(Int.self, forKey: .y)
        var list = try outer.nestedUnkeyedContainer(forKey: .list)
        var numbers = try list.nestedUnkeyedContainer()
        z = []
        while !numbers.isAtEnd { z.append(try numbers.decode(Int.self)) }
        w = try list.nestedContainer(keyedBy: Inner.self).decode(String.self, forKey: .x)
        guard try list.decodeNil(), try String(from: list.superDecoder()) == "last", list.isAtEnd else {
            throw DecodingError.dataCorruptedError(in: list, debugDescription: "no end")
        }
    }
}

/// A list as long as one likes, each element of which is in the one before.
final class Chain: Codable {
    var next: Chain?

    init(length: Int) {
        for _ in 0..<length {
            let link = Chain(length: 0)
            link.next = next
            next = link
        }
    }
}
