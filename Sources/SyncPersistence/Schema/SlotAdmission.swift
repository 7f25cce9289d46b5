/// The values that a ``Slot`` admits, without its other properties.
///
/// So a check of many records reads little memory.
struct SlotAdmission: Sendable {
    /// The type of the values.
    let type: AttributeType
    /// Whether null is admitted.
    let isOptional: Bool
    /// Whether the slot holds a key of several parts, which only the slot itself can check.
    let isComposite: Bool

    /// Creates the rule of a slot, so that it is not derived again for each record.
    init(_ slot: Slot) {
        let types = slot.columnTypes
        type = types[0]
        isOptional = slot.isOptional
        isComposite = types.count > 1
    }
}

extension Shape {
    /// Returns the first slot that does not admit its value, or nil if each does.
    ///
    /// The result is the same as that of ``Slot/admits(_:)`` for each slot.
    ///
    /// - Parameter values: A value for each slot.
    /// - Complexity: O(number of slots), plus the size of JSON values; without allocations
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
