// swift-tools-version: 6.2
import PackageDescription

/// What every target of this package is compiled with.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// The root package has the store in PostgreSQL on Linux alone, and the program is tested there.
#if os(Linux)
    let linuxDependencies: [Target.Dependency] = [
        .product(name: "PostgreSQLPersistence", package: "DifferentialSync")
    ]
    // These run the program.
    let linuxTargets: [Target] = [
        .testTarget(
            name: "SyncServerTests",
            dependencies: [
                "sync-server", "ServerCore", "SyncServer", "TestSupport",
                .product(name: "DifferentialSyncTesting", package: "DifferentialSync"),
                .product(name: "HTTPSync", package: "DifferentialSync"),
                .product(name: "SyncPersistence", package: "DifferentialSync"),
                .product(name: "SyncValues", package: "DifferentialSync"),
                .product(name: "PostgreSQLPersistence", package: "DifferentialSync"),
            ],
            swiftSettings: settings)
    ]
#else
    let linuxDependencies: [Target.Dependency] = []
    let linuxTargets: [Target] = []
#endif

let package = Package(
    name: "SyncServer",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "sync-server", targets: ["sync-server"]),
        .library(name: "SyncServer", targets: ["SyncServer"]),
    ],
    dependencies: [
        .package(name: "DifferentialSync", path: ".."),
        // Without traits, which are for configuration files: the server reads its own flags.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(name: "sync-server", dependencies: ["SyncServer"], swiftSettings: settings),
        // The system's zlib, under a name that no other package's module has.
        .systemLibrary(name: "CSyncServerZlib", providers: [.apt(["zlib1g-dev"])]),
        // Answers requests as values, without a socket.
        .target(
            name: "ServerCore",
            dependencies: [
                "CSyncServerZlib",
                .product(name: "CoreDataModel", package: "DifferentialSync"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPSync", package: "DifferentialSync"),
                .product(name: "SQLitePersistence", package: "DifferentialSync"),
                .product(name: "SyncPersistence", package: "DifferentialSync"),
                .product(name: "SyncValues", package: "DifferentialSync"),
            ] + linuxDependencies,
            swiftSettings: settings),
        // The sockets, the log and the signals.
        .target(
            name: "SyncServer",
            dependencies: [
                "ServerCore",
                .product(name: "HTTPSync", package: "DifferentialSync"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "SyncValues", package: "DifferentialSync"),
            ],
            swiftSettings: settings),
        .target(
            name: "TestSupport",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SyncPersistence", package: "DifferentialSync"),
            ],
            path: "Tests/Support", swiftSettings: settings),
        .testTarget(
            name: "ServerCoreTests",
            dependencies: [
                "CSyncServerZlib", "ServerCore", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DifferentialSyncTesting", package: "DifferentialSync"),
                .product(name: "HTTPSync", package: "DifferentialSync"),
                .product(name: "SyncPersistence", package: "DifferentialSync"),
            ],
            swiftSettings: settings),
    ] + linuxTargets
)
