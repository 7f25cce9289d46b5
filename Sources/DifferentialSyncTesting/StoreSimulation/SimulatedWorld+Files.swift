import SyncPersistence

extension SimulatedWorld {
    /// Opens the stores that are in files, by their numbers: 0 is the service, and 1 the first device.
    ///
    /// - Returns: The files; nil if there are none.
    mutating func openFiles(_ numbers: [Int]) async -> SimulatedFiles? {
        guard !numbers.isEmpty, let makeFiles = simulator.makeFiles else { return nil }
        do {
            let files = try makeFiles()
            for number in Set(numbers.map { $0.wrapped(devices.count + 1) }).sorted() {
                let (name, schema) = ("\(number)", simulator.schema)
                if number == 0 {
                    try await service.disk.open(files, name: name, schema)
                } else {
                    try await devices[number - 1].disk.open(files, name: name, schema)
                }
            }
            return files
        } catch {
            report.addFault(.error, "the stores in files cannot be opened: \(error)")
            return nil
        }
    }

    /// Closes and removes the stores in files.
    mutating func remove(_ files: SimulatedFiles) async {
        await service.disk.file?.close()
        for device in devices { await device.disk.file?.close() }
        do {
            try await files.remove()
        } catch {
            report.addFault(.error, "the stores in files cannot be removed: \(error)")
        }
    }

    /// Opens the store of a device again, as after the end of its program, if it is in a file.
    mutating func reopenFile(of device: Int) async {
        guard devices[device].disk.file != nil else { return }
        report.log("the file of device \(device) is opened again")
        report.count(.reopenedFile)
        await changeFiles { try await $0.devices[device].disk.reopen() }
    }

    /// Opens the service's store again, as after the end of its program, if it is in a file.
    mutating func reopenServiceFile() async {
        guard service.disk.file != nil else { return }
        report.count(.reopenedFile)
        await changeFiles { try await $0.service.disk.reopen() }
    }

    /// Runs a body that changes stores in files.
    ///
    /// An error of the body is a fault of the simulation, because files do not fail by themselves here.
    mutating func changeFiles(_ body: (inout SimulatedWorld) async throws -> Void) async {
        do {
            try await body(&self)
        } catch {
            report.addFault(.error, "a store in a file throws \(error)")
        }
    }
}
