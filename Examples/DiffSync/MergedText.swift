import DifferentialSync
import RecordFiles

/// Writes merged records in the form of one of the files: each record keeps the text that it has on one of the sides.
///
/// What stands between two records of that file stands before the second one in the result, too.
struct MergedText {
    private let base: RecordFile
    private let ours: RecordFile
    private let theirs: RecordFile
    private let key: [MemberName]

    /// The file whose members beside the records are kept.
    private let form: RecordFile

    /// The file whose layout the text has: the first with records, of those with the same members beside them.
    private let template: RecordFile

    /// The layout of the template.
    private let layout: RecordTextForm

    init(base: RecordFile, ours: RecordFile, theirs: RecordFile, key: [MemberName]) throws(InputError) {
        (self.base, self.ours, self.theirs, self.key) = (base, ours, theirs, key)
        form = try RecordFile.form(base: base, ours: ours, theirs: theirs, key: key)
        let frame = form.frame
        template = [form, ours, theirs, base].first { !$0.records.isEmpty && $0.frame == frame } ?? form
        layout = template.textForm
    }
}

extension MergedText {
    /// A record, or the three versions of one.
    private enum Piece {
        case record(String)
        case conflict(ours: String?, base: String?, theirs: String?)
    }

    /// Returns the text of the file, with a block between git's markers for each open conflict.
    func text(of merged: MergedCollection<Record>) -> String {
        let (base, ours, theirs) = (texts(of: base), texts(of: ours), texts(of: theirs))
        func text(_ record: Record) -> String {
            let key = record.key(key)
            for side in [ours, theirs, base] {
                // In JSON lines, each record is one line.
                guard let known = side[key], known.record == record else { continue }
                if !layout.isLines || !known.text.utf8.contains(UInt8(ascii: "\n")) { return known.text }
            }
            return layout.text(of: record, likeTextOf: (ours[key] ?? theirs[key])?.text, first: self.key)
        }
        var conflicts: [[JSONValue]: Conflict<Record>] = [:]
        for conflict in merged.open { conflicts[(conflict.local ?? conflict.remote ?? [:]).key(key)] = conflict }
        func piece(_ conflict: Conflict<Record>) -> Piece {
            .conflict(
                ours: conflict.local.map(text), base: conflict.base.map(text), theirs: conflict.remote.map(text))
        }
        var pieces: [(key: [JSONValue], piece: Piece)] = []
        for record in inOrder(merged.elements) {
            let key = record.key(self.key)
            pieces.append((key, conflicts.removeValue(forKey: key).map(piece) ?? .record(text(record))))
        }
        // Both sides added these, so they have no place in the base.
        for conflict in merged.open {
            let key = (conflict.local ?? [:]).key(self.key)
            if conflicts.removeValue(forKey: key) != nil { pieces.append((key, piece(conflict))) }
        }
        return (template.hasByteOrderMark ? "\u{FEFF}" : "") + joined(pieces)
    }

    /// Returns records in the order of our file.
    ///
    /// Those that only their file has follow the record that is before them there, after what we have added at that place.
    private func inOrder(_ records: [Record]) -> [Record] {
        let merged = Dictionary(records.map { ($0.key(key), $0) }) { first, _ in first }
        let (mine, others) = (ours.records.map { $0.key(key) }, theirs.records.map { $0.key(key) })
        let known = Set(mine)
        let common = known.intersection(others)
        var added: [[JSONValue]?: [Record]] = [:]
        var place: [JSONValue]?
        for key in others {
            if common.contains(key), merged[key] != nil { place = key }
            if !known.contains(key), let record = merged[key] { added[place, default: []].append(record) }
        }
        var ordered: [Record] = []
        place = nil
        for key in mine {
            guard let record = merged[key] else { continue }
            if common.contains(key) {
                ordered += added.removeValue(forKey: place) ?? []
                place = key
            }
            ordered.append(record)
        }
        ordered += added[place] ?? []
        return ordered
    }

    private func texts(of file: RecordFile) -> [[JSONValue]: (record: Record, text: String)] {
        Dictionary(
            file.records.indices.map { position in
                (file.records[position].key(key), (file.records[position], file.text(at: position)))
            }, uniquingKeysWith: { first, _ in first })
    }

    private func joined(_ pieces: [(key: [JSONValue], piece: Piece)]) -> String {
        if pieces.isEmpty && form.records.isEmpty { return form.text }
        let positions = Dictionary(template.records.enumerated().map { ($1.key(key), $0) }) { first, _ in first }
        var text = layout.prefix
        // After a conflict, the comma and the end of the line are written.
        var isAtLineStart = false
        for (position, (key, piece)) in pieces.enumerated() {
            let isLast = position == pieces.count - 1
            if position > 0 {
                let between = positions[key].flatMap(template.text(before:)) ?? layout.separator
                if isAtLineStart {
                    // The comma may begin the next line.
                    let rest = between.firstIndex(of: ",").map { between[$0...].dropFirst() } ?? between[...]
                    let lineEnd = rest.firstIndex(where: \.isNewline)
                    text += lineEnd.map { String(rest[$0...].dropFirst()) } ?? layout.indentation
                } else {
                    text += between
                }
            }
            switch piece {
            case .record(let record):
                text += record
                isAtLineStart = false
            case .conflict(let ours, let base, let theirs):
                while text.last == " " || text.last == "\t" { text.removeLast() }
                if text.last?.isNewline == false { text += layout.newline }
                for (marker, side) in [("<<<<<<< ours", ours), ("||||||| base", base), ("=======", theirs)] {
                    text += marker + layout.newline
                    if let side { text += layout.indentation + side + (isLast ? "" : layout.comma) + layout.newline }
                }
                text += ">>>>>>> theirs" + layout.newline
                isAtLineStart = true
            }
        }
        if isAtLineStart && layout.suffix.first?.isNewline == true { return text + layout.suffix.dropFirst() }
        return text + layout.suffix
    }
}
