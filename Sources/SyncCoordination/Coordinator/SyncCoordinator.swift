public import StoreSync
public import SyncPersistence

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Synchronizes a store by itself: after local changes, after changes of others, and again after failures.
///
/// ```swift
/// let coordinator = SyncCoordinator(
///     of: store, with: remote, activity: { scene.activity() }, reachability: { network.states() })
/// await coordinator.start()
/// for await status in await coordinator.statuses() { show(status) }
/// ```
///
/// One cycle of the store runs at a time. Edits that follow each other closely are sent together. After a failure the
/// coordinator waits, each time longer, and at least as long as the remote has requested; edits do not shorten the wait.
/// The store knows which changes were not sent, so nothing is lost if the process ends.
///
/// ``ChangeProcessor`` adds work of an app's own. Call ``stop()`` before you release a coordinator that was started.
public actor SyncCoordinator {
    let store: any PersistenceAdapter
    let remote: any Remote
    let policies: SyncPolicies
    let scope: String?
    let processors: [ProcessorLane]
    private let activity: @Sendable () -> AsyncStream<Bool>
    private let reachability: @Sendable () -> AsyncStream<Bool>
    private let wakeUps: @Sendable () -> AsyncStream<Void>
    private let renewAuthorization: (@Sendable () async -> Bool)?
    private let choose: @Sendable (RemoteMismatch) async -> RemoteMismatch.Choice
    private let log: (@Sendable (String) -> Void)?
    private let clock: CoordinatorClock
    let makeName: @Sendable () -> String
    private let settings: CoordinatorSettings

    private var generator: any RandomNumberGenerator & Sendable
    private var state: CoordinatorState

    /// What the app has chosen to do about mismatches, until a cycle has used it.
    var choices: [RemoteMismatch: RemoteMismatch.Choice] = [:]

    /// The runs in progress by lane.
    private var tasks: [Int: (run: Int, task: Task<Void, Never>)] = [:]

    /// The tasks that receive commits and signals.
    private var observers: [Task<Void, Never>] = []

    /// The task that receives notifications, or pauses after they have ended; nil if there is none.
    private var notifications: Task<Void, Never>?

    /// Whether the remote has ever sent a notification.
    private var remoteNotifies = false

    /// How many streams of notifications in succession have ended soon after their begin.
    private var earlyEnds = 0

    private var timer: (end: Duration, task: Task<Void, Never>)?
    private var waiters:
        [(isMet: (CoordinatorState, Duration) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    private var recorder = EventRecorder()
    private var status = SyncStatus.stopped
    private let statusFeed = Feed<SyncStatus>(limit: 1)
    private let eventFeed = Feed<SyncEvent>(limit: 1_000)

    /// Creates a coordinator that was not started.
    ///
    /// - Parameters:
    ///   - store: The store. It has one coordinator in a process.
    ///   - remote: The other end.
    ///   - policies: Resolve conflicts of both sides.
    ///   - scope: The name of the part of the account's records that the store has; nil for all.
    ///   - processors: Work of the app's own.
    ///   - settings: Delays and sizes.
    ///   - activity: Returns a stream of whether the app is active, which begins with the present state. Each ``start()`` calls
    ///     it for a stream of its own, because ``stop()`` ends the former one. While the app is inactive, only
    ///     ``syncOnce(within:)`` begins cycles.
    ///   - reachability: Returns a stream of whether the remote can be reached, as `activity` does. If it cannot, nothing begins. While the app is
    ///     inactive or the remote cannot be reached, no notifications are received.
    ///   - wakeUps: Returns a stream with an element whenever another process may have changed the store. The store is also
    ///     looked at when the app becomes active.
    ///   - renewAuthorization: Renews the authorization that the remote has not accepted; returns whether that succeeded.
    ///     It is called once, and again only after a success.
    ///   - choose: Returns what to do about a mismatch of store and remote. Until then, no cycle begins. It may wait for
    ///     a person. After `.keepApart`, it is called again by the next cycle, which ``syncNow()`` begins.
    ///   - log: Receives the events as lines without values and keys.
    ///   - clock: Measures the delays.
    ///   - generator: Makes the random parts of delays.
    ///   - date: Returns the date, which is only shown.
    ///   - makeName: Returns another name with each call, for the device and for pushes.
    public init(
        of store: any PersistenceAdapter, with remote: any Remote, policies: SyncPolicies = SyncPolicies(),
        scope: String? = nil, processors: [any ChangeProcessor] = [],
        settings: CoordinatorSettings = CoordinatorSettings(),
        activity: @escaping @Sendable () -> AsyncStream<Bool> = { AsyncStream { $0.finish() } },
        reachability: @escaping @Sendable () -> AsyncStream<Bool> = { AsyncStream { $0.finish() } },
        wakeUps: @escaping @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } },
        renewAuthorization: (@Sendable () async -> Bool)? = nil,
        choose: @escaping @Sendable (RemoteMismatch) async -> RemoteMismatch.Choice = { $0.defaultChoice },
        log: (@Sendable (String) -> Void)? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        date: @escaping @Sendable () -> Date = { Date() },
        makeName: @escaping @Sendable () -> String = { UUID().uuidString }
    ) {
        self.store = store
        self.remote = remote
        self.policies = policies
        self.scope = scope
        self.activity = activity
        self.reachability = reachability
        self.wakeUps = wakeUps
        self.renewAuthorization = renewAuthorization
        self.choose = choose
        self.log = log
        self.clock = CoordinatorClock(clock, date: date)
        self.generator = generator
        self.makeName = makeName
        self.settings = settings
        let context = ProcessorContext(store: store, remote: remote)
        self.processors = processors.map { ProcessorLane($0, in: context, batchSize: settings.processorBatch) }
        state = CoordinatorState(
            settings: settings, processors: processors.map(\.name), canRenew: renewAuthorization != nil)
    }
}

