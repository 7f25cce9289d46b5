import Foundation
import StoreSync
import SyncValues
import TestSupport
import Testing

/// What the program says of a store, and that it changes nothing.
struct InspectTests {
    private let store = InspectedStore()

    /// Leaves a pending change, an open conflict and a refused record in the file.
    private func leaveEverything() async throws {
        let laptop = InMemoryAdapter(schema: InspectedStore.schema)
        try await store.open { phone in
            try await store.write("a", to: "plan", in: phone)
            for device in [phone, laptop] as [any PersistenceAdapter] { try await store.synchronize(device) }
            try await store.write("b", to: "plan", in: laptop)
            try await store.synchronize(laptop)
            try await store.write("c", to: "plan", in: phone)
            try await store.write("", to: "secret", in: phone)
            try await store.synchronize(phone)
            try await store.write("later", to: "milk", in: phone)
        }
    }

    @Test func whatWaitsIsShownWithItsReasonAndWithoutValues() async throws {
        try await leaveEverything()
        let run = await InspectedStore.inspect(store.path)
        #expect(run.exitCode == 0 && run.errors == [])
        #expect(run.output.first == "\(store.path): ✗ not in step")
        let lines = run.output.map { $0.trimmingCharacters(in: .whitespaces) }
        for line in [
            "1 local change is not sent yet: the next cycle sends it, unless it waits for a processor or another record",
            "1 conflict is open: resolve it",
            "1 change is refused by the remote: edit, release or discard it", "account      ada", "Note    3",
            "Folder  0", "Note \"plan\"  changed on both sides: text", "Note \"secret\"  empty  write <something>",
        ] {
            #expect(lines.contains(line), "\(line) in \(lines)")
        }
        #expect(!run.output.contains { $0.contains("later") })
    }

    @Test func aPushWithoutAResponseIsInFlight() async throws {
        try await store.open { phone in
            try await store.write("a", to: "plan", in: phone)
            try await store.loseResponse(to: phone)
        }
        let output = await InspectedStore.inspect(store.path).output
        #expect(output.contains { $0.hasPrefix("  push 1 with 1 record has no response yet") })
        #expect(output.drop { $0 != "In flight" }.dropFirst().first == "  Note \"plan\"")
    }

    @Test func theLastEventsOfACoordinatorAreShown() async throws {
        try await store.open { phone in
            try await store.write("a", to: "plan", in: phone)
            await store.coordinate(phone, at: Date(timeIntervalSince1970: 1_000_000_000))
        }
        let output = await InspectedStore.inspect(store.path).output
        let event = output.drop { $0 != "Last events" }.dropFirst().first
        #expect(event?.hasPrefix("  2001-09-09T01:46:40Z  cycle ended: 0 pulled, 1 pushed") == true, "\(output)")
        let json = await InspectedStore.inspect(store.path, "--json").output.joined(separator: "\n")
        guard case .object(let document) = try Value(json: json), case .array(let events)? = document["events"],
            case .object(let last)? = events.last
        else {
            Issue.record("no events: \(json)")
            return
        }
        #expect(events.count == 1 && last["date"] == "2001-09-09T01:46:40Z")
    }

    @Test func aStoreInStepHasNoReasons() async throws {
        try await store.open { phone in
            #expect(await InspectedStore.inspect(store.path).output.first?.hasSuffix("✗ not in step") == true)
            try await store.write("a", to: "plan", in: phone)
            try await store.synchronize(phone)
        }
        let output = await InspectedStore.inspect(store.path).output
        #expect(output.first == "\(store.path): ✓ nothing waits")
        #expect(!output.contains("Why has this not synced?"))
    }

    @Test func theJSONHasAllPartsAndNoValues() async throws {
        try await leaveEverything()
        let run = await InspectedStore.inspect(store.path, "--json")
        #expect(run.exitCode == 0)
        let text = run.output.joined(separator: "\n")
        guard case .object(let document) = try Value(json: text) else {
            Issue.record("no object: \(text)")
            return
        }
        #expect(
            document["isSettled"] == false && document["account"] == "ada" && document["path"] == .string(store.path))
        #expect(document["entities"] == ["Folder": 0, "Note": 3])
        #expect(document["pending"] == ["Note": 1])
        #expect(document["conflicts"] == [["entity": "Note", "key": "plan", "fields": ["text"]]])
        #expect(
            document["refused"] == [
                ["entity": "Note", "key": "secret", "code": "empty", "reason": "write <something>"]
            ])
        #expect(document["inFlight"] == [] && document["waiting"] == [] && document["unreadable"] == [])
        #expect(!text.contains("later"))
    }

    @Test func theFileIsNotChanged() async throws {
        try await leaveEverything()
        let bytes = store.files.contents(of: "phone.sqlite")
        for option in ["--json", "--"] { _ = await InspectedStore.inspect(option, store.path) }
        #expect(store.files.contents(of: "phone.sqlite") == bytes)
        // While an app has the file open, its log is not written either.
        try await store.open { phone in
            try await store.write("d", to: "milk", in: phone)
            let log = store.files.contents(of: "phone.sqlite-wal")
            #expect(await InspectedStore.inspect(store.path).exitCode == 0)
            #expect(store.files.contents(of: "phone.sqlite-wal") == log)
            #expect(store.files.contents(of: "phone.sqlite") == bytes)
        }
    }

    @Test func whatIsNoStoreIsAClearErrorAndStaysAsItIs() async throws {
        let missing = await InspectedStore.inspect(store.path)
        #expect(missing.exitCode == 1 && missing.output == [])
        #expect(missing.errors == ["inspect: '\(store.path)' does not exist: name the SQLite file of a store"])
        let folder = await InspectedStore.inspect(store.files.path)
        #expect(folder.errors.first?.contains("is a folder") == true)
        #expect(try store.files.names == [])
        for text in ["", "a text that no database begins with"] {
            store.files.write(Data(text.utf8), to: "phone.sqlite")
            let run = await InspectedStore.inspect(store.path)
            #expect(run.exitCode == 1 && run.output == [] && run.errors.count == 1)
            #expect(run.errors.first?.contains(store.path) == true)
            #expect(store.files.contents(of: "phone.sqlite") == Data(text.utf8))
        }
    }

    @Test func aFileOfAnEarlierVersionIsAnErrorAndStaysAsItIs() async throws {
        let fixture = "Tests/SQLitePersistenceTests/Fixtures/format-3.sqlite"
        let bytes = try Data(contentsOf: SharedFiles.packageFolder.appendingPathComponent(fixture))
        store.files.write(bytes, to: "phone.sqlite")
        let run = await InspectedStore.inspect(store.path)
        #expect(run.exitCode == 1 && run.output == [])
        #expect(run.errors.first?.contains("earlier version") == true)
        #expect(store.files.contents(of: "phone.sqlite") == bytes)
    }

    @Test func aWrongCommandLineIsRefused() async throws {
        for words in [[], ["a", "b"], [""], ["a", "--csv"], ["a", "--html"], ["a", "--html", ""]] {
            let run = await InspectedStore.inspect(words)
            #expect(run.exitCode == 64 && run.output == [])
            #expect(run.errors.last == "Try 'inspect --help'.")
        }
    }
}
