public import Observation

/// The status of a coordinator for views, which update themselves when it changes.
///
/// ```swift
/// @State private var sync: ObservedSyncStatus
///
/// var body: some View {
///     SyncLabel(sync.status)
///         .task { await sync.observe() }
/// }
/// ```
@MainActor @Observable
public final class ObservedSyncStatus {
    /// The latest status.
    public private(set) var status = SyncStatus.stopped

    /// The coordinator whose status is observed.
    @ObservationIgnored private let coordinator: SyncCoordinator

    /// Creates a status that is not observed yet.
    public init(of coordinator: SyncCoordinator) {
        self.coordinator = coordinator
    }

    /// Keeps the status up to date until the task is cancelled.
    public func observe() async {
        for await status in await coordinator.statuses() { self.status = status }
    }
}
