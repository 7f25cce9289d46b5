/// The pictures, by name.
enum Pictures {
    static let all: [(name: String, draw: @Sendable () throws -> String)] = [
        ("shadow", ShadowPicture.draw), ("sync", SyncPicture.draw), ("cost", CostPicture.draw),
        ("diff", DiffPicture.draw),
    ]
}
