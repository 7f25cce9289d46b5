/// The reason for an encoding or decoding error and the place of the failure, without the value itself.
struct CodingReason: CustomStringConvertible {
    /// The reason, with the path of the value that cannot be coded.
    let description: String

    /// Creates the reason of an encoder's, a decoder's or any other error.
    init(_ error: any Error) {
        description =
            switch error {
            case let error as DecodingError: CodingReason.reason(error)
            case let error as EncodingError: CodingReason.reason(error)
            default: "\(error)"
            }
    }

    /// Returns why a value could not be decoded, without the value itself.
    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(let type, let context):
            "\(place(context.codingPath)) is no \(type)"
        case .valueNotFound(let type, let context):
            "\(place(context.codingPath)) is null, and a \(type) is expected"
        case .keyNotFound(let key, let context):
            context.codingPath.isEmpty
                ? "there is no '\(key.stringValue)'"
                : "there is no '\(key.stringValue)' in \(place(context.codingPath))"
        case .dataCorrupted(let context):
            "\(place(context.codingPath)) is not what it should be"
        @unknown default: "it cannot be decoded"
        }
    }

    /// Returns why a value could not be encoded.
    private static func reason(_ error: EncodingError) -> String {
        guard case .invalidValue(let value, let context) = error else { return "it cannot be encoded" }
        let place = place(context.codingPath)
        if let number = value as? any BinaryFloatingPoint, !number.isFinite {
            return "\(place) is a number that is infinite, or not a number"
        }
        return "\(place), a \(type(of: value)), cannot be encoded"
    }

    /// Returns a path such as `.lines[2].text`.
    private static func place(_ path: [any CodingKey]) -> String {
        if path.isEmpty { return "the whole" }
        let text = path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return "'\(text)'"
    }
}
