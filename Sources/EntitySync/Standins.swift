public import SyncPersistence
struct NameWords: Hashable, Sendable {
    var words: [String]
    init(words: [String]) { self.words = words }
    init(_ name: String) {
        var words: [String] = [""]
        var previousIsUpper = false
        for c in name {
            if c == "_" || c == "-" || c == " " { words.append(""); previousIsUpper = false; continue }
            if c.isUppercase && !previousIsUpper { words.append("") }
            words[words.count - 1] += c.lowercased()
            previousIsUpper = c.isUppercase
        }
        self.words = words.filter { !$0.isEmpty }
    }
    var snakeCase: String { words.joined(separator: "_") }
    var isReserved: Bool { words.count == 1 && ["type", "description", "signed"].contains(words[0]) }
    static func + (l: NameWords, r: NameWords) -> NameWords { NameWords(words: l.words + r.words) }
}
extension AttributeType {
    func converted(_ json: Value) -> Value? { admits(json) ? json : self == .string ? json.json1.map { .string($0) } : nil }
    var expectation: String { rawValue }
}
extension Value { var foundText: String { "\(self)" }; var json1: String? { try? json } }
public struct AttributeTransformer: Sendable {
    let forward: @Sendable (Value) throws -> Value?
    public init(_ forward: @escaping @Sendable (Value) throws -> Value?) { self.forward = forward }
}
