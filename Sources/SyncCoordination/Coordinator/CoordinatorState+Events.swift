package import StoreSync

extension CoordinatorState {
    /// Something that has happened.
    package enum Event: Sendable {
        /// The app has started the coordinator.
        case started
        /// The app has stopped the coordinator, whose runs may still go on.
        case stopRequested
        /// The app forbids new runs for now.
        case suspended
        /// The app allows runs again.
        case resumed
        /// The app has come to the front, or has left it.
        case activityChanged(isActive: Bool)
        /// The network has become reachable, or is not any more.
        case reachabilityChanged(isReachable: Bool)
        /// The store has published a commit.
        ///
        /// It has changes of records, or was made for the app's metadata alone, or for the library.
        case committed(sequence: Int64, CommitKind)
        /// Another process may have changed the store.
        case wokenUp
        /// The remote has changes up to a position in its history; nil if that is unknown.
        case notified(SyncCursor?)
        /// The app requests a cycle now.
        case requested
        /// The store could not find out whether another process has changed it.
        case refreshFailed
        /// A bounded run has begun, which must return at a time.
        case boundedRunBegan(end: Duration)
        /// The bounded run that must return at a time has ended, or its time is nearly over.
        case boundedRunEnds(end: Duration)
        /// A run has got further, and has made a commit if there is a number.
        case progressed(lane: Int, run: Int, fraction: Double?, commit: Int64?)
        /// A run has ended.
        case ended(lane: Int, run: Int, RunResult)
        /// The app has tried to renew the authorization.
        case renewedAuthorization(succeeded: Bool)
        /// The app has chosen what to do about a mismatch.
        case chose(RemoteMismatch, RemoteMismatch.Choice)
        /// The time of ``nextWake`` has come.
        case timePassed
    }

    /// Something to do.
    package enum Action: Sendable {
        /// Begin a run, which tries postponed work again if `isRetry`.
        case begin(lane: Int, run: Int, isRetry: Bool)
        /// Cancel a run. Its result is no longer awaited if `isAbandoned`.
        case cancel(lane: Int, run: Int, isAbandoned: Bool)
        /// Lets the app renew the authorization.
        case renewAuthorization
        /// Find out whether another process has changed the store.
        case refresh
        /// Let the app choose what to do about a mismatch.
        case choose(RemoteMismatch)
        /// Publishes an event.
        case report(SyncEvent)
    }

    /// What a commit has changed.
    package enum CommitKind: Sendable {
        /// Records of the app, so that there may be something to push or to process.
        case records
        /// The app's metadata alone.
        case metadata
        /// The library's own data alone, such as a released refusal.
        case other
    }
}
