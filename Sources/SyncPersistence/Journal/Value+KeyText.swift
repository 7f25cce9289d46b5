#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
    /// The text under which the library's own rows store a primary key.
    ///
    /// Equal keys have the same text, even if the signs of their zeros differ.
    var keyText: String { withoutNegativeZero.taggedJSON }

    /// The value with 0 in the place of -0, because both are one key.
    private var withoutNegativeZero: Value {
        switch self {
        case .double(let number) where number == 0: .double(0)
        case .date(let date) where date.timeIntervalSinceReferenceDate == 0:
            .date(Date(timeIntervalSinceReferenceDate: 0))
        case .array(let elements): .array(elements.map(\.withoutNegativeZero))
        default: self
        }
    }
}