extension SyncCoordinator {
    /// Begins to synchronize, and does so until ``stop()``.
    ///
    /// Starting twice has no effect.
    public func start() {
        if observers.isEmpty { observe() }
        handle(.started)
    }

    /// Cancels the runs in progress, and waits until they have ended.
    ///
    /// Unsent changes stay in the store. A run that ignores the cancellation is abandoned after a while. A ``start()``
    /// meanwhile ends the wait.
    public func stop() async {
        for observer in observers { observer.cancel() }
        observers = []
        handle(.stopRequested)
        await wait { state, _ in !state.isStopping }
    }

    /// Begins a cycle now.
    ///
    /// It ends a delay after a failure, unless the remote has requested that delay. If a cycle runs, another one follows.
    public func syncNow() { handle(.requested) }

    /// Begins nothing more until ``resume()``, and receives no notifications of the remote.
    ///
    /// Runs in progress continue.
    public func suspend() { handle(.suspended) }

    /// Continues after ``suspend()``, with a cycle that finds what others have changed meanwhile.
    public func resume() { handle(.resumed) }

    /// Waits until nothing runs, and nothing will run before something happens or a delay after a failure has passed.
    ///
    /// A commit shortly before the call may not have been received yet; ``syncNow()`` takes it into account.
    public func waitUntilIdle() async { await wait { state, now in state.isIdle(at: now) && !self.recorder.isStoring } }

    /// Synchronizes once within a time, such as in a background task of the system.
    ///
    /// It works without ``start()``, and while the app is inactive. Before the time is over, it cancels the runs in progress;
    /// the next ones continue. After ``start()``, while the app is active, they go on. The cancellation of the task that
    /// calls it is the end of the time.
    ///
    /// - Parameter limit: When it returns at the latest.
    /// - Returns: Whether nothing is left to do.
    public func syncOnce(within limit: Duration) async -> Bool {
        let end = clock.now.elapsed + limit
        handle(.boundedRunBegan(end: end))
        let timer = Task { [clock] in
            // A tenth of the time is for the end.
            try? await clock.sleep(until: end - limit / 10)
            if Task.isCancelled { return }
            self.handle(.boundedRunEnds(end: end))
            try? await clock.sleep(until: end)
            if !Task.isCancelled { self.handle(.timePassed) }
        }
        let isCancelled = Locked(false)
        await withTaskCancellationHandler {
            await wait { state, now in
                if now >= end || isCancelled.current && !state.isEnding { return true }
                return (state.isIdle(at: now) || state.isEnding && state.isStill) && !self.recorder.isStoring
            }
        } onCancel: {
            Task { await self.endBoundedRun(end, isCancelled) }
        }
        timer.cancel()
        handle(.boundedRunEnds(end: end))
        return state.isDone
    }

    private func endBoundedRun(_ end: Duration, _ isCancelled: Locked<Bool>) {
        isCancelled.exchange(with: true)
        handle(.boundedRunEnds(end: end))
    }

    /// The counts of the coordinator's work since its creation.
    public var counters: SyncCounters { state.counters }

    /// Returns the present status, and then each later one.
    ///
    /// A slow observer receives the latest one only.
    public func statuses() -> AsyncStream<SyncStatus> { statusFeed.stream(beginningWith: status) }

    /// Returns the events from now on.
    ///
    /// A slow observer receives the latest 1,000.
    public func events() -> AsyncStream<SyncEvent> { eventFeed.stream() }
}

extension SyncCoordinator {
    /// Handles an event, and performs the actions that follow from it.
    func handle(_ event: CoordinatorState.Event) {
        let listened = state.listens
        for action in state.handle(event, at: clock.now, using: &generator) { perform(action) }
        if state.listens && !listened { observeNotifications() }
        if !state.listens { endNotifications() }
        setTimer()
        let status = state.status(at: clock.now.elapsed)
        if status != self.status {
            self.status = status
            statusFeed.publish(status)
        }
        storeEvents()
        resumeWaiters()
    }

    private func resumeWaiters() {
        let now = clock.now.elapsed
        let met = waiters.filter { $0.isMet(state, now) }
        waiters.removeAll { $0.isMet(state, now) }
        for waiter in met { waiter.continuation.resume() }
    }

