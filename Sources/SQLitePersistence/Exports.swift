// One import brings all that users of a store need.
@_exported public import SyncPersistence
