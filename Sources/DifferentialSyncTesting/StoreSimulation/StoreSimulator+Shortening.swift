extension StoreSimulator {
    /// Returns a shorter form of a script that breaks the same rule, from which no single step can be omitted.
    ///
    /// Halves of the script are omitted first, then smaller parts, as in the delta debugging of Zeller and Hildebrandt
    /// (2002). Then records get smaller numbers, and the settings become simpler.
    ///
    /// - Parameters:
    ///   - script: The script.
    ///   - rule: The first rule that the script breaks.
    public func shortened(_ script: SimulationScript, breaking rule: SimulationFault.Rule) async -> SimulationScript {
        func breaksRule(_ script: SimulationScript) async -> Bool { await fault(of: script)?.rule == rule }
        var script = script
        var count: Int
        repeat {
            count = script.operations.count
            await removeSteps(from: &script, while: breaksRule)
            // With smaller numbers of records, other steps may become needless.
            for position in script.operations.indices {
                for smaller in script.operations[position].withSmallerRecords {
                    var simpler = script
                    simpler.operations[position] = smaller
                    if await breaksRule(simpler) {
                        script = simpler
                        break
                    }
                }
            }
        } while script.operations.count < count
        let simplifications: [(inout SimulationScript) -> Void] = [
            { $0.devices = min($0.devices, 3) }, { $0.devices = min($0.devices, 2) }, { $0.devices = 1 },
            { $0.pageRecords = 100 }, { $0.pushRecords = 100 }, { $0.files = [] }, { $0.hasRelay = false },
            { $0.scopes = [] },
        ]
        for simplify in simplifications {
            var simpler = script
            simplify(&simpler)
            if await breaksRule(simpler) { script = simpler }
        }
        return script
    }

    /// Removes steps, many at first and then single ones, as long as a condition holds.
    private func removeSteps(
        from script: inout SimulationScript, while condition: (SimulationScript) async -> Bool
    ) async {
        var size = max(script.operations.count / 2, 1)
        while true {
            var start = 0
            var isShorter = false
            while start < script.operations.count {
                var shorter = script
                shorter.operations.removeSubrange(start..<min(start + size, script.operations.count))
                if await condition(shorter) {
                    script = shorter
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1 && !isShorter { return }
            size = max(size / 2, 1)
        }
    }
}

extension SimulationOperation {
    /// The same step with each smaller number of a record.
    fileprivate var withSmallerRecords: [SimulationOperation] {
        switch self {
        case .update(let device, let record, let number):
            (0..<max(record, 0)).map { .update(device: device, record: $0, number: number) }
        case .delete(let device, let record): (0..<max(record, 0)).map { .delete(device: device, record: $0) }
        case .connect(let device, let record, let relationship, let target):
            (0..<max(record, 0)).map {
                .connect(device: device, record: $0, relationship: relationship, to: target)
            }
                + (0..<max(target, 0)).map {
                    .connect(device: device, record: record, relationship: relationship, to: $0)
                }
        case .disconnect(let device, let record, let relationship):
            (0..<max(record, 0)).map { .disconnect(device: device, record: $0, relationship: relationship) }
        default: []
        }
    }
}
