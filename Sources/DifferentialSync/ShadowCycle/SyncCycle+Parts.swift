// What a store needs to run a cycle on the part of a collection that a step is about.

extension SyncCycle {
    /// Whether everything must be pulled before anything is pushed.
    package var mustPullEverything: Bool {
        get { pullsEverything }
        set { pullsEverything = newValue }
    }

    /// Takes over which elements of the remote an earlier cycle could not read.
    package mutating func remember(unreadable keys: Set<Key>) { unreadableKeys = keys }

    /// The keys of the changes that are still to be pushed in this round, in order.
    ///
    /// The next push holds the first of them, and needs these elements alone.
    package var upcomingKeys: ArraySlice<Key> { queue[queuePosition...] }

    /// Goes on after an end, as the store has changed other records than the collection: what follows is pushed too.
    package mutating func resumed(_ client: inout JournaledCollection<Element, Key>) -> Step { pushNext(&client) }

    /// Goes on without the latest push, of which nothing can be sent.
    package mutating func skipped(_ client: inout JournaledCollection<Element, Key>) -> Step {
        client.agreement.pendingPush = nil
        return pushNext(&client)
    }
}
