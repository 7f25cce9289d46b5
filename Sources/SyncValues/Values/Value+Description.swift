#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A short form for messages and keys, which distinguishes the cases:
///
/// ```
/// null  true  -7  3.0  decimal 1.5  "text"  <3 bytes>  2026-01-01T00:00:00Z
/// 6BA7B810-9DAD-11D1-80B4-00C04FD430C8  <https://example.org/>  [1, "a"]  {"a": 1, "b": null}
/// ```
///
/// Text is cut off after 64 characters, and a container after eight parts and below four levels, each with `…`.
extension Value: CustomStringConvertible, CustomDebugStringConvertible {
    /// The value in a short form.
    public var description: String { description(depth: 4) }

    /// The value in a short form.
    public var debugDescription: String { description }

    /// Returns the short form of the value.
    ///
    /// - Parameter depth: How many levels of containers are shown; `…` stands for the content of deeper ones.
    private func description(depth: Int) -> String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "decimal \(DecimalDigits(value).text)"
        case .string(let value): Self.quoted(value)
        case .bytes(let value): value.count == 1 ? "<1 byte>" : "<\(value.count) bytes>"
        case .date(let value): value.internetText ?? "date \(value.timeIntervalSinceReferenceDate)"
        case .uuid(let value): value.uuidString
        case .url(let value): "<\(Self.cut(value.absoluteString))>"
        case .array(let elements):
            Self.list("[", elements.prefix(8).map { $0.description(depth: depth - 1) }, "]", elements.count, depth)
        case .object(let object):
            Self.list(
                "{",
                object.members.prefix(8).map {
                    "\(Self.quoted($0.name)): \($0.value.description(depth: depth - 1))"
                }, "}", object.members.count, depth)
        }
    }

    /// Returns parts in brackets, with the count if there are more than eight.
    ///
    /// At depth 0, `…` stands for the parts.
    private static func list(
        _ start: String, _ parts: @autoclosure () -> [String], _ end: String, _ count: Int, _ depth: Int
    ) -> String {
        if count == 0 { return start + end }
        if depth == 0 { return "\(start)…\(end)" }
        let more = count > 8 ? ["… \(count) in all"] : []
        return start + (parts() + more).joined(separator: ", ") + end
    }

    /// Returns text in quotes with escapes, cut off after 64 scalars.
    private static func quoted(_ text: String) -> String {
        cut(text).debugDescription
    }

    /// Returns text with `…` in place of everything after the first 64 scalars.
    private static func cut(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: 64, limitedBy: scalars.endIndex),
            end != scalars.endIndex
        else { return text }
        return String(text[..<end]) + "…"
    }
}
