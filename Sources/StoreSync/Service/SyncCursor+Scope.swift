extension SyncCursor {
    /// Returns the position for a device with a scope.
    package func inScope(_ scope: String?) -> SyncCursor {
        SyncCursor(epoch: DeviceRow.history(epoch, scope), sequence: sequence)
    }

    /// Whether the position is one of a service's epoch, in any scope.
    func isOf(_ epoch: String) -> Bool { self.epoch == epoch || self.epoch.hasPrefix(DeviceRow.history(epoch, "")) }
}
