/// What a simulation counts: each kind of fault that has had an effect.
public enum SimulationEvent: String, Hashable, Sendable, Codable, CaseIterable {
    /// A request does not reach the service.
    case lostRequest
    /// An answer does not reach the device, or the service ends without one.
    case lostAnswer
    /// The copy of a request reaches the service.
    case duplicatedRequest
    /// A request reaches the service after the device has stopped waiting.
    case delayedRequest
    /// A request reaches the service before an older one of the same device.
    case reorderedRequest
    /// A service accepts a part of a push.
    case partialFailure
    /// A service refuses changes for good.
    case refusal
    /// A service accepts changes with other values.
    case amendment
    /// A service answers no requests for now.
    case throttling
    /// A program ends while it waits for an answer.
    case crash
    /// The store of a device fails at a commit.
    case deviceStoreFailure
    /// The store of a service fails at a commit.
    case serviceStoreFailure
    /// A device receives another epoch.
    case epochChange
    /// A device receives the answer of another account.
    case accountChange
    /// The schema of a device or a service grows.
    case schemaChange
    /// A device has not pulled deletions that the service has removed.
    case passedHorizon
    /// A page ends before the last change.
    case cutPage
    /// The store of a device is replaced by an older copy.
    case restoredDevice
    /// The store of a device is copied to another one.
    case clonedDevice
    /// The store of the service is replaced by an older copy.
    case restoredService
    /// A policy or a user decides a conflict.
    case decision
    /// A policy leaves a conflict open.
    case openConflict

    /// A record leaves the scope of a device. Only for a simulator with scopes.
    case leftScope
    /// A record comes into the scope of a device in which it was before. Only for a simulator with scopes.
    case returnToScope
    /// A device pushes a record outside its scope. Only for a simulator with scopes.
    case changeOutsideScope
    /// A relay accepts a change of a device behind it.
    case relayedPush
    /// A device behind a relay receives changes of others.
    case relayedPull
    /// A store in a file is opened again. Only for a simulator with files.
    case reopenedFile
}
