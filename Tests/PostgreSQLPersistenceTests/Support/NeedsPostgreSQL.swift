import PostgreSQLTestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips the tests if the server is not installed.
    static var needsPostgreSQL: Self { .enabled(if: TestCluster.isInstalled, "\(TestCluster.remedy)") }
}
