/// What a ``Slot`` admits, without what else is known of it: a check of many records looks at nothing larger.
struct SlotAdmission: Sendable {
    let type: AttributeType
    let isOptional: Bool
    /// Whether the key of several parts of another record stands here, so that the slot itself is to be asked.
    let isComposite: Bool

    init(_ slot: Slot) {
        let types = slot.columnTypes
        type = types[0]
        isOptional = slot.isOptional
        isComposite = types.count > 1
    }
}

extension Shape {
    /// The first slot that does not admit its value, or nil if each does.
    ///
    /// It is what ``Slot/admits(_:)`` answers for each slot.
    ///
    /// - Parameter values: A value for each slot.
    /// - Complexity: O(number of slots) besides the size of JSON values; nothing is allocated
    package func firstInvalidSlot(_ values: [Value]) -> Int? {
        precondition(values.count == admissions.count, "'\(name)' has \(admissions.count) slots, not \(values.count)")
        return admissions.withUnsafeBufferPointer { admissions in
            values.withUnsafeBufferPointer { values in
                for position in values.indices {
                    let admission = admissions[position]
                    let isAdmitted =
                        if values[position].isNull {
                            admission.isOptional
                        } else if admission.isComposite {
                            slots[position].admits(values[position])
                        } else {
                            admission.type.admits(values[position])
                        }
                    if !isAdmitted { return position }
                }
                return nil
            }
        }
    }
}
