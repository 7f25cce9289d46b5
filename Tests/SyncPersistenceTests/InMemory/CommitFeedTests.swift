import Testing

import SyncPersistence

struct CommitFeedTests {
    private func commit(_ number: Int64) -> Commit {
        Commit(sequence: number, unchangedCount: 0, heldBack: [], metadata: ["number"])
    }

    private func sequences(_ stream: AsyncStream<Commit>) async -> [Int64] {
        var sequences: [Int64] = []
        for await commit in stream { sequences.append(commit.sequence) }
        return sequences
    }

    @Test func observersReceiveAllLaterCommitsInOrderHoweverLateTheyRead() async {
        let feed = CommitFeed()
        let early = feed.commits()
        for number in 1...50 as ClosedRange<Int64> { feed.publish(commit(number)) }
        // No observer has read yet, and publishing has not waited.
        let late = feed.commits()
        async let reading = sequences(early)
        for number in 51...100 as ClosedRange<Int64> { feed.publish(commit(number)) }
        feed.finish()
        #expect(await reading == Array(1...100))
        #expect(await sequences(late) == Array(51...100))
    }

    @Test func cancelledObserversAndEmptyCommitsDoNotAffectOthers() async {
        let feed = CommitFeed()
        let staying = feed.commits()
        let leaving = Task { await sequences(feed.commits()) }
        leaving.cancel()
        _ = await leaving.value
        feed.publish(commit(1))
        feed.publish(Commit(sequence: 1, unchangedCount: 3, heldBack: [], metadata: []))
        feed.publish(commit(2))
        feed.finish()
        #expect(await sequences(staying) == [1, 2])
    }

    @Test(.timeLimit(.minutes(5)))
    func streamsOfAFinishedFeedEndAtOnce() async {
        let feed = CommitFeed()
        feed.publish(commit(1))
        feed.finish()
        feed.finish()
        feed.publish(commit(2))
        #expect(await sequences(feed.commits()) == [])
        #expect(await sequences(feed.commits()) == [])
    }

    @Test func commitsOfOthersArePublishedOnceAndWithoutChanges() async {
        let feed = CommitFeed()
        let stream = feed.commits()
        feed.publish(commit(3))
        // The feed has passed on the third commit itself.
        feed.publishOthers(through: 3)
        feed.publishOthers(through: 5)
        feed.publishOthers(through: 5)
        feed.finish()
        var commits: [Commit] = []
        for await commit in stream { commits.append(commit) }
        #expect(commits.map(\.sequence) == [3, 5])
        #expect(commits.map(\.isOfOthers) == [false, true])
        #expect(commits.last?.changes.isEmpty == true)
    }
}
