// swift-tools-version: 6.2
import PackageDescription

/// What every target of this package is compiled with.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// The measuring code is the parent package's, linked in: it is no product of that package.
let package = Package(
    name: "Comparisons",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "DifferentialSync", path: "../.."),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "comparisons",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "DifferentialSync", package: "DifferentialSync"),
                .product(name: "DifferentialSyncTesting", package: "DifferentialSync"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "SyncPersistence", package: "DifferentialSync"),
            ],
            swiftSettings: settings),
        .target(
            name: "BenchmarkSupport",
            dependencies: [
                "AllocationCounter",
                .product(name: "DifferentialSyncTesting", package: "DifferentialSync"),
                .product(name: "EntitySync", package: "DifferentialSync"),
                .product(name: "SQLitePersistence", package: "DifferentialSync"),
                .product(name: "SyncPersistence", package: "DifferentialSync"),
            ],
            swiftSettings: settings),
        .target(name: "AllocationCounter"),
    ]
)
