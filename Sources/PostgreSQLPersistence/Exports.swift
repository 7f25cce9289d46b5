// One import provides everything that users of a store need.
@_exported public import SyncPersistence
