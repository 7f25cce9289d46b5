// Users of stores need values.
@_exported public import SyncValues
