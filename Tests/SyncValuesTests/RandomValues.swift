import DifferentialSyncTesting
import Foundation
import SyncValues

/// Values on both sides of every border that an implementation may have, of all cases.
let trickyValues: [Value] = {
    let doubles: [Double] = [
        .nan, .infinity, -.infinity, 0, -0.0, 1, -1, 0.1, 1.5, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0x1p53,
        0x1p63, -0x1p63,
        0x1p64, 9_223_372_036_854_774_784, 1e16, 1e22, 1e23, 1e100, 1e-7, 123_456.789, 0x1p-1022,
    ]
    let decimals = [
        "0", "1", "-1", "0.1", "1.5", "9007199254740993", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "340282366920938463463374607431768211455",
        "-340282366920938463463374607431768211455e127",
        "1e-128", "1e100", "100000000000000000000000000000000000000e127", "0.1000000000000000055511151231257827",
        "18446744073709551616",
        "99999999999999999999999999999999999999",
    ].compactMap { Decimal(string: $0) }
    let texts = [
        "", "a", "b", "ab", "\u{0}", "\"\\/\u{8}\u{C}\n\r\t\u{1F}\u{7F}", "\u{E9}", "e\u{301}",
        "\u{1F468}\u{200D}\u{1F469}",
        "\u{FFFF}", "\u{10000}", "\u{FEFF}", "\u{2028}", "12345678", "123456789", "1234567890123456",
        "12345678901234567",
        String(repeating: "long ", count: 20), "$date", "date", "nan",
    ]
    var values: [Value] = [
        .null, .bool(false), .bool(true), [], [[]], [.null], [1, "a"], [1], [1.0], [:], ["a": .null],
    ]
    values += [
        ["": 1], ["a": 1, "b": 2], ["b": 2, "a": 1], ["a": 1], ["a": 1.0], ["date": 5], ["\u{E9}": 1, "e\u{301}": 2],
    ]
    values += [Int64.min, -1, 0, 1, 2, 0x1F_FFFF_FFFF_FFFF, 0x20_0000_0000_0001, .max - 1, .max].map { .integer($0) }
    values += doubles.map { .double($0) }
    values += decimals.map { .decimal($0) } + [.decimal(.nan)]
    values += texts.map { .string($0) }
    values += texts.map { .bytes(Data($0.utf8)) } + [.bytes(Data([0, 255, 128]))]
    values += doubles.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    values += [0, 1, 128, 255].map { byte in
        .uuid(UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte)))
    }
    values += ["https://example.org/a?b=c#d", "a", "file:///tmp/%20", "mailto:a@b.c", "1", "nan"].map {
        .url(URL(string: $0)!)
    }
    return values
}()

extension SeededGenerator {
    /// Any value, with containers in containers down to a depth.
    mutating func value(depth: Int = 3) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 16 : 12), using: &self) {
        case 0: .null
        case 1: .bool(happens(0.5))
        case 2: .integer(Int64(truncatingIfNeeded: next()) >> Int.random(in: 0..<64, using: &self))
        case 3: .double(double())
        case 4: .decimal(decimal())
        case 5, 6: .string(text())
        case 7: .bytes(Data((0..<Int.random(in: 0..<40, using: &self)).map { _ in UInt8(truncatingIfNeeded: next()) }))
        case 8: .date(Date(timeIntervalSinceReferenceDate: double()))
        case 9: .uuid(uuid())
        case 10: .url(URL(string: "https://example.org/\(next())?\(next())")!)
        case 11: trickyValues[Int.random(in: trickyValues.indices, using: &self)]
        case 12, 13: .array((0..<Int.random(in: 0..<5, using: &self)).map { _ in value(depth: depth - 1) })
        default:
            .object(
                ValueObject(
                    (0..<Int.random(in: 0..<5, using: &self)).map { _ in
                        ValueObject.Member(name: text(), value: value(depth: depth - 1))
                    }))
        }
    }

    /// A value that plain JSON has a form for.
    mutating func plainValue(depth: Int = 3) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &self) {
        case 0: .null
        case 1: .bool(happens(0.5))
        case 2: .integer(Int64(truncatingIfNeeded: next()) >> Int.random(in: 0..<64, using: &self))
        case 3: .double(finiteDouble())
        case 4: .string(text())
        case 5, 6: .array((0..<Int.random(in: 0..<5, using: &self)).map { _ in plainValue(depth: depth - 1) })
        default:
            .object(
                ValueObject(
                    (0..<Int.random(in: 0..<5, using: &self)).map { _ in
                        ValueObject.Member(name: text(), value: plainValue(depth: depth - 1))
                    }))
        }
    }

    /// A number of any bits or of few digits.
    mutating func double() -> Double {
        happens(0.5) ? Double(bitPattern: next()) : Double(Int.random(in: -99999...99999, using: &self)) / 100
    }

    /// A number that is neither infinite nor none.
    mutating func finiteDouble() -> Double {
        let number = double()
        return number.isFinite ? number : 1.5
    }

    /// A decimal of up to 128 bits with any exponent that it may have.
    mutating func decimal() -> Decimal {
        let digits = (0..<Int.random(in: 1...38, using: &self)).map { _ in "\(next() % 10)" }.joined()
        let exponent = happens(0.5) ? Int.random(in: -128...127, using: &self) : Int.random(in: -4...4, using: &self)
        return Decimal(string: "\(happens(0.5) ? "-" : "")\(digits)e\(exponent)") ?? Decimal(Int(next() % 100))
    }

    /// Text of up to 24 scalars, plain or from everywhere.
    mutating func text() -> String {
        let isPlain = happens(0.5)
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...24, using: &self) {
            let range: ClosedRange<UInt32> = isPlain ? 97...122 : happens(0.5) ? 0...0x17F : 0...0x10FFFF
            scalars.append(Unicode.Scalar(UInt32.random(in: range, using: &self)) ?? "\u{FFFD}")
        }
        return String(scalars)
    }

    /// Any sixteen bytes.
    mutating func uuid() -> UUID {
        var bytes = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)).uuid
        withUnsafeMutableBytes(of: &bytes) { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: next()) }
        }
        return UUID(uuid: bytes)
    }
}
