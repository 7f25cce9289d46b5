import DifferentialSync
import Testing

struct LandingPageExamples {
    @Test func theFirstExample() throws {
        let values = try results {
            let shadow = [Note(id: 1, text: "milk"), Note(id: 2, text: "eggs")]
            let phone = [Note(id: 1, text: "oat milk"), Note(id: 2, text: "eggs")]  // note 1 edited
            let server = [Note(id: 1, text: "milk"), Note(id: 3, text: "tea")]  // note 2 deleted, note 3 added

            let cycle = try synchronize(client: phone, shadow: shadow, remote: server, policy: .newest(by: \.modified))
            cycle.push  // note 1 replaced: the change for the server
            cycle.client  // notes 1 and 3: "oat milk" and "tea"
            cycle.shadow  // the same, once the push has succeeded
        }
        let push = try #require(values[0] as? Diff<Note>)
        #expect(push.changes == [.replace(old: Note(id: 1, text: "milk"), new: Note(id: 1, text: "oat milk"))])
        let merged = [Note(id: 1, text: "oat milk"), Note(id: 3, text: "tea")]
        #expect(values[1] as? [Note] == merged)
        #expect(values[2] as? [Note] == merged)
    }
}