    private func perform(_ action: CoordinatorState.Action) {
        switch action {
        case .begin(let lane, let run, let isRetry):
            let task = Task {
                let result = lane == 0 ? await self.runCycle(run) : await self.runProcessor(lane, run, isRetry)
                self.handle(.ended(lane: lane, run: run, result))
            }
            tasks[lane] = (run, task)
        case .cancel(let lane, let run, let isAbandoned):
            guard let task = tasks[lane], task.run == run else { return }
            task.task.cancel()
            if isAbandoned { tasks[lane] = nil }
        case .renewAuthorization:
            Task { self.handle(.renewedAuthorization(succeeded: await self.renewAuthorization?() ?? false)) }
        case .refresh:
            // A cycle also finds what others have changed.
            Task { do { try await self.store.refresh() } catch { self.handle(.refreshFailed) } }
        case .choose(let mismatch): Task { self.handle(.chose(mismatch, await self.choice(for: mismatch))) }
        case .report(let event):
            if case .cycleEnded(let outcome) = event, outcome.failure == nil { observeNotifications() }
            report(event)
        }
    }

    private func choice(for mismatch: RemoteMismatch) async -> RemoteMismatch.Choice {
        let choice = await choose(mismatch)
        choices[mismatch] = choice
        return choice
    }

    /// Publishes an event.
    func report(_ event: SyncEvent) {
        log?(event.description)
        eventFeed.publish(event)
        recorder.add(event, at: clock.now.date)
    }

    /// Stores events for tools.
    private func storeEvents() {
        guard let events = recorder.begin() else { return }
        Task { [store] in
            let isStored = (try? await store.write { try $0.record(events) }) != nil
            self.recorder.end(events, isStored: isStored)
            if isStored { self.storeEvents() }
            self.resumeWaiters()
        }
    }

    /// Waits for the next time that matters.
    private func setTimer() {
        let end = state.nextWake
        if end == timer?.end { return }
        timer?.task.cancel()
        timer = end.map { end in
            let task = Task { [clock] in
                try? await clock.sleep(until: end)
                if !Task.isCancelled { self.endTimer() }
            }
            return (end, task)
        }
    }

    private func endTimer() {
        timer = nil
        handle(.timePassed)
    }

    private func wait(until isMet: @escaping (CoordinatorState, Duration) -> Bool) async {
        if isMet(state, clock.now.elapsed) { return }
        await withCheckedContinuation { waiters.append((isMet, $0)) }
    }
}

extension SyncCoordinator {
    /// Begins to receive commits and signals.
    private func observe() {
        observe(store.commits()) { [processors] commit in
            let changes = commit.changes.filter { $0.origin != .local }
            if !changes.isEmpty { for lane in processors { await lane.add(changes) } }
            let kind: CoordinatorState.CommitKind =
                !commit.changes.isEmpty || commit.isOfOthers ? .records : commit.metadata.isEmpty ? .other : .metadata
            return .committed(sequence: commit.sequence, kind)
        }
        observe(activity()) { .activityChanged(isActive: $0) }
        observe(wakeUps()) { .wokenUp }
        observe(reachability()) { .reachabilityChanged(isReachable: $0) }
    }

    /// Begins to receive the notifications of the remote, unless it does, or no cycle could begin.
    ///
    /// If the remote ends them, they are received again after the next successful cycle. That cycle begins at once, and later
    /// each time if they end again soon. A remote that has never sent one has no notifications, and their end begins no cycle.
    private func observeNotifications() {
        if notifications != nil || !state.listens { return }
        let cursors = remote.notifications()
        let start = clock.now.elapsed
        notifications = Task { [scope, clock] in
            for await cursor in cursors {
                if Task.isCancelled { return }
                self.remoteNotifies = true
                self.handle(.notified(cursor?.inScope(scope)))
            }
            if Task.isCancelled { return }
            if let end = self.pauseEnd(afterNotificationsFrom: start) { try? await clock.sleep(until: end) }
            if Task.isCancelled { return }
            self.notifications = nil
            // A cycle finds out why they have ended.
            if self.remoteNotifies { self.handle(.notified(nil)) }
        }
    }

    /// Returns until when no notifications are received, now that a stream of them has ended; nil if there is no pause.
    ///
    /// A stream of less than 30 seconds has ended soon. The pauses grow with each that follows another one.
    private func pauseEnd(afterNotificationsFrom start: Duration) -> Duration? {
        guard remoteNotifies else { return nil }
        let now = clock.now.elapsed
        earlyEnds = now - start < .seconds(30) ? earlyEnds + 1 : 0
        if earlyEnds < 2 { return nil }
        return now + settings.retries.delay(after: earlyEnds - 1, wish: nil, using: &generator)
    }

    /// Receives no more notifications, because no cycle could begin.
    private func endNotifications() {
        notifications?.cancel()
        notifications = nil
    }

    private func observe<Element: Sendable>(
        _ stream: AsyncStream<Element>, _ event: @escaping @Sendable (Element) async -> CoordinatorState.Event
    ) {
        let observer = Task {
            for await element in stream {
                let event = await event(element)
                if Task.isCancelled { return }
                self.handle(event)
            }
        }
        observers.append(observer)
    }
}
