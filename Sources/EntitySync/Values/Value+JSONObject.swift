public import SyncPersistence

#if canImport(Foundation)
    import Foundation

    extension Value {
        /// Creates a value from an object of `JSONSerialization`, or from JSON as `Any` from other libraries such as
        /// Alamofire.
        ///
        /// ```swift
        /// let object = try JSONSerialization.jsonObject(with: data)
        /// let users = try Value(jsonObject: object)
        /// ```
        ///
        /// Dictionaries, arrays, text, numbers, truth values and `NSNull` are converted, both those of Swift and those
        /// of Objective-C. An `NSNumber` is a truth value only if it was created from one. Nil is null. Values with a
        /// case in `Value` but not in JSON, such as dates, keep that case. Other `Encodable` values are encoded.
        ///
        /// - Parameter jsonObject: An array, a dictionary with text for keys, or a single value.
        /// - Throws: ``SyncError`` with the path of a value that has no JSON form, such as `[3].photo`; errors of an
        ///   `Encodable` value.
        /// - Complexity: O(*n*) for an object of size *n*; names are sorted, because dictionaries have no order
        public init(jsonObject: Any) throws {
            self = try Value.made(of: jsonObject, at: .root, depth: Value.maximumJSONDepth)
        }

        /// The value as an object of `JSONSerialization`: `[String: Any]`, `[Any]`, `String`, `Int`, `Double`, `Bool`,
        /// or `NSNull`.
        ///
        /// Values without a JSON form become the text of an export. Decimals become `NSDecimalNumber`, and bytes become
        /// base64 text.
        ///
        /// A part that is nested too deep for JSON becomes its description, because `JSONSerialization` cannot write it
        /// either.
        ///
        /// - Complexity: O(*n*) for a value of size *n*
        public var jsonObject: Any { jsonObject(depth: Value.maximumJSONDepth) }

        private func jsonObject(depth: Int) -> Any {
            switch self {
            case .array where depth == 0, .object where depth == 0: return description
            default: break
            }
            return switch self {
            case .null: NSNull()
            case .bool(let value): value
            case .integer(let number): Int(exactly: number) ?? number
            case .double(let number): number
            case .decimal(let number): NSDecimalNumber(decimal: number)
            case .string(let text): text
            case .array(let elements): elements.map { $0.jsonObject(depth: depth - 1) }
            case .object(let object):
                [String: Any](zip(object.names, object.values.map { $0.jsonObject(depth: depth - 1) })) { _, last in
                    last
                }
            case .bytes(let bytes): bytes.base64EncodedString()
            case .date, .uuid, .url: text ?? description
            }
        }

        private static func made(of any: Any, at place: Place, depth: Int) throws -> Value {
            if let optional = any as? any AnyOptional {
                guard let wrapped = optional.wrappedAny else { return .null }
                return try made(of: wrapped, at: place, depth: depth)
            }
            // By a cast, a Swift number is also an `NSNumber`, and 1 is a `Bool`, so the dynamic type decides. A cast
            // to an Objective-C class also takes time proportional to the size of the value.
            switch type(of: any) {
            case is NSNull.Type: return .null
            case is NSNumber.Type:
                if let number = any as? NSNumber { return try made(of: number, at: place) }
            case is NSDictionary.Type:
                if let dictionary = any as? NSDictionary {
                    return try object(of: dictionary.map { ($0.key, $0.value) }, at: place, depth: depth)
                }
            default: break
            }
            switch any {
            case let value as Value: return value
            case let text as String: return .string(text)
            case let date as Date: return .date(date)
            case let bytes as Data: return .bytes(bytes)
            case let dictionary as [AnyHashable: Any]:
                return try object(of: dictionary.map { ($0.key.base, $0.value) }, at: place, depth: depth)
            case let elements as [Any]:
                if depth == 0 { throw tooDeep }
                return .array(
                    try elements.enumerated().map { try made(of: $1, at: place.element($0), depth: depth - 1) })
            case let uuid as UUID: return .uuid(uuid)
            case let url as URL: return .url(url)
            case let encodable as any Encodable:
                let value = try ValueEncoder().encode(encodable)
                if case .double(let number) = value, !number.isFinite { throw noJSON("\(number)", at: place) }
                if value.isDeeper(than: depth) { throw tooDeep }
                return value
            default: throw noJSON("a value of the type \(type(of: any))", at: place)
            }
        }

        private static func made(of number: NSNumber, at place: Place) throws -> Value {
            if type(of: number) == type(of: NSNumber(value: true)) { return .bool(number.boolValue) }
            if let decimal = number as? NSDecimalNumber {
                if decimal == .notANumber { throw noJSON("a number that is none", at: place) }
                return .decimal(decimal.decimalValue)
            }
            switch number.objCType.pointee {
            case Int8(bitPattern: UInt8(ascii: "d")), Int8(bitPattern: UInt8(ascii: "f")):
                if number.doubleValue.isFinite { return .double(number.doubleValue) }
                throw noJSON("\(number.doubleValue)", at: place)
            case Int8(bitPattern: UInt8(ascii: "Q")):
                return Int64(exactly: number.uint64Value).map { .integer($0) } ?? .decimal(Decimal(number.uint64Value))
            default: return .integer(number.int64Value)
            }
        }

        private static func object(of members: [(Any, Any)], at place: Place, depth: Int) throws -> Value {
            if depth == 0 { throw tooDeep }
            let named = try members.map { name, value in
                guard let name = name as? String else {
                    throw SyncError(
                        .noJSON,
                        "\(text(of: place)) has a member whose name is no text: JSON has none; give it text for names")
                }
                return (name: name, value: try made(of: value, at: place.member(name), depth: depth - 1))
            }.sorted { $0.name < $1.name }
            return .object(ValueObject(names: named.map(\.name), values: named.map(\.value)))
        }

        private static func noJSON(_ what: String, at place: Place) -> SyncError {
            SyncError(
                .noJSON, "\(text(of: place)) is \(what), which JSON cannot hold: pass text, a number or null instead")
        }

        private static func text(of place: Place) -> String {
            place.path.isEmpty ? "the payload" : "the value at \(place.path)"
        }
    }

    /// An optional of any type.
    private protocol AnyOptional {
        var wrappedAny: Any? { get }
    }

    extension Optional: AnyOptional {
        fileprivate var wrappedAny: Any? { self }
    }
#endif
