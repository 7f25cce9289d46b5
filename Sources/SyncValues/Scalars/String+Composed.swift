extension String {
    /// The text in normalization form C of Unicode, the same for all equal strings.
    ///
    /// Strings are equal in Swift if they are canonically equivalent, for example `"é"` as one scalar and as two. A
    /// store compares text by its scalars, so keys are stored in one form.
    ///
    /// - Complexity: O(*n*)
    package var canonicallyComposed: String {
        // Text with only scalars below U+0300 is already in this form.
        if unicodeScalars.allSatisfy({ $0.value < 0x300 }) { return self }
        var scalars: [UInt32] = []
        for scalar in unicodeScalars { Normalization.shared.appendDecomposition(of: scalar.value, to: &scalars) }
        Normalization.sortMarks(&scalars)
        var text = String.UnicodeScalarView()
        text.append(contentsOf: Normalization.shared.composed(scalars).lazy.compactMap(Unicode.Scalar.init))
        return String(text)
    }
}

/// The tables for normalization form C, according to annex 15 of the Unicode standard.
private struct Normalization {
    /// The tables, which the first use creates.
    static let shared = Normalization()

    /// The full canonical decomposition of each scalar that has one, except Hangul syllables.
    private var decompositions: [UInt32: [UInt32]] = [:]
    /// The composite of each pair of scalars that compose, by `pair(_:_:)`.
    private var compositions: [UInt64: UInt32] = [:]

    /// Parses the table of decompositions, and derives the pairs that compose from it.
    private init() {
        var scalar: UInt32 = 0
        for item in CanonicalDecompositions.text.split(whereSeparator: \.isWhitespace) {
            let parts = item.split(separator: ":")
            scalar = parts.count == 2 ? UInt32(parts[0], radix: 16) ?? 0 : scalar + 1
            decompositions[scalar] = parts[parts.count - 1].split(separator: "+").compactMap { UInt32($0, radix: 16) }
        }
        // The composites of sequences. Shorter sequences come first, because longer ones build on them.
        var composites: [[UInt32]: UInt32] = [:]
        for (scalar, parts) in decompositions.sorted(by: { $0.value.count < $1.value.count }) {
            guard parts.count > 1, Unicode.Scalar(scalar)?.properties.isFullCompositionExclusion == false else {
                continue
            }
            composites[parts] = scalar
            let head = Array(parts.dropLast())
            guard let first = head.count == 1 ? head[0] : composites[head] else { continue }
            compositions[Normalization.pair(first, parts[parts.count - 1])] = scalar
        }
    }

    /// Returns the key of two scalars in `compositions`.
    private static func pair(_ first: UInt32, _ second: UInt32) -> UInt64 { UInt64(first) << 32 | UInt64(second) }
}

extension Normalization {
    /// Appends the full canonical decomposition of a scalar, or the scalar itself if it has none.
    func appendDecomposition(of scalar: UInt32, to scalars: inout [UInt32]) {
        if let syllable = Hangul.index(of: scalar) {
            scalars.append(Hangul.leading + syllable / Hangul.vowelsAndTrailing)
            scalars.append(Hangul.vowel + syllable % Hangul.vowelsAndTrailing / Hangul.trailingCount)
            if syllable % Hangul.trailingCount > 0 { scalars.append(Hangul.trailing + syllable % Hangul.trailingCount) }
        } else if let parts = decompositions[scalar] {
            scalars += parts
        } else {
            scalars.append(scalar)
        }
    }

    /// Sorts each run of combining marks by their classes; marks of one class keep their order.
    static func sortMarks(_ scalars: inout [UInt32]) {
        var start = 0
        while start < scalars.count {
            guard combiningClass(scalars[start]) > 0 else {
                start += 1
                continue
            }
            let end = scalars[start...].firstIndex { combiningClass($0) == 0 } ?? scalars.count
            let marks = scalars[start..<end].map { (scalar: $0, order: combiningClass($0)) }
            let sorted = marks.enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }
            scalars.replaceSubrange(start..<end, with: sorted.map(\.element.scalar))
            start = end
        }
    }

    /// Composes each mark with the last starter, unless a mark between them blocks it.
    func composed(_ scalars: [UInt32]) -> [UInt32] {
        var result: [UInt32] = []
        var starter: Int?
        var last: UInt8 = 0
        for scalar in scalars {
            let order = Normalization.combiningClass(scalar)
            let isAdjacent = starter.map { $0 + 1 == result.count } ?? false
            if let position = starter, isAdjacent || last > 0 && last < order,
                let composite = composite(result[position], scalar)
            {
                result[position] = composite
                continue
            }
            if order == 0 { starter = result.count }
            last = order
            result.append(scalar)
        }
        return result
    }

    /// Returns the composite of two scalars; nil if they do not compose.
    private func composite(_ first: UInt32, _ second: UInt32) -> UInt32? {
        if let (leading, vowel) = Hangul.indices(first, second) {
            return Hangul.syllable + leading * Hangul.vowelsAndTrailing + vowel * Hangul.trailingCount
        }
        if let syllable = Hangul.index(of: first), syllable % Hangul.trailingCount == 0,
            second > Hangul.trailing, second < Hangul.trailing + Hangul.trailingCount
        {
            return first + second - Hangul.trailing
        }
        return compositions[Normalization.pair(first, second)]
    }

    /// Returns the canonical combining class of a scalar; 0 for a starter, which begins a new sequence.
    private static func combiningClass(_ scalar: UInt32) -> UInt8 {
        Unicode.Scalar(scalar)?.properties.canonicalCombiningClass.rawValue ?? 0
    }
}

/// The arithmetic of Hangul syllables, chapter 3.12 of the Unicode standard.
private enum Hangul {
    /// The first syllable.
    static let syllable: UInt32 = 0xAC00
    /// The first leading consonant.
    static let leading: UInt32 = 0x1100
    /// The first vowel.
    static let vowel: UInt32 = 0x1161
    /// The scalar before the first trailing consonant.
    ///
    /// So the index 0 stands for no trailing consonant.
    static let trailing: UInt32 = 0x11A7
    /// The number of trailing consonants, where none counts as one.
    static let trailingCount: UInt32 = 28
    /// The number of syllables that share one leading consonant.
    static let vowelsAndTrailing: UInt32 = 21 * trailingCount

    /// Returns the index of a syllable among all syllables; nil for other scalars.
    static func index(of scalar: UInt32) -> UInt32? {
        scalar >= syllable && scalar < syllable + 19 * vowelsAndTrailing ? scalar - syllable : nil
    }

    /// Returns the indices of a leading consonant and a vowel; nil for other scalars.
    static func indices(_ first: UInt32, _ second: UInt32) -> (leading: UInt32, vowel: UInt32)? {
        guard first >= leading, first < leading + 19, second >= vowel, second < vowel + 21 else { return nil }
        return (first - leading, second - vowel)
    }
}
