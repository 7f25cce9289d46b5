import Foundation
import TestSupport
import Testing

/// Where a server in a test has its stores.
enum TestDatabase: Sendable {
    case sqlite, postgreSQL

    /// Returns the value of `--database` for a new database; nil for files in the server's folder.
    func address() throws -> String? {
        switch self {
        case .sqlite: return nil
        case .postgreSQL: return try Self.address(on: .shared)
        }
    }

    /// Returns the address of a new database in a cluster.
    static func address(on cluster: TestCluster) throws -> String {
        let name = "server_\(cluster.nextNumber())"
        try cluster.sql("CREATE DATABASE \(name)")
        return "postgres://postgres@/\(name)?host=\(cluster.folder)"
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the tests if PostgreSQL is not installed.
    static var needsPostgreSQL: Self { .enabled(if: TestCluster.isInstalled, "\(TestCluster.remedy)") }
}
