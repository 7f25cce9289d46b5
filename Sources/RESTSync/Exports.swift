@_exported public import EntitySync
@_exported public import StoreSync
