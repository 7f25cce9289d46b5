// Authors of adapters need stores that fail, and what a store is made of.
@_exported public import DifferentialSyncTesting
@_exported public import SyncPersistence
