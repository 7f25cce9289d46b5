// One import brings all that users of JSON in a store need.
@_exported public import SyncPersistence
