import StoreSync
import SyncPersistence
import Testing

/// The JSON form of messages.
@Suite struct MessageTests {
    @Test func aPullRequestSurvivesItsJSON() throws {
        let request = PullRequest(device: "phone", cursor: SyncCursor(epoch: "e", sequence: 7), limit: 20)
        #expect(try PullRequest(json: request.json) == request)
    }

    @Test func anOutcomeWithoutAKeyHasNoneAfterItsJSON() throws {
        let response = PushResponse(
            name: PushName(number: 1, name: "a"),
            outcomes: [.accepted(), .accepted(amended: ValueObject(), key: nil), .accepted(amended: nil, key: 7)])
        #expect(try PushResponse(json: response.json) == response)
    }
}
