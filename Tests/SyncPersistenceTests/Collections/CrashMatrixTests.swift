import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// The program ends at every point of a scripted cycle, and starts again: nothing is lost, nothing is done twice, nothing
/// that was deleted comes back.
struct CrashMatrixTests {
    /// What happens between the end of the program and its next start.
    enum Meanwhile: CaseIterable { case nothing, edits, deletionElsewhere, editElsewhere }

    @Test(arguments: Meanwhile.allCases)
    func cycleResumesAfterACrashAtAnyPoint(meanwhile: Meanwhile) async throws {
        for isFirstContact in [false, true] {
            for isRefused in [false, true] {
                let undisturbed = try await Run(isFirstContact: isFirstContact, isRefused: isRefused)
                try await undisturbed.phone(crashAt: nil)
                let points = undisturbed.points
                #expect(points >= 4)
                for point in 0..<points {
                    for secondPoint in isFullScale ? Array(-1..<points + 2) : [-1, 2, 4] {
                        let run = try await Run(isFirstContact: isFirstContact, isRefused: isRefused)
                        try await run.phone(crashAt: point)
                        let wasTaken = run.remote.elements.contains(Item(5))
                        try await run.happen(meanwhile)
                        let known = try await run.notes.version
                        let pullsOfEverything = run.pullsOfEverything
                        if secondPoint >= 0 { try await run.phone(crashAt: secondPoint) }
                        try await run.phone(crashAt: nil)
                        let place = "\(meanwhile), points \(point) and \(secondPoint)"
                        if known != nil { #expect(run.pullsOfEverything == pullsOfEverything, "\(place)") }
                        try await run.phone(crashAt: nil)
                        try await run.expectRest(meanwhile, wasTaken: wasTaken, place)
                    }
                }
            }
        }
    }

    /// A phone that has edited item 1, removed 2 and added 5, and a remote, perhaps with news of its own.
    final class Run {
        let store: InMemoryAdapter
        var notes: PersistentCollection<Item, Int>
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var points = 0
        var pullsOfEverything = 0
        private var pushes = 0
        private var tablet = try! JournaledCollection<Item, Int>([])

        init(isFirstContact: Bool, isRefused: Bool) async throws {
            store = try emptyStore()
            notes = try await store.collection(of: Item.self, entity: "Item")
            remote.reset(to: [Item(1), Item(2), Item(3)])
            if !isFirstContact {
                try await phone(crashAt: nil)
                try await notes.remove(2)
            }
            try await notes.upsert(Item(1, 9))
            try await notes.insert(Item(5))
            if isRefused { try elsewhere { try $0.upsert(Item(4)) } }
            points = 0
        }

        func elsewhere(_ body: (inout JournaledCollection<Item, Int>) throws -> Void) throws {
            pushes += 1
            try remote.synchronize(&tablet, pushID: "tablet \(pushes)", policy: .remoteWins)
            try body(&tablet)
            try remote.synchronize(&tablet, pushID: "tablet \(pushes)b", policy: .localWins)
        }

        /// Runs a cycle up to a point.
        func phone(crashAt last: Int?) async throws {
            notes = try await store.collection(of: Item.self, entity: "Item")
            points = 0
            /// Whether the program ends here.
            func ends() -> Bool {
                points += 1
                return points - 1 == last
            }
            pushes += 1
            var cycle = DurableCycle(notes, pushID: "phone \(pushes)", account: "account", policy: .localWins)
            if ends() { return }
            var step = try await cycle.begin()
            while true {
                if ends() { return }
                switch step {
                case .confirm(let pushID):
                    let status = remote.status(of: pushID)
                    if ends() { return }
                    step = try await cycle.confirmed(status)
                case .pull(let version):
                    if version == nil { pullsOfEverything += 1 }
                    let pull = remote.pull(since: version)
                    if ends() { return }
                    step = try await cycle.pulled(pull)
                case .push(let push):
                    let answer = try remote.push(push)
                    if ends() { return }
                    step = try await cycle.pushed(answer)
                case .finished: return
                }
            }
        }

        func happen(_ meanwhile: Meanwhile) async throws {
            switch meanwhile {
            case .nothing: break
            case .edits:
                try await notes.upsert(Item(5, 7))
                try await notes.upsert(Item(6))
            case .deletionElsewhere: try elsewhere { $0.remove(5) }
            case .editElsewhere: try elsewhere { if $0[5] != nil { try $0.upsert(Item(5, 3)) } }
            }
        }

        func expectRest(_ meanwhile: Meanwhile, wasTaken: Bool, _ place: String) async throws {
            let snapshot = try await notes.snapshot()
            #expect(Set(snapshot.client) == Set(remote.elements), "\(place)")
            #expect(Set(snapshot.client) == Set(snapshot.shadow), "\(place)")
            #expect(snapshot.pendingPush == nil && snapshot.version == remote.version, "\(place)")
            #expect(try await store.read { try $0.journal(of: "Item") }.isEmpty, "\(place)")
            let five = try await notes.element(5)
            switch meanwhile {
            case .nothing: #expect(five == Item(5), "\(place)")
            case .edits:
                #expect(five == Item(5, 7), "\(place)")
                #expect(try await notes.element(6) == Item(6), "\(place)")
            case .deletionElsewhere: #expect(five == (wasTaken ? nil : Item(5)), "\(place)")
            case .editElsewhere: #expect(five == (wasTaken ? Item(5, 3) : Item(5)), "\(place)")
            }
            #expect(try await notes.element(1) == Item(1, 9), "\(place)")
        }
    }
}
