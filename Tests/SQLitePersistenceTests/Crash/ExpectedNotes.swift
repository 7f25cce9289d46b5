/// What the devices must have, by what the program has told.
///
/// A note whose name begins with that of a device is edited by it alone: so it is there as it was left. One that begins
/// with `s` is edited by both: it is there as it was left until the device synchronizes, when that of the other may take
/// its place; and in the end it is as one of them has left it.
struct ExpectedNotes {
    /// The text of each note that was put, or nil if it was removed.
    private(set) var texts: [String: String?] = [:]

    /// The same of notes that both edit, by device, as it was done there last.
    private var sharedTexts: [String: [String: String?]] = [:]

    /// Those of them that have been edited since the device last began to synchronize.
    private var unsynchronized: [String: Set<String>] = [:]

    /// All texts that were put or may have been put under a note that both edit.
    private var triedTexts: [String: Set<String>] = [:]

    /// What was begun and may have been done.
    private(set) var begun: Edit?

    /// How many edits were done.
    private(set) var doneCount = 0

    /// One edit of a device.
    struct Edit {
        let device: String
        let id: String
        let text: String?

        var isShared: Bool { id.hasPrefix("s") }
    }
}

extension ExpectedNotes {
    /// Takes in what one run of the program has told.
    mutating func read(_ lines: [String]) {
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            switch (words.first, words.count) {
            case ("try", 5): begin(Edit(device: words[2], id: words[3], text: words[4]))
            case ("try", 4): begin(Edit(device: words[2], id: words[3], text: nil))
            case ("done", 1):
                if let begun { note(begun) }
                begun = nil
                doneCount += 1
            case ("sync", 2): unsynchronized[words[1]] = []
            default: break
            }
        }
    }

    private mutating func begin(_ edit: Edit) {
        begun = edit
        if edit.isShared, let text = edit.text { triedTexts[edit.id, default: []].insert(text) }
    }

    private mutating func note(_ edit: Edit) {
        guard edit.isShared else { return texts[edit.id] = .some(edit.text) }
        sharedTexts[edit.device, default: [:]][edit.id] = .some(edit.text)
        unsynchronized[edit.device, default: []].insert(edit.id)
    }
}

extension ExpectedNotes {
    /// What a device has that it must not, or the other way round; what was begun is settled by it.
    mutating func faults(on device: String, _ notes: [Note]) -> [String] {
        let present = Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0.text) })
        if let edit = begun, edit.device == device {
            if present[edit.id] == edit.text { note(edit) }
            begun = nil
        }
        let own = texts.filter { $0.key.hasPrefix(device) }
        let unknown = present.keys.filter { $0.hasPrefix(device) && own[$0] == nil }
        let left = (sharedTexts[device] ?? [:]).filter { unsynchronized[device]?.contains($0.key) == true }
        let lost = own.merging(left) { first, _ in first }.filter { $0.value != present[$0.key] }
        let strange = present.filter { id, text in
            id.hasPrefix("s") && left[id] == nil && triedTexts[id]?.contains(text) != true
        }
        return
            (lost.map { id, text in
                "\(device) has \(present[id] ?? "nothing") under \(id), and must have \(text ?? "nothing")"
            }
            + unknown.map { "\(device) has \($0), which nobody has put" }
            + strange.map { "\(device) has \($1) under \($0), which nobody has put" }).sorted()
    }

    /// Which of the notes that both edit are, once all have synchronized, as no device has left them.
    func sharedFaults(_ notes: [Note]) -> [String] {
        let present = Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0.text) })
        let ids = Set(sharedTexts.values.flatMap(\.keys)).union(present.keys.filter { $0.hasPrefix("s") })
        return ids.sorted().compactMap { id in
            let last = sharedTexts.values.compactMap { $0[id] }
            return last.contains(present[id])
                ? nil : "\(id) is \(present[id] ?? "nothing") in the end, which no device has done last"
        }
    }
}
