/// Everything in a file but its records and its layout.
package struct RecordFrame: Hashable {
    /// The member that holds the records; nil if the root does, or if the file has JSON lines.
    package let member: MemberName?

    /// The members beside it.
    package let others: [MemberName: JSONValue]
}

extension RecordFrame {
    /// The names of the members in which two frames differ, by name.
    package func differingNames(from other: RecordFrame) -> [MemberName] {
        let names = Set(others.keys).union(other.others.keys).filter { others[$0] != other.others[$0] }
        return (member == other.member ? names : names.union([member, other.member].compactMap { $0 })).sorted()
    }
}

extension RecordFile {
    /// The members of the root beside the records.
    package var frame: RecordFrame {
        guard let member, case .object(var members) = document.root else {
            return RecordFrame(member: nil, others: [:])
        }
        members[member] = nil
        return RecordFrame(member: member, others: members)
    }

    /// Whether the file has no frame of its own, because it is empty.
    private var isBlank: Bool { document.bytes.isEmpty }

    /// Returns the side whose frame a merge has: the side that changed it, or ours.
    ///
    /// - Throws: ``InputError`` if both sides changed it differently, or if a file may be one record of JSON lines.
    package static func form(
        base: RecordFile, ours: RecordFile, theirs: RecordFile, key: [MemberName]
    ) throws(InputError) -> RecordFile {
        try requireNoRecord([base, ours, theirs], key: key)
        func isUnchanged(_ side: RecordFile) -> Bool { side.isBlank || !base.isBlank && side.frame == base.frame }
        if theirs.frame == ours.frame || isUnchanged(theirs) { return ours }
        if isUnchanged(ours) { return theirs }
        let names = ours.frame.differingNames(from: theirs.frame).map(\.quoted).joined(separator: ", ")
        throw InputError(
            "both sides changed what stands beside the records: \(names.isEmpty ? "the array" : names). Make it alike in "
                + "one of them first", in: ours.name)
    }

    /// Throws if a file was read as an object with an array, but may be one record among the lines of the other files.
    ///
    /// The records of the other files would then be deleted by the merge.
    private static func requireNoRecord(_ files: [RecordFile], key: [MemberName]) throws(InputError) {
        if !files.contains(where: { $0.isLines && !$0.records.isEmpty }) { return }
        for file in files {
            guard let member = file.member else { continue }
            let others = file.frame.others
            if !key.allSatisfy({ others[$0] != nil }) { continue }
            throw InputError(
                "found an object with the array \(member.quoted) and the key beside it, and another file has JSON "
                    + "lines: if the object is a record, add --lines", in: file.name)
        }
    }
}
