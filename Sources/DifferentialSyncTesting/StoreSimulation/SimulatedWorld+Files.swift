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
                let place = number == 0 ? SimulatedPlace.service : .device(number - 1)
                try await self[place].open(files, name: "\(number)", simulator.schema)
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

    /// Opens a store again, as after the end of its program, if it is in a file.
    mutating func reopenFile(of place: SimulatedPlace) async {
        guard self[place].file != nil else { return }
        if case .device(let device) = place { report.log("the file of device \(device) is opened again") }
        report.count(.reopenedFile)
        await change(place) { try await $0.reopen() }
    }

    /// Changes what is stored at a place, and perhaps its file.
    ///
    /// An error of the body is a fault of the simulation, because files do not fail by themselves here.
    mutating func change(_ place: SimulatedPlace, _ body: (inout SimulatedDisk) async throws -> Void) async {
        do {
            try await body(&self[place])
        } catch {
            report.addFault(.error, "a store in a file throws \(error)")
        }
    }

    /// What the service or a device has stored.
    subscript(place: SimulatedPlace) -> SimulatedDisk {
        get {
            switch place {
            case .service: service.disk
            case .device(let device): devices[device].disk
            }
        }
        set {
            switch place {
            case .service: service.disk = newValue
            case .device(let device): devices[device].disk = newValue
            }
        }
    }
}
