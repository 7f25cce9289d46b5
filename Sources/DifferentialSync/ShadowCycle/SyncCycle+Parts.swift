// A store runs a cycle on a part of a collection, with the functions below.

extension SyncCycle {
    /// Whether everything must be pulled before anything is pushed.
    package var mustPullEverything: Bool {
        get { pullsEverything }
        set { pullsEverything = newValue }
    }

    /// Sets the keys of the elements that an earlier cycle could not decode.
    package mutating func remember(unreadable keys: Set<Key>) { unreadableKeys = keys }

    /// The keys of the changes that remain to be pushed in this round, in order.
    ///
    /// The next push holds the first of them, and needs these elements alone.
    package var upcomingKeys: ArraySlice<Key> { queue[queuePosition...] }

    /// Continues after the end of the cycle, because the store has changed further records.
    ///
    /// They are pushed too.
    package mutating func resumed(_ client: inout JournaledCollection<Element, Key>) -> Step { pushNext(&client) }

    /// Continues without the latest push, because none of its changes can be sent.
    package mutating func skipped(_ client: inout JournaledCollection<Element, Key>) -> Step {
        client.agreement.pendingPush = nil
        return pushNext(&client)
    }
}
