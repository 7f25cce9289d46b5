extension SQLiteAdapter {
    /// Lets running transactions end, and lets later ones wait until ``resume()``.
    ///
    /// It is for an app whose file lies in an app group, before the app is suspended:
    ///
    /// ```swift
    /// await store.suspend()
    /// // when the app is active again:
    /// try await store.resume()
    /// ```
    ///
    /// After its return, no connection of the store has a transaction, or a lock that another process waits for. Reads
    /// and writes that wait can be cancelled, and throw if the store is closed. Observations of the store go on.
    ///
    /// A second call has no effect of its own. Both return when the running transactions have ended, or when the store
    /// is resumed. The calls of one actor take effect in their order.
    ///
    /// Cancel long reads and cycles before the call. A write that waits for another process takes up to
    /// ``Options/busyTimeout``.
    public nonisolated(nonsending) func suspend() async { await pool.suspend() }

    /// Continues after ``suspend()``, and publishes whether others have made commits meanwhile.
    ///
    /// The waiting transactions begin in their order, also if the call throws. If the store is not suspended, the call
    /// does the same as ``refresh()``.
    ///
    /// - Throws: As ``refresh()``.
    public nonisolated(nonsending) func resume() async throws {
        pool.resume()
        try await refresh()
    }
}
