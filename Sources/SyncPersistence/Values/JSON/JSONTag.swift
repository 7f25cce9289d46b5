/// The tags of the one form in which values of every case are written so that they are read as they were.
///
/// Null, truth values, integers, text, arrays and doubles with a fraction stand for themselves. Every JSON object is a
/// tag with its content, so that nothing has to be escaped:
///
/// | value | tagged JSON |
/// |---|---|
/// | `.double(3)` | `{"double":3.0}`; `"inf"`, `"-inf"` and `"nan"` for what JSON has no number for |
/// | `.decimal(1.5)` | `{"decimal":"1.5"}`, or `"nan"` |
/// | `.bytes` | `{"bytes":"AQID"}`, base64 |
/// | `.date` | `{"date":788918400.5}`, seconds since 2001, as for doubles |
/// | `.uuid` | `{"uuid":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"}` |
/// | `.url` | `{"url":"https://example.org/"}` |
/// | `.object` | `{"object":["name",1,"other",2]}` |
///
/// Doubles without a fraction are tagged because Foundation's coders take them for integers; members are in an array
/// because those coders lose their order, change their names by strategies, and take names for one that are equal by
/// canonical equivalence.
enum JSONTag: String, CaseIterable, CodingKey {
    case double, decimal, bytes, date, uuid, url, object

    /// What has to follow the tag, in words.
    var content: String {
        switch self {
        case .double, .date: "a number, \"inf\", \"-inf\" or \"nan\""
        case .decimal: "a decimal number in quotes"
        case .bytes: "base64 in quotes"
        case .uuid: "a UUID in quotes"
        case .url: "a URL in quotes"
        case .object: "an array of names and values"
        }
    }

    /// The text for what JSON has no number for; nil for numbers.
    static func text(for double: Double) -> String? {
        double.isNaN ? "nan" : double == .infinity ? "inf" : double == -.infinity ? "-inf" : nil
    }

    /// What a text that stands in place of a number means.
    static func double(for text: String) -> Double? {
        switch text {
        case "inf": .infinity
        case "-inf": -.infinity
        case "nan": .nan
        default: nil
        }
    }
}

extension Double {
    /// Whether it is a number with a fraction, which no coder takes for an integer.
    var hasFraction: Bool {
        isFinite && rounded(.towardZero) != self
    }
}
