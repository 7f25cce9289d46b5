// Tests of the core alone must not receive the names of stores, so this brings only the core.
@_exported public import DifferentialSync
