import Foundation
package import PostgreSQLPersistence
package import SyncPersistence
import TestSupport

/// A private PostgreSQL server in a folder of its own, which ends with the process of the tests.
// because: the pipe is only held open, and the number is protected by `Locked`.
package final class TestCluster: @unchecked Sendable {
    /// The folder of the data and the socket.
    package let folder: String

    /// The pipe to a process that waits for its end, and then stops the server and deletes the folder.
    private let watch: UnsafeMutablePointer<FILE>?

    /// Further options of the server.
    private let options: String

    /// The port, which the name of the socket has.
    private let port: UInt16

    /// The number of namespaces so far.
    private let number = Locked(0)

    /// The cluster that most tests share.
    private static let common = Result { try TestCluster() }

    /// The cluster that most tests share.
    package static var shared: TestCluster { get throws { try common.get() } }

    /// The folder of the server's programs; nil if they are not installed.
    package static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let folders = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(root)/\($0)/bin" }
        return folders.first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }()

    /// Whether the server's programs are installed.
    package static var isInstalled: Bool { programs != nil }

    /// How the programs are installed.
    package static let remedy = "PostgreSQL is not installed; install it with: apt-get install postgresql libpq-dev"

    /// Functions of the shell for all scripts.
    ///
    /// PostgreSQL refuses to run as root.
    ///
    /// The first argument is the folder of the programs, the second one that of the cluster.
    private static let functions = """
        own() {
            if [ "$(id -u)" != 0 ]; then "$@"; else
                user=$(id -un postgres 2>/dev/null || echo nobody)
                chown "$user" "$folder"
                setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@"
            fi
        }
        programs=$1; folder=$2; cd "$folder"

        """

    /// Starts a server, and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - preparation: A script that runs in the folder before the server is started. `own` runs a command as the owner.
    ///   - options: Further options of the server.
    ///   - port: The server's port, which the name of its socket has too.
    package init(preparation: String = ":", options: String = "", port: UInt16 = 5_432) throws {
        (self.options, self.port) = (options, port)
        guard let programs = Self.programs else { throw ClusterError(Self.remedy) }
        // The path of a socket has at most 107 bytes.
        var template = Array("/tmp/postgresql-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ClusterError("no folder in /tmp could be created") }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        watch = popen(
            "sh -c 'trap \"\" HUP INT QUIT TERM; \(Self.functions) cat; own \"$programs/pg_ctl\" -D data -m immediate stop; cd /; rm -rf \"$folder\"' "
                + "sh \(programs) \(folder) >/dev/null 2>&1", "we")
        try run(
            "own \"$programs/initdb\" -D data -U postgres -A trust -E UTF8 --no-locale --no-sync >log 2>&1 || cat log >&2"
        )
        try run(preparation)
        try start()
    }

    deinit { if let watch { pclose(watch) } }

    /// Starts the server, after it was stopped.
    package func start() throws {
        let settings =
            "-c listen_addresses= -c unix_socket_directories=\(folder) -c fsync=off -c max_connections=800 "
            + "-c shared_buffers=32MB -p \(port) \(options)"
        try run(
            "own \"$programs/pg_ctl\" -D data -l \"$folder/log.server\" -o '\(settings)' -w start >/dev/null 2>&1 </dev/null"
        )
    }

    /// Stops the server, which ends all transactions.
    package func stop() throws {
        try run("own \"$programs/pg_ctl\" -D data -m immediate -w stop >/dev/null 2>&1")
    }

    /// Begins to stop the server, which accepts no more connections and waits for the end of the open ones.
    package func beginToStop() throws {
        try run("own \"$programs/pg_ctl\" -D data -m smart -W stop >/dev/null 2>&1")
        while (try? sql("SELECT 1")) != nil {}
    }

    /// Starts a standby of this server, which cannot be written before ``promote()``.
    package func standby() throws -> TestCluster {
        try TestCluster(
            preparation: "rm -r data; own \"$programs/pg_basebackup\" -h \(folder) -p \(port) -U postgres -D data -R "
                + "--checkpoint=fast --no-sync")
    }

    /// Starts another server with a copy of this server's files, which is stopped meanwhile.
    package func copy() throws -> TestCluster {
        try stop()
        let copy = try TestCluster(preparation: "rm -r data; own cp -R \(folder)/data data; rm -f data/postmaster.pid")
        try start()
        return copy
    }

    /// Makes a standby the primary server.
    package func promote() throws { try run("own \"$programs/pg_ctl\" -D data -w promote >/dev/null") }

    /// Runs a script of the shell.
    private func run(_ script: String) throws {
        let (code, _, errors) = try ChildProcess(
            "/bin/sh", ["-c", Self.functions + script, "sh", Self.programs ?? "", folder]
        )
        .finish()
        if code != 0 { throw ClusterError(errors) }
    }

    /// The connection string of the server.
    package var connection: String { "host=\(folder) port=\(port) user=postgres dbname=postgres" }

    /// Runs SQL by the program `psql`, and returns the lines that it prints.
    @discardableResult
    package func sql(_ text: String) throws -> [String] {
        let psql = "\(Self.programs ?? "")/psql"
        let (code, output, errors) = try ChildProcess(
            psql,
            [
                "-X", "-At", "-v", "ON_ERROR_STOP=1", "-h", folder, "-p", "\(port)", "-U", "postgres", "-d", "postgres",
                "-c", text,
            ]
        ).finish()
        if code != 0 { throw ClusterError(errors) }
        return output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Returns a number that no namespace has yet.
    package func nextNumber() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }

    /// Opens a store in a new namespace.
    package func store(_ schema: Schema, readerCount: Int = 2) async throws -> PostgreSQLAdapter {
        try await store(schema, in: "test \(nextNumber())", readerCount: readerCount)
    }

    /// Opens a store in a namespace.
    package func store(
        _ schema: Schema, in namespace: String, migration: [MigrationStep] = [], readerCount: Int = 2
    ) async throws -> PostgreSQLAdapter {
        var options = PostgreSQLPool.Options()
        options.readerCount = readerCount
        // All tests run at once, so a writer may wait for long.
        options.lockTimeout = .seconds(300)
        options.idleTimeout = .seconds(300)
        return try await PostgreSQLAdapter.open(
            connection: connection, namespace: namespace, schema: schema, migration: migration, options: options)
    }
}

/// The failure of a script or of SQL.
package struct ClusterError: Error, CustomStringConvertible {
    /// What the program has printed.
    package let description: String

    init(_ description: String) { self.description = description }
}
