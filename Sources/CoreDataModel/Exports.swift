// One import brings all that users of schemas need.
@_exported public import SyncPersistence
