import SyncPersistence

/// The objects of a list that a sync has skipped or processed.
///
/// At the end of the sync the payload memory is made from them, by which the next sync skips unchanged objects.
struct HandledObjects {
    /// Whether the payload repeats the remembered one, in about the same order.
    var isRepeated = false
    /// The processed objects to remember.
    private var learned: [Learned] = []
    /// For each object of the list, its number in the footprint if it was skipped, otherwise 0.
    ///
    /// The array is empty if no object was skipped.
    private var skipped: [Int] = []
    /// The number of skipped objects.
    private var skippedCount = 0

    /// A processed object, its number in the footprint, and the range of the tokens that it specifies there.
    ///
    /// Numbers of 32 bits halve the memory of a long list.
    private struct Learned {
        /// The position in the list.
        let position: UInt32
        /// The number in the footprint.
        let order: UInt32
        /// The number of the first token that the object specifies.
        let start: UInt32
        /// The number after the last token.
        let end: UInt32

        /// The numbers of the tokens.
        var coverage: Range<Int> { Int(start)..<Int(end) }
    }

    /// Whether any object was skipped.
    var hasSkipped: Bool { skippedCount > 0 }

    /// Records that an object was skipped.
    ///
    /// - Parameter count: The number of objects in the list.
    mutating func skip(_ position: Int, of count: Int, _ footprint: SyncFootprint) {
        if skipped.isEmpty { skipped = Array(repeating: 0, count: count) }
        skipped[position] = footprint.object
        skippedCount += 1
    }

    /// Records that an object was processed and can be skipped in the next payload.
    ///
    /// - Parameter start: The number of tokens that were specified before.
    mutating func learn(_ position: Int, _ footprint: SyncFootprint, since start: Int) {
        let end = footprint.specified.count
        // More objects than these are not remembered.
        guard max(end, footprint.object) <= Int(UInt32.max) else { return }
        learned.append(
            Learned(position: UInt32(position), order: UInt32(footprint.object), start: UInt32(start), end: UInt32(end))
        )
    }

    /// Calls `body` with the position of each skipped object.
    ///
    /// - Complexity: O(*n*) for a list of *n* objects
    func forEachSkipped(_ body: (Int) -> Void) {
        for (position, order) in skipped.enumerated() where order > 0 { body(position) }
    }

    /// Returns the entries of a list's objects; nil if they are those of the memory.
    ///
    /// An object is left out if a later one has written a record or relationship that it specifies, and if it was
    /// processed with a report or unfinished work. The next sync processes it again.
    ///
    /// - Parameter isInOrder: Whether the objects were processed in the order of the payload.
    /// - Complexity: O(*n*) for *n* objects; O(*n* log *n*) if they were processed in another order
    func entries(
        of objects: [ListComparison.Object], isInOrder: Bool, _ memory: PayloadMemory, _ footprint: SyncFootprint
    ) -> PayloadEntries? {
        var entries = PayloadEntries()
        var isSame = isRepeated && skippedCount == objects.count
        if isSame, footprint.isUnwritten { return nil }
        let newWordCount = objects.count * PayloadEntries.headerCount + footprint.specified.count
        entries.reserve(objects.count, wordCount: max(memory.entries.wordCount, newWordCount))
        // Inserted objects were processed in the order of the payload, and updated ones after them.
        var learned = learned
        if !isInOrder { learned.sort { $0.position < $1.position } }
        var next = 0
        for (position, object) in objects.enumerated() {
            if !skipped.isEmpty, skipped[position] > 0, let coverage = object.coverage(in: memory) {
                if footprint.isWritten(coverage, after: skipped[position]) {
                    isSame = false
                } else {
                    entries.append(Int(object.entry), of: memory.entries)
                }
            } else if next < learned.count, Int(learned[next].position) == position {
                let coverage = footprint.specified[learned[next].coverage]
                next += 1
                if footprint.isWritten(coverage, after: Int(learned[next - 1].order)) { continue }
                entries.append(
                    token: object.token, digest: object.element.digest, length: object.element.length,
                    keyOffset: Int(object.element.keyOffset), coverage: coverage)
            }
        }
        return isSame ? nil : entries
    }
}

extension ListComparison.Object {
    /// Returns the tokens that the object specifies if its entry is current; nil otherwise.
    func coverage(in memory: PayloadMemory) -> ArraySlice<UInt64>? {
        entry < 0 ? nil : memory.entries.coverage(of: Int(entry))
    }
}
