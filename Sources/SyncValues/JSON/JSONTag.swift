/// The tags of the form in which values of every case are written and read back unchanged.
///
/// Null, truth values, integers, text, arrays and doubles with a fraction are written as themselves. Every JSON object
/// is a tag with its content, so nothing needs an escape:
///
/// | value | tagged JSON |
/// |---|---|
/// | `.double(3)` | `{"double":3.0}`; `"inf"`, `"-inf"` and `"nan"` if it is not finite |
/// | `.decimal(1.5)` | `{"decimal":"1.5"}`, or `"nan"` |
/// | `.bytes` | `{"bytes":"AQID"}`, base64 |
/// | `.date` | `{"date":788918400.5}`, seconds since 2001, as for doubles |
/// | `.uuid` | `{"uuid":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"}` |
/// | `.url` | `{"url":"https://example.org/"}` |
/// | `.object` | `{"object":["name",1,"other",2]}` |
///
/// Doubles without a fraction are tagged because Foundation's coders read them as integers. Members are in an array
/// because those coders lose their order, convert their names by strategies, and confuse canonically equivalent names.
enum JSONTag: String, CaseIterable, CodingKey {
    /// The tag of the case with its name.
    case double, decimal, bytes, date, uuid, url, object

    /// The content that the tag requires, in words.
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

    /// Returns the text for a number that is not finite; nil for other numbers.
    static func text(for double: Double) -> String? {
        double.isNaN ? "nan" : double == .infinity ? "inf" : double == -.infinity ? "-inf" : nil
    }

    /// Returns the number for `inf`, `-inf` or `nan`; nil for other text.
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
    /// Whether it is a number with a fraction, which no coder reads as an integer.
    var hasFraction: Bool {
        isFinite && rounded(.towardZero) != self
    }
}
