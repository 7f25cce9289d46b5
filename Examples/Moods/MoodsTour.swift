import Foundation
import StoreSync

/// A phone and a laptop share moods over a folder.
struct MoodsTour {
    private let phone: MoodDevice
    private let laptop: MoodDevice
    private let write: @Sendable (String) -> Void

    /// Runs the tour.
    ///
    /// - Parameters:
    ///   - folder: The folder of all files, without devices from before.
    ///   - makeName: Returns another name with each call.
    ///   - write: Writes a line.
    /// - Returns: Whether both devices agree after each part.
    static func run(
        in folder: MoodFolder, makeName: @escaping @Sendable () -> String, write: @escaping @Sendable (String) -> Void
    ) async throws -> Bool {
        for name in ["phone.sqlite", "laptop.sqlite", "remote", "timeline.jsonl"]
        where FileManager.default.fileExists(atPath: "\(folder.path)/\(name)") {
            throw MoodsError("'\(folder.path)/\(name)' exists: the tour needs a folder without it")
        }
        let phone = try await MoodDevice("phone", in: folder, makeName: makeName)
        let laptop = try await MoodDevice("laptop", in: folder, makeName: makeName)
        let tour = MoodsTour(phone: phone, laptop: laptop, write: write)
        let result: Result<Bool, any Error>
        do { result = .success(try await tour.run()) } catch { result = .failure(error) }
        await phone.close()
        await laptop.close()
        return try result.get()
    }
}

extension MoodsTour {
    private func run() async throws -> Bool {
        write("Two devices with a file each, and a folder between them. There is no server.")
        var isAgreed = try await firstContact()
        isAgreed = try await offlineEdits() && isAgreed
        isAgreed = try await openConflict() && isAgreed
        isAgreed = try await deletedCountry() && isAgreed
        isAgreed = try await refusedRecord() && isAgreed
        write("")
        for line in try await phone.lines() { write(line) }
        return isAgreed
    }

    private func firstContact() async throws -> Bool {
        step(1, "Both have moods before they have ever met")
        try await phone.add("calm", in: "IS", note: "hot spring")
        try await laptop.add("curious", in: "JP")
        try await synchronize(phone, laptop, phone)
        return try await check()
    }

    private func offlineEdits() async throws -> Bool {
        step(2, "Both are offline, and edit the same mood: its feeling here, its note there")
        try await phone.edit("phone-1", feeling: "happy")
        try await laptop.edit("phone-1", note: "hot spring at night")
        try await laptop.add("tired", in: "IS")
        try await synchronize(phone, laptop, phone)
        return try await check()
    }

    private func openConflict() async throws -> Bool {
        step(3, "Both change the same feeling: the conflict stays in the inbox until a person resolves it")
        try await phone.edit("laptop-1", feeling: "amazed")
        try await laptop.edit("laptop-1", feeling: "bored")
        try await synchronize(phone, laptop)
        try await resolve("laptop-1", with: .local)
        try await synchronize(laptop, phone)
        return try await check()
    }

    private func deletedCountry() async throws -> Bool {
        step(4, "The phone deletes Iceland with its moods, while the laptop adds one there")
        try await phone.delete("IS")
        let mood = try await laptop.add("cosy", in: "IS")
        try await synchronize(phone, laptop)
        write("   nothing is lost: the laptop still has \(mood), and Iceland")
        try await resolve("IS", with: .local)
        try await synchronize(laptop, phone)
        return try await check()
    }

    private func refusedRecord() async throws -> Bool {
        step(5, "A note is too long for the remote: it is refused with the reason, and holds up nothing else")
        let mood = try await laptop.add("chatty", in: "NZ", note: String(repeating: "Once more: ", count: 2_000))
        try await laptop.add("patient", in: "DE")
        try await synchronize(laptop, phone)
        write("   the laptop shortens the note of \(mood), and that is enough")
        try await laptop.edit(mood, note: "in short")
        try await synchronize(laptop, phone)
        return try await check()
    }
}

extension MoodsTour {
    private func step(_ number: Int, _ title: String) {
        write("")
        write("\(number)  \(title)")
    }

    private func synchronize(_ devices: MoodDevice...) async throws {
        for device in devices { try await device.synchronize(write: write) }
    }

    private func resolve(_ id: String, with resolution: Resolution<Record>) async throws {
        try await laptop.resolve(id, with: resolution)
        write("   the laptop resolves \(id): mine")
    }

    /// Compares the fingerprints of both stores, which count and digest all of their records.
    private func check() async throws -> Bool {
        let fingerprint = try await phone.fingerprint
        guard let count = fingerprint?.count, try await laptop.fingerprint == fingerprint else {
            write("✗ phone and laptop do not agree")
            return false
        }
        write("✓ phone and laptop agree: \(count) records")
        return true
    }
}
