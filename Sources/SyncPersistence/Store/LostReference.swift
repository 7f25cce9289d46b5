/// A one-to-one reference that a record has lost because a record of the remote took it.
package struct LostReference {
    /// The record, under the name of its hierarchy's root.
    package let id: RecordID
    /// The slot of the reference.
    package let slot: String
    /// The key to which it referred.
    package let former: Value
}
