package import DifferentialSync

/// How changes are shown: by the library's own description of a diff.
package struct ChangeText {
    /// How many changes of each kind to show.
    package let lines: Int
    /// How many characters of a line to show.
    package let width: Int

    package init(lines: Int = 20, width: Int = 100) {
        self.lines = lines
        self.width = width
    }

    /// Every change, and whole lines.
    package static let all = ChangeText(lines: .max, width: .max)

    /// The lines of a diff, without the one that counts.
    package func lines<Element>(of diff: Diff<Element>?, key: (Element) -> some Hashable) -> [Substring] {
        guard let diff else { return [] }
        return Array(diff.description(lines: lines, width: width, primaryKey: key).split(separator: "\n").dropFirst())
    }

    /// The line of one change, or nil if it is none.
    package func line<Element>(from old: Element?, to new: Element?, key: (Element) -> some Hashable) -> Substring? {
        Change(from: old, to: new).flatMap { lines(of: Diff([$0]), key: key).first }
    }
}

extension Conflict.Kind {
    /// What has happened, seen from the given sides.
    package func text(local: String, remote: String) -> String {
        switch self {
        case .bothAdded: "\(local) and \(remote) added it differently"
        case .bothEdited: "\(local) and \(remote) edited it differently"
        case .editedHereDeletedThere: "\(local) edited it, \(remote) deleted it"
        case .deletedHereEditedThere: "\(local) deleted it, \(remote) edited it"
        }
    }
}

extension Resolution {
    /// What has been decided, in words.
    package func text(local: String, remote: String) -> String {
        switch self {
        case .local: "\(local)'s version stands"
        case .remote: "\(remote)'s version stands"
        case .base: "the version before both stands"
        case .delete: "deleted"
        case .merged: "merged field by field"
        case .open: "left open"
        }
    }
}
