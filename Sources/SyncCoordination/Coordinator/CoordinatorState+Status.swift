/// What the coordinator does at present.
extension CoordinatorState {
    /// Whether notifications of the remote begin runs, so that they must be received.
    package var listens: Bool { phase == .started && !isSuspended && isActive && isReachable }

    /// Whether no run is in progress.
    package var isStill: Bool { lanes.allSatisfy { $0.run == nil } }

    /// Whether runs in progress end because of a stop.
    var isStopping: Bool { phase == .stopping }

    /// Whether nothing is done, and nothing will be before something happens or a delay after a failure has passed.
    package func isIdle(at now: Duration) -> Bool {
        renewalEnd == nil && (!isChoosing || phase == .stopped) && isStill
            && !(canBegin && lanes.contains { $0.isAboutToBegin(at: now) })
    }

    /// When ``Event/timePassed`` must be reported; nil if no time matters.
    package var nextWake: Duration? {
        let deadlines = lanes.compactMap(\.deadline) + [renewalEnd].compactMap { $0 }
        return (canBegin ? deadlines + lanes.compactMap(\.start) : deadlines).min()
    }

    /// Whether nothing is left to do.
    package var isDone: Bool { lanes.allSatisfy(\.isDone) }

    /// Whether runs end, and no other ones begin.
    package var isEnding: Bool { !canBegin }

    /// Returns the status for views.
    package func status(at now: Duration) -> SyncStatus {
        if !isStill { return .syncing(fraction: fraction) }
        if phase == .stopped && !isBounded { return .stopped }
        if isSuspended { return .suspended }
        for lane in lanes {
            if let reason = lane.halt { return .waiting(until: nil, reason) }
            if lane.isDone { continue }
            if !isReachable && !isBounded { return .waiting(until: nil, .offline) }
            let pauses = [lane.pause, lane.retry].compactMap { $0 }
            if let pause = pauses.first(where: { $0.end > now }) { return .waiting(until: pause.date, pause.reason) }
        }
        let refusedCount = refusedCounts.reduce(0, +)
        if conflictCount > 0 || refusedCount > 0 {
            return .attention(conflicts: conflictCount, refused: refusedCount)
        }
        return .idle(lastSync: lastSync)
    }
}
