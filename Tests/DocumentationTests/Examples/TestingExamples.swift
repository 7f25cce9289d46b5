import DifferentialSyncTesting
import Testing

struct TestingExamples {
    @Test func devicesAndARemote() throws {
        var remote = SimulatedRemote<Note, Int>(primaryKey: \.id)
        var phone = try JournaledCollection([Note(id: 1, text: "milk")])
        var tablet = try JournaledCollection<Note, Int>([])
        try remote.synchronize(&phone, pushID: "1", policy: .localWins)
        try remote.synchronize(&tablet, pushID: "2", policy: .localWins)  // it has note 1 now
        #expect(Array(tablet) == [Note(id: 1, text: "milk")])

        try phone.update(Note(id: 1, text: "oat milk"))
        let outcome = try remote.synchronize(&phone, pushID: "3", policy: .localWins) { .answerLost }
        // outcome.ending is .inDoubt: the remote has "oat milk", and the phone does not know it yet
        try remote.synchronize(&phone, pushID: "4", policy: .localWins)  // asks, and knows
        #expect(outcome.ending == .inDoubt(pushID: "3"))
        #expect(remote.status(of: "3") == .applied(remote.version!), "it was not pushed again")
        #expect(remote.elements == [Note(id: 1, text: "oat milk")])
        #expect(phone.localDiff == nil)
    }

    @Test(arguments: [ConflictPolicy<Note>.longest, .localWins, .newest(by: \.modified)].indices)
    func aPolicy(index: Int) throws {
        let policy = [ConflictPolicy<Note>.longest, .localWins, .newest(by: \.modified)][index]
        let seed: UInt64 = 7
        var remote = SimulatedRemote<Note, Int>(primaryKey: \.id)
        var devices: [JournaledCollection<Note, Int>] = []
        for _ in 0..<3 { devices.append(try JournaledCollection([])) }
        var generator = SeededGenerator(seed: seed)
        for round in 0..<100 {
            for index in devices.indices {
                let id = Int.random(in: 0..<10, using: &generator)
                try devices[index].upsert(Note(id: id, text: "\(round) on \(index)", modified: round))
                if generator.happens(0.1) { devices[index].remove(id) }
                let pushID = "\(round) on \(index)"
                try remote.synchronize(&devices[index], pushID: pushID, policy: policy) {
                    generator.happens(0.2) ? .requestLost : generator.happens(0.2) ? .answerLost : .delivered
                }
            }
        }
        for round in 0..<3 {  // in peace: each device receives the others' last changes
            for index in devices.indices {
                try remote.synchronize(&devices[index], pushID: "peace \(round) on \(index)", policy: policy)
            }
        }
        for device in devices {
            #expect(device.sorted { $0.id < $1.id } == remote.elements.sorted { $0.id < $1.id })
            #expect(device.localDiff == nil)
        }
        #expect(!remote.elements.isEmpty)
    }
}
