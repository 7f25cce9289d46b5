// Users of this module need only one import.
@_exported public import ServerCore
