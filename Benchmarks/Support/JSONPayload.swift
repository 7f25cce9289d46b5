import DifferentialSyncTesting
package import Foundation

/// A JSON text as a server sends one: an array of objects.
package struct JSONPayload {
    /// What the objects look like.
    package enum Shape: String, CaseIterable, Sendable {
        /// About 310 bytes in 13 members.
        case flat = "flat objects"
        /// About 480 bytes, with three objects in an array.
        case nested = "objects with 3 children"
    }

    /// The text in UTF-8.
    package let data: Data

    /// A payload of so many objects, in the first of every `step` of which the revision is another.
    ///
    /// - Parameter scale: How many times as large as the others objects with children are, in what their children say.
    package init(_ shape: Shape, count: Int, editedEvery step: Int = .max, scale: Int = 1) {
        var generator = SeededGenerator(seed: UInt64(count))
        var text = "["
        for position in 0..<count {
            if position > 0 { text += "," }
            let isEdited = step < count && position % step == 0
            switch shape {
            case .flat: text.appendFlatObject(position, isEdited: isEdited, using: &generator)
            case .nested:
                // A third of what an object grows by is in each child.
                let length = 47 + (scale - 1) * 160
                text.appendParent(position, isEdited: isEdited, childText: length, using: &generator)
            }
        }
        text += "]"
        data = Data(text.utf8)
    }
}

extension String {
    fileprivate mutating func appendFlatObject(_ position: Int, isEdited: Bool, using generator: inout SeededGenerator)
    {
        appendHead(isEdited: isEdited, using: &generator)
        self += #","email":"\#(String.random(groups: [12], using: &generator))@example.org","isActive":true"#
        self += #","latitude":\#(decimal(below: 90_000, using: &generator)),"position":\#(position)"#
        self += #","longitude":\#(decimal(below: 180_000, using: &generator)),"country":"at","owner":null"#
        self += #","note":"\#(String.random(groups: [24], using: &generator))"}"#
    }

    fileprivate mutating func appendParent(
        _ position: Int, isEdited: Bool, childText length: Int, using generator: inout SeededGenerator
    ) {
        appendHead(isEdited: isEdited, using: &generator)
        self += #","isActive":false,"owner":null,"children":["#
        for child in 0..<3 {
            if child > 0 { self += "," }
            self += #"{"id":\#(3 * position + child),"text":"\#(String.random(groups: [length], using: &generator))""#
            self += #","position":\#(child),"isDone":\#(generator.next() & 1 == 0)}"#
        }
        self += "]}"
    }

    /// Appends what objects of both shapes begin with; some titles have an escape, and some a character beyond ASCII.
    private mutating func appendHead(isEdited: Bool, using generator: inout SeededGenerator) {
        let id = String.random(groups: [8, 4, 4, 4, 12], using: &generator)
        var title = String.random(groups: [8, 11], using: &generator)
        switch generator.next() % 8 {
        case 0: title += #"\n"#
        case 1: title += "\u{E9}"
        default: break
        }
        let (hour, minute) = (10 + generator.next() % 14, 10 + generator.next() % 50)
        self += #"{"id":"\#(id)","title":"\#(title)","createdAt":"2026-01-31T\#(hour):\#(minute):10Z""#
        self +=
            #","revision":\#(generator.next() % 100 + (isEdited ? 100 : 0)),"price":\#(decimal(below: 100_000, using: &generator))"#
    }

    /// A number of at most three decimals.
    private func decimal(below limit: UInt64, using generator: inout SeededGenerator) -> String {
        let number = generator.next() % limit
        return "\(number / 1_000).\(String(1_000 + number % 1_000).dropFirst())"
    }
}
