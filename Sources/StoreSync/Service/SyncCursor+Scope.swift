extension SyncCursor {
    /// Returns the position for a device with a scope.
    package func inScope(_ scope: String?) -> SyncCursor {
        SyncCursor(epoch: DeviceRow.history(epoch, scope), sequence: sequence)
    }
}
