public import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// What stands here is as little as export needs of `Names` and `Values`; it gives way to them.

struct NameWords: Hashable, Sendable {
    let words: [String]

    init(_ name: String) {
        var words: [String] = []
        var word = ""
        let characters = Array(name)
        for (position, character) in characters.enumerated() {
            if character == "_" || character == "-" || character == " " {
                if !word.isEmpty { words.append(word) }
                word = ""
                continue
            }
            let isAfterSmall = position > 0 && !characters[position - 1].isUppercase
            let rest = characters[(position + 1)...]
            let isPlural = rest.first == "s" && rest.dropFirst().first?.isLowercase != true
            let isBeforeSmall = rest.first?.isLowercase == true && !isPlural
            if character.isUppercase, isAfterSmall || isBeforeSmall, !word.isEmpty {
                words.append(word)
                word = ""
            }
            word += character.lowercased()
        }
        if !word.isEmpty { words.append(word) }
        self.words = words
    }

    var snakeCase: String { words.joined(separator: "_") }
}

enum ReservedWords {
    static func remoteName(of attribute: NameWords, in entity: NameWords) -> NameWords? {
        ["type", "description", "signed"].first { entity.words + [$0] == attribute.words }.map { NameWords($0) }
    }
}

enum BytesContent {
    static func remoteValue(of bytes: Data) -> Value {
        if let value = try? Value(json: bytes), !value.isNull, let json = try? value.jsonBytes(), Data(json) == bytes {
            return value
        }
        return .string(bytes.base64EncodedString())
    }
}

/// A stand-in.
public struct AttributeTransformer: Sendable {
    /// A stand-in.
    public let fromRemote: @Sendable (Value) throws -> Value?
    /// A stand-in.
    public let toRemote: (@Sendable (Value) throws -> Value?)?

    /// A stand-in.
    public init(
        fromRemote: @escaping @Sendable (Value) throws -> Value?,
        toRemote: (@Sendable (Value) throws -> Value?)? = nil
    ) {
        self.fromRemote = fromRemote
        self.toRemote = toRemote
    }
}
