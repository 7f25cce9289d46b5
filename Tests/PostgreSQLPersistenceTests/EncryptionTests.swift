import Foundation
import HTTPSync
import PostgreSQLPersistence
import PostgreSQLTestSupport
import SocketServing
import SyncPersistence
import TestSupport
import Testing

/// Connections with TLS and a password.
@Suite(.needsPostgreSQL, .needsOpenSSL) struct EncryptionTests {
    /// Makes two certificates that sign themselves, one of which the server has, and demands TLS and a password.
    private static let preparation = """
        for name in server other; do
            own openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
                -keyout "$name.key" -out "$name.crt" 2>/dev/null
            own chmod 600 "$name.key"
        done
        printf 'local all all trust\nhostssl all app 127.0.0.1/32 scram-sha-256\n' >data/pg_hba.conf
        """

    @Test func connectionIsEncryptedAndItsServerAndPasswordAreVerified() async throws {
        // A port that was free a moment ago.
        let port = try SocketServer { _ in HTTPServiceResponse(status: 500) }.port
        let options =
            "-c listen_addresses=127.0.0.1 -c ssl=on -c ssl_cert_file=../server.crt -c ssl_key_file=../server.key"
        let cluster = try TestCluster(preparation: Self.preparation, options: options, port: port)
        try cluster.sql("CREATE USER app PASSWORD 'xyzzy'; GRANT CREATE ON DATABASE postgres TO app")
        func open(_ settings: String) async throws -> PostgreSQLAdapter {
            try await PostgreSQLAdapter.open(
                connection:
                    "host=127.0.0.1 port=\(port) user=app dbname=postgres application_name=encrypted \(settings)",
                namespace: "encrypted", schema: Authorship.schema)
        }
        let trusted = "sslrootcert=\(cluster.folder)/server.crt"
        let store = try await open("password=xyzzy sslmode=verify-ca \(trusted)")
        try await store.commit(Authorship.tag(1))
        let connections =
            "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'encrypted'"
        #expect(try cluster.sql(connections) == ["t"])
        var numbers = store.sequences().makeAsyncIterator()
        #expect(await numbers.next() == 1)
        for refused in [
            "password=wrong sslmode=verify-ca \(trusted)", "sslmode=verify-ca \(trusted)",
            "password=xyzzy sslmode=verify-ca sslrootcert=\(cluster.folder)/other.crt",
            "password=xyzzy sslmode=verify-full \(trusted)", "password=xyzzy sslmode=disable",
        ] {
            let error = await #expect(throws: PersistenceError.self, "\(refused)") { try await open(refused) }
            #expect(error?.code == .cannotConnect)
            #expect(error?.description.contains("xyzzy") == false)
        }
        await store.close()
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the tests if there is no program that makes certificates.
    static var needsOpenSSL: Self {
        let isInstalled = ["/usr/bin", "/usr/local/bin"].contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/openssl")
        }
        return .enabled(if: isInstalled, "openssl is not installed; install it with: apt-get install openssl")
    }
}
