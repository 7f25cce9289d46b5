import Foundation
import SyncPersistence

/// What is in a value: the same for all readers that read the same.
struct JSONTally: CustomStringConvertible {
    private var containers = 0
    private var nulls = 0
    private var textBytes = 0
    /// A thousand times the sum of all numbers and truth values.
    private var sum = 0

    var description: String {
        "\(containers) arrays and objects, \(nulls) nulls, \(textBytes) bytes of text, a sum of \(sum)"
    }

    init(_ value: Value) { add(value) }
    init(_ value: DecodedValue) { add(value) }
    init(foundation value: Any) { add(foundation: value) }

    private mutating func add(_ value: Value) {
        switch value {
        case .bool(let value): add(number: value ? 1 : 0)
        case .integer(let value): add(number: Double(value))
        case .double(let value): add(number: value)
        case .string(let value): textBytes += value.utf8.count
        case .array(let elements):
            containers += 1
            for element in elements { add(element) }
        case .object(let object):
            containers += 1
            for member in object.members {
                textBytes += member.name.utf8.count
                add(member.value)
            }
        default: nulls += 1
        }
    }

    private mutating func add(_ value: DecodedValue) {
        switch value {
        case .null: nulls += 1
        case .bool(let value): add(number: value ? 1 : 0)
        case .integer(let value): add(number: Double(value))
        case .double(let value): add(number: value)
        case .string(let value): textBytes += value.utf8.count
        case .array(let elements):
            containers += 1
            for element in elements { add(element) }
        case .object(let members):
            containers += 1
            for (name, value) in members {
                textBytes += name.utf8.count
                add(value)
            }
        }
    }

    private mutating func add(foundation value: Any) {
        switch value {
        case let value as String: textBytes += value.utf8.count
        case let value as NSNumber: add(number: value.doubleValue)
        case let elements as [Any]:
            containers += 1
            for element in elements { add(foundation: element) }
        case let members as [String: Any]:
            containers += 1
            for (name, value) in members {
                textBytes += name.utf8.count
                add(foundation: value)
            }
        default: nulls += 1
        }
    }

    private mutating func add(number: Double) { sum += Int((number * 1_000).rounded()) }
}
