// What a store needs to run a cycle on the part of a collection that a step is about.

extension SyncCycle {
    /// The keys of the changes that are still to be pushed in this round, in order.
    ///
    /// The next push holds the first of them, and needs these elements alone.
    package var upcomingKeys: ArraySlice<Key> { queue[queuePosition...] }

    /// Goes on without the latest push, of which nothing can be sent.
    package mutating func skipped(_ client: inout JournaledCollection<Element, Key>) -> Step {
        client.agreement.pendingPush = nil
        return pushNext(&client)
    }
}
