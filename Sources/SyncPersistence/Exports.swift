// Users of stores need the core and values. One import brings all three.
@_exported public import DifferentialSync
@_exported public import SyncValues
