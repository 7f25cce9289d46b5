// Authors of adapters need stores that fail on purpose, and the protocols of a store.
@_exported public import DifferentialSyncTesting
@_exported public import SyncPersistence
