import DifferentialSyncTesting
import PostgreSQLPersistence
import PostgreSQLTestSupport
import SyncPersistence

extension SimulatedFiles {
    /// Returns stores in namespaces of their own, instead of files.
    static func postgreSQL(_ cluster: TestCluster, _ pool: PostgreSQLPool) -> SimulatedFiles {
        let run = "simulated \(cluster.nextNumber())"
        @Sendable func namespace(_ name: String) -> String { "\(run) \(name)" }
        return SimulatedFiles { name, schema in
            try await PostgreSQLAdapter.open(on: pool, namespace: namespace(name), schema: schema)
        } copy: { name, copy in
            try cluster.copy(namespace(name), to: namespace(copy))
        } remove: {
            let names = "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, '\(run) ')"
            try cluster.sql(
                """
                DO $$ DECLARE name text; BEGIN
                    FOR name IN \(names) LOOP EXECUTE format('DROP SCHEMA %I CASCADE', name); END LOOP;
                END $$
                """)
        }
    }
}

extension TestCluster {
    /// Replaces a namespace by a copy of another one, with its tables, rows and indexes.
    fileprivate func copy(_ name: String, to copy: String) throws {
        try sql(
            """
            SET client_min_messages TO warning;
            DO $$ DECLARE tab record; BEGIN
                DROP SCHEMA IF EXISTS "\(copy)" CASCADE;
                CREATE SCHEMA "\(copy)";
                FOR tab IN
                    SELECT relname AS name, string_agg(quote_ident(attname), ', ') AS columns
                    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
                    WHERE relnamespace = '"\(name)"'::regnamespace AND relkind = 'r'
                        AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
                    GROUP BY relname
                LOOP
                    EXECUTE format('CREATE TABLE %I.%I (LIKE %I.%I INCLUDING ALL)', '\(copy)', tab.name, '\(name)', tab.name);
                    EXECUTE format(
                        'INSERT INTO %I.%I (%s) SELECT %s FROM %I.%I', '\(copy)', tab.name, tab.columns, tab.columns,
                        '\(name)', tab.name);
                END LOOP;
            END $$
            """)
    }
}
