// swift-tools-version: 6.2
import PackageDescription

/// What every target of this package is compiled with.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// `DIFFSYNC_INVARIANTS=1` compiles the invariant checks in that end each mutating operation of the core, and keeps
/// records in the compact form of large transactions.
let invariants: [SwiftSetting] =
    Context.environment["DIFFSYNC_INVARIANTS"] == "1" ? [.define("DIFFSYNC_INVARIANTS")] : []

/// `DIFFSYNC_FULL_SCALE=1` does not optimise the largest of the tests in a release build: that takes longer than to run them.
let largeTestSettings =
    Context.environment["DIFFSYNC_FULL_SCALE"] == "1" ? settings + [.unsafeFlags(["-Onone"])] : settings

/// The store in PostgreSQL is built on Linux alone, where servers run.
#if os(Linux)
    let serverProducts: [Product] = [.library(name: "PostgreSQLPersistence", targets: ["PostgreSQLPersistence"])]
    /// What the benchmarks of a server need.
    let serverBenchmarks: [Target.Dependency] = [
        "CDifferentialSyncPostgreSQL", "HTTPSync", "PostgreSQLPersistence", "PostgreSQLTestSupport", "SocketServing",
        "TestSupport",
    ]
    let serverTargets: [Target] = [
        .target(
            name: "PostgreSQLPersistence", dependencies: ["SyncPersistence", "CDifferentialSyncPostgreSQL"],
            swiftSettings: settings),
        // The system's libpq, under a name that no other package's module has.
        .systemLibrary(
            name: "CDifferentialSyncPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "PostgreSQLTestSupport", dependencies: ["PostgreSQLPersistence", "SyncPersistence", "TestSupport"],
            path: "Tests/PostgreSQLTestSupport", swiftSettings: settings),
        .executableTarget(
            name: "load-process",
            dependencies: [
                "DifferentialSyncTesting", "HTTPSync", "PostgreSQLPersistence", "PostgreSQLTestSupport",
                "SocketServing", "StoreSync", "SyncPersistence",
            ],
            path: "Tests/LoadProcess", swiftSettings: settings),
        .testTarget(
            name: "PostgreSQLPersistenceTests",
            dependencies: [
                "load-process",
                "DifferentialSync", "DifferentialSyncTesting", "HTTPSync", "PersistenceAdapterTesting",
                "CoreDataModel", "EntitySync", "PostgreSQLPersistence",
                "PostgreSQLTestSupport", "SQLitePersistence", "SocketServing", "StoreSync", "SyncPersistence",
                "TestSupport",
            ],
            swiftSettings: settings),
    ]
#else
    let serverProducts: [Product] = []
    let serverBenchmarks: [Target.Dependency] = []
    let serverTargets: [Target] = []
#endif

