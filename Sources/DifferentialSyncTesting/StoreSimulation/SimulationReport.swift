import StoreSync

/// What a simulation has found and counted so far.
///
/// A ``SimulationRun`` has the report of a run that has ended.
package struct SimulationReport: Sendable {
    /// The rules that were broken so far.
    package private(set) var faults: [SimulationFault] = []

    /// What has happened, one event in a line; nil for a run without a trace.
    package private(set) var trace: [String]?

    /// How often each kind of event has happened.
    private(set) var events: [SimulationEvent: Int] = [:]

    /// Creates the report of a run that has not begun.
    init(isTraced: Bool) { trace = isTraced ? [] : nil }

    /// Adds a line to the trace; the text is only made if there is a trace.
    package mutating func log(_ event: @autoclosure () -> String) {
        if trace != nil { trace?.append(event()) }
    }

    /// Adds a broken rule, which ends neither the script nor the run.
    package mutating func addFault(_ rule: SimulationFault.Rule, _ text: String) {
        log("FAULT \(rule): \(text)")
        faults.append(SimulationFault(rule: rule, text: text))
    }

    /// Counts an event, with which tests show that a fault has occurred at all.
    mutating func count(_ event: SimulationEvent) { events[event, default: 0] += 1 }
}

extension SimulationReport {
    /// Counts what is unusual about a request that arrives.
    ///
    /// - Parameters:
    ///   - message: The request.
    ///   - device: The device that has sent the request. It no longer waits for the answer to a late request.
    ///   - isEarly: Whether an older request of the device is still on its way.
    mutating func countArrival(of message: SimulatedMessage, from device: SimulatedDevice, isEarly: Bool) {
        if message.isCopy {
            count(.duplicatedRequest)
        } else if !device.awaits(message) {
            count(.delayedRequest)
        }
        if isEarly { count(.reorderedRequest) }
    }

    /// Counts what is unusual about the answer to a device's request.
    mutating func count(
        _ answer: SimulatedMessage.Answer, to request: SimulatedMessage.Request, of device: SimulatedDevice
    ) {
        switch answer {
        case .handshake(let response):
            guard case .handshake(let request) = request, let cursor = request.cursor else { return }
            if response.epoch != cursor.epoch {
                if !device.isElsewhere { count(.epochChange) }
            } else if cursor.sequence < response.horizon {
                count(.passedHorizon)
            }
        case .pull(let page):
            if page.hasMore { count(.cutPage) }
            if device.isBehindRelay && !page.entries.isEmpty { count(.relayedPull) }
        case .push(let response):
            let acceptedCount = response.outcomes.count(where: \.isAccepted)
            if acceptedCount > 0 && acceptedCount < response.outcomes.count { count(.partialFailure) }
            if device.isBehindRelay && acceptedCount > 0 { count(.relayedPush) }
            for outcome in response.outcomes {
                switch outcome {
                case .accepted(.some, _): count(.amendment)
                case .refused: count(.refusal)
                case .unauthorized: count(.changeOutsideScope)
                default: break
                }
            }
        case .failed(.throttled): count(.throttling)
        case .failed: break
        }
    }
}

extension SimulationReport {
    /// Checks that the number of a service's last change does not go back within an epoch.
    mutating func checkHistory(
        from former: (epoch: String?, sequence: Int64), to later: (epoch: String?, sequence: Int64)
    ) {
        guard former.epoch == later.epoch, former.sequence > later.sequence else { return }
        addFault(.goesBack, "the service's sequence \(former.sequence) is followed by \(later.sequence)")
    }

    /// Checks that the position after a page does not go back within an epoch.
    mutating func checkCursor(of page: PullResponse, after cursor: SyncCursor) {
        guard page.cursor.epoch == cursor.epoch, page.cursor.sequence < cursor.sequence else { return }
        addFault(.goesBack, "a page after \(cursor.sequence) ends at \(page.cursor.sequence)")
    }
}

extension PushResponse.Outcome {
    /// Whether the service has made the change, perhaps amended.
    fileprivate var isAccepted: Bool { if case .accepted = self { true } else { false } }
}
