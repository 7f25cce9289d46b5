// An import of this module includes SyncPersistence, which has the types of a schema.
@_exported public import SyncPersistence