let package = Package(
    name: "DifferentialSync",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "DifferentialSync", targets: ["DifferentialSync"]),
        .library(name: "SyncValues", targets: ["SyncValues"]),
        .library(name: "SyncPersistence", targets: ["SyncPersistence"]),
        .library(name: "SQLitePersistence", targets: ["SQLitePersistence"]),
        .library(name: "EntitySync", targets: ["EntitySync"]),
        .library(name: "StoreSync", targets: ["StoreSync"]),
        .library(name: "RESTSync", targets: ["RESTSync"]),
        .library(name: "SyncCoordination", targets: ["SyncCoordination"]),
        .library(name: "HTTPSync", targets: ["HTTPSync"]),
        .library(name: "CoreDataModel", targets: ["CoreDataModel"]),
        .library(name: "DifferentialSyncTesting", targets: ["DifferentialSyncTesting"]),
        .library(name: "PersistenceAdapterTesting", targets: ["PersistenceAdapterTesting"]),
        .executable(name: "diffsync", targets: ["diffsync"]),
        .executable(name: "inspect", targets: ["inspect"]),
    ] + serverProducts,
    targets: [
        .target(name: "DifferentialSync", swiftSettings: settings + invariants),
        .target(name: "SyncValues", swiftSettings: settings),
        .target(
            name: "SyncPersistence", dependencies: ["DifferentialSync", "SyncValues"],
            swiftSettings: settings + invariants),
        .target(
            name: "SQLitePersistence", dependencies: ["SyncPersistence", "CDifferentialSyncSQLite"],
            swiftSettings: settings),
        // The system's SQLite, under a name that no other package's module has.
        .systemLibrary(name: "CDifferentialSyncSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "EntitySync", dependencies: ["DifferentialSync", "SyncPersistence"], swiftSettings: settings),
        .target(name: "StoreSync", dependencies: ["DifferentialSync", "SyncPersistence"], swiftSettings: settings),
        .target(
            name: "RESTSync", dependencies: ["EntitySync", "StoreSync", "SyncPersistence"], swiftSettings: settings),
        .target(
            name: "SyncCoordination", dependencies: ["DifferentialSync", "StoreSync", "SyncPersistence"],
            swiftSettings: settings),
        .target(name: "HTTPSync", dependencies: ["StoreSync"], swiftSettings: settings),
        .target(name: "CoreDataModel", dependencies: ["SyncPersistence"], swiftSettings: settings),
        .target(
            name: "DifferentialSyncTesting", dependencies: ["DifferentialSync", "StoreSync", "SyncPersistence"],
            swiftSettings: settings),
        .target(
            name: "PersistenceAdapterTesting",
            dependencies: ["DifferentialSync", "DifferentialSyncTesting", "SyncPersistence"], swiftSettings: settings),

        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "BenchmarkSupport", "DifferentialSync", "DifferentialSyncTesting", "EntitySync", "SQLitePersistence",
                "StoreSync", "SyncCoordination", "SyncPersistence", "CDifferentialSyncSQLite",
            ] + serverBenchmarks,
            path: "Benchmarks/Suites", swiftSettings: settings),
        .target(
            name: "BenchmarkSupport",
            dependencies: [
                "AllocationCounter", "DifferentialSyncTesting", "EntitySync", "SQLitePersistence", "SyncPersistence",
            ],
            path: "Benchmarks/Support", swiftSettings: settings),
        .target(name: "AllocationCounter", path: "Benchmarks/AllocationCounter"),

        .executableTarget(
            name: "demo",
            dependencies: ["DifferentialSync", "DifferentialSyncTesting", "ExampleSupport", "RecordFiles"],
            path: "Examples/Demo",
            exclude: ["Data/README.md"],
            resources: [2012, 2018, 2024].map { .copy("Data/currencies-\($0).json") }, swiftSettings: settings),

        .executableTarget(
            name: "notebook",
            dependencies: [
                "DifferentialSync", "DifferentialSyncTesting", "ExampleSupport", "SQLitePersistence", "SyncPersistence",
            ],
            path: "Examples/Notebook", swiftSettings: settings),

        .executableTarget(
            name: "moods",
            dependencies: ["ExampleSupport", "SQLitePersistence", "StoreSync", "SyncCoordination", "SyncPersistence"],
            path: "Examples/Moods", swiftSettings: settings),

        .executableTarget(
            name: "inspect",
            dependencies: [
                "ExampleSupport", "SQLitePersistence", "StoreSync", "SyncCoordination", "SyncPersistence", "SyncValues",
            ],
            path: "Examples/Inspect", swiftSettings: settings),

        .executableTarget(
            name: "model", dependencies: ["CoreDataModel", "EntitySync", "ExampleSupport", "SyncPersistence"],
            path: "Examples/Model", exclude: ["Data"], swiftSettings: settings),

        .executableTarget(
            name: "countries", dependencies: ["EntitySync", "ExampleSupport", "SQLitePersistence", "SyncPersistence"],
            path: "Examples/Countries", exclude: ["Data/README.md"],
            resources: [2010, 2020].map { .copy("Data/countries-\($0).json") }, swiftSettings: settings),

        .target(
            name: "RecordFiles", dependencies: ["DifferentialSync", "ExampleSupport"], path: "Examples/RecordFiles",
            swiftSettings: settings),

        .executableTarget(
            name: "diffsync", dependencies: ["DifferentialSync", "ExampleSupport", "RecordFiles"],
            path: "Examples/DiffSync", swiftSettings: settings),

        .executableTarget(
            name: "pictures", dependencies: ["DifferentialSync", "DifferentialSyncTesting", "ExampleSupport"],
            path: "Examples/Pictures", swiftSettings: settings),

        .target(name: "ExampleSupport", path: "Examples/Support", swiftSettings: settings),

        .target(
            name: "TestSupport", dependencies: ["DifferentialSync", "DifferentialSyncTesting", "SyncPersistence"],
            path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "TestSupportTests", dependencies: ["DifferentialSyncTesting", "SyncPersistence", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "DifferentialSyncTests",
            dependencies: ["DifferentialSync", "DifferentialSyncTesting", "TestSupport"],
            exclude: ["Conformance/Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "SyncValuesTests", dependencies: ["DifferentialSyncTesting", "SyncValues", "TestSupport"],
            swiftSettings: settings),
        .executableTarget(
            name: "object-client", dependencies: ["StoreSync", "SyncPersistence"], path: "Tests/ObjectClient",
            swiftSettings: settings),
        .executableTarget(
            name: "sync-client", dependencies: ["SQLitePersistence", "StoreSync", "SyncPersistence", "TestSupport"],
            path: "Tests/SyncClient", swiftSettings: settings),
        .testTarget(
            name: "StoreSyncTests",
            dependencies: [
                "object-client", "sync-client",
                "DifferentialSync", "DifferentialSyncTesting", "SQLitePersistence", "StoreSync", "SyncPersistence",
                "TestSupport", "CDifferentialSyncSQLite",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RESTSyncTests",
            dependencies: [
                "DifferentialSyncTesting", "EntitySync", "RESTSync", "SQLitePersistence", "StoreSync",
                "SyncPersistence",
                "TestSupport",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "coordinator-client",
            dependencies: ["SQLitePersistence", "SyncCoordination", "SyncPersistence", "TestSupport"],
            path: "Tests/CoordinatorClient", swiftSettings: settings),
        .testTarget(
            name: "SyncCoordinationTests",
            dependencies: [
                "coordinator-client",
                "DifferentialSync", "DifferentialSyncTesting", "SQLitePersistence", "StoreSync", "SyncCoordination",
                "SyncPersistence", "TestSupport",
            ],
            swiftSettings: settings),
        .target(
            name: "SocketServing", dependencies: ["HTTPSync"], path: "Tests/SocketServing", swiftSettings: settings),
        .testTarget(
            name: "HTTPSyncTests",
            dependencies: [
                "DifferentialSyncTesting", "HTTPSync", "SQLitePersistence", "SocketServing", "SyncCoordination",
                "SyncPersistence", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SyncPersistenceTests",
            dependencies: ["DifferentialSync", "DifferentialSyncTesting", "SyncPersistence", "TestSupport"],
            swiftSettings: settings),
        .executableTarget(
            name: "crash-client",
            dependencies: ["DifferentialSync", "DifferentialSyncTesting", "SQLitePersistence", "SyncPersistence"],
            path: "Tests/CrashClient", swiftSettings: settings),
        .testTarget(
            name: "SQLitePersistenceTests",
            dependencies: [
                "crash-client",
                "DifferentialSync", "DifferentialSyncTesting", "PersistenceAdapterTesting", "SQLitePersistence",
                "SyncPersistence", "TestSupport", "CDifferentialSyncSQLite",
            ],
            exclude: ["Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "EntitySyncTests",
            dependencies: [
                "CoreDataModel", "DifferentialSyncTesting", "EntitySync", "SQLitePersistence", "SyncPersistence",
                "TestSupport",
            ],
            exclude: ["Catalogue/Fixtures"], swiftSettings: largeTestSettings),
        .testTarget(
            name: "CoreDataModelTests",
            dependencies: ["CoreDataModel", "DifferentialSyncTesting", "SyncPersistence", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "DifferentialSyncTestingTests",
            dependencies: [
                "DifferentialSync", "DifferentialSyncTesting", "SQLitePersistence", "StoreSync", "SyncPersistence",
                "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PersistenceAdapterTestingTests",
            dependencies: [
                "DifferentialSync", "DifferentialSyncTesting", "PersistenceAdapterTesting", "SyncPersistence",
                "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DemoTests",
            dependencies: [
                "demo", "DifferentialSync", "DifferentialSyncTesting", "ExampleSupport", "RecordFiles", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(name: "RecordFilesTests", dependencies: ["RecordFiles"], swiftSettings: settings),
        .testTarget(
            name: "DiffSyncTests", dependencies: ["diffsync", "ExampleSupport", "RecordFiles", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "NotebookTests", dependencies: ["notebook", "SQLitePersistence", "SyncPersistence"],
            swiftSettings: settings),
        .testTarget(name: "PicturesTests", dependencies: ["pictures"], swiftSettings: settings),
        .testTarget(
            name: "ModelTests", dependencies: ["ExampleSupport", "model", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "CountriesTests", dependencies: ["countries", "SQLitePersistence", "SyncPersistence"],
            swiftSettings: settings),
        .testTarget(
            name: "MoodsTests",
            dependencies: ["DifferentialSyncTesting", "ExampleSupport", "moods", "SyncPersistence", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "InspectTests",
            dependencies: [
                "DifferentialSyncTesting", "ExampleSupport", "inspect", "SQLitePersistence", "StoreSync",
                "SyncCoordination", "SyncPersistence", "SyncValues", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "benchmarks", "countries", "demo", "diffsync", "inspect", "model", "moods", "notebook", "pictures",
                "TestSupport",
            ],
            swiftSettings: settings),
        // The to-do app of README, in a module whose default isolation is the main actor, as that of a new app is.
        .target(
            name: "MainActorExamples", dependencies: ["SQLitePersistence"], path: "Tests/MainActorExamples",
            swiftSettings: settings + [
                .defaultIsolation(MainActor.self), .enableUpcomingFeature("InferIsolatedConformances"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "MainActorExamples", "CoreDataModel", "DifferentialSync", "DifferentialSyncTesting", "EntitySync",
                "HTTPSync",
                "PersistenceAdapterTesting", "RESTSync", "SQLitePersistence", "StoreSync", "SyncCoordination",
                "SyncPersistence", "TestSupport",
            ],
            swiftSettings: settings),
    ] + serverTargets
)
