#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
    /// The kind in words, with an article.
    package var phrase: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .integer: "an integer"
        case .double(let number): number.isNaN ? "what is not a number" : "a double"
        case .decimal(let number): number.isNaN ? "what is not a number" : "a decimal"
        case .string: "text"
        case .bytes: "bytes"
        case .date: "a date"
        case .uuid: "a UUID"
        case .url: "a URL"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
