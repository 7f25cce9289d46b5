#if canImport(PostgreSQLPersistence)
    import CDifferentialSyncPostgreSQL
    import Foundation

    /// What a server without this library does for a push: hand-written SQL through libpq's own functions.
    ///
    /// It stores the same rows, the same history and the same answer in one transaction, checks for conflicts, takes turns
    /// with other writers of the account, and announces the commit.
    final class RawServer {
        private let connection: OpaquePointer?
        private var prepared: Set<String> = []

        init(_ settings: String, count: Int) {
            connection = PQconnectdb(settings)
            precondition(PQstatus(connection) == CONNECTION_OK, String(cString: PQerrorMessage(connection)))
            execute(
                """
                CREATE SCHEMA raw; SET search_path TO raw;
                CREATE TABLE item (id bigint PRIMARY KEY, title text, count bigint);
                CREATE TABLE history (
                    entity text, key text, sequence bigint NOT NULL, writer text, PRIMARY KEY (entity, key));
                CREATE INDEX ON history (sequence);
                CREATE TABLE device (id text PRIMARY KEY, epoch text, number bigint, answer text);
                CREATE TABLE state (sequence bigint, count bigint, high numeric, low numeric);
                INSERT INTO item SELECT n, 'item ' || n, n FROM generate_series(0, \(count - 1)) AS n;
                INSERT INTO history SELECT 'Item', n::text, n, NULL FROM generate_series(0, \(count - 1)) AS n;
                INSERT INTO device VALUES ('phone', 'epoch', 0, '');
                INSERT INTO state VALUES (\(count), \(count), 0, 0);
                """)
        }

        deinit { PQfinish(connection) }

        /// Makes a push that updates items, and stores its answer.
        func push(_ keys: [Int64], _ values: [Int64], answer: String) {
            let state = execute(
                "BEGIN; SELECT pg_advisory_xact_lock(1); SELECT sequence, high, low FROM state")
            let device = query("SELECT epoch, number, answer FROM device WHERE id = $1", ["phone"])
            let list = "{\(keys.map(String.init).joined(separator: ","))}"
            let found = query(
                """
                SELECT i.id, i.title, i.count, h.sequence, h.writer FROM unnest($1::bigint[]) AS u(id)
                JOIN item AS i ON i.id = u.id LEFT JOIN history AS h ON h.entity = 'Item' AND h.key = u.id::text
                """, [list])
            precondition(found.count == keys.count && device.count == 1)
            query(
                """
                UPDATE item SET count = u.count FROM unnest($1::bigint[], $2::bigint[]) AS u(id, count)
                WHERE item.id = u.id
                """, [list, "{\(values.map(String.init).joined(separator: ","))}"])
            let sequence = Int64(state[0][0]) ?? 0
            query(
                """
                INSERT INTO history SELECT 'Item', u.key, $2::bigint + u.n, 'phone'
                FROM unnest($1::text[]) WITH ORDINALITY AS u(key, n)
                ON CONFLICT (entity, key) DO UPDATE SET sequence = excluded.sequence, writer = excluded.writer
                """, [list, "\(sequence)"])
            query("UPDATE device SET number = number + 1, answer = $2 WHERE id = $1", ["phone", answer])
            query(
                "UPDATE state SET sequence = $1::bigint, high = $2::numeric, low = $3::numeric",
                ["\(sequence + Int64(keys.count))", "\(sequence)", "\(sequence)"])
            query("SELECT pg_notify('raw', $1)", ["\(sequence)"])
            execute("COMMIT")
        }

        @discardableResult
        private func execute(_ sql: String) -> [[String]] { rows(PQexec(connection, sql)) }

        @discardableResult
        private func query(_ sql: String, _ parameters: [String]) -> [[String]] {
            if prepared.insert(sql).inserted {
                rows(PQprepare(connection, "\(sql.hashValue)", sql, Int32(parameters.count), nil))
            }
            let texts = parameters.map { strdup($0) }
            defer { for text in texts { free(text) } }
            let values = texts.map { $0.map { UnsafePointer($0) } }
            return rows(
                PQexecPrepared(connection, "\(sql.hashValue)", Int32(parameters.count), values, nil, nil, 0))
        }

        @discardableResult
        private func rows(_ result: OpaquePointer?) -> [[String]] {
            defer { PQclear(result) }
            let status = PQresultStatus(result)
            precondition(
                status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK, String(cString: PQerrorMessage(connection)))
            return (0..<PQntuples(result)).map { row in
                (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }
            }
        }
    }
#endif
