import ServerCore
import Testing

@Suite struct SettingsTests {
    private let needed = ["--schema", "s.json", "--database", "sqlite:stores/", "--token-secret-file", "secrets"]

    private func read(_ words: [String], _ environment: [String: String] = [:]) throws -> Settings {
        try #require(try Settings.read(words, environment))
    }

    @Test func flagsTakePrecedenceOverVariables() throws {
        let environment = ["SYNC_PORT": "9000", "SYNC_WAIT_SECONDS": "7", "SYNC_HOST": ""]
        let settings = try read(needed + ["--port", "9001"], environment)
        #expect(settings.port == 9001)
        #expect(settings.limits.wait == .seconds(7))
        #expect(settings.host == "127.0.0.1")
        #expect(settings.database == .sqliteFolder("stores/"))
        #expect(try read(needed + ["--port=9002"]).port == 9002)
    }

    @Test func allFlagsMayBeVariables() throws {
        let settings = try read(
            [],
            [
                "SYNC_SCHEMA": "s.json", "SYNC_DATABASE": "postgres://app:secret@db/sync", "SYNC_DEVELOPMENT": "1",
                "SYNC_SINGLE_ACCOUNT": "ada",
            ])
        #expect(settings.isDevelopment)
        #expect(settings.database == .postgreSQL("postgres://app:secret@db/sync"))
        #expect(settings.singleAccount == "ada")
    }

    @Test func theHelpStatesEachFlagAndItsVariable() throws {
        #expect(try Settings.read(["--help"], [:]) == nil)
        let names = Settings.help.matches(of: /--([a-z-]+)[ A-Z]* {2}\((SYNC_[A-Z_]+)\)/)
        #expect(names.count == 28)
        for name in names { #expect("SYNC_" + name.1.uppercased().replacing("-", with: "_") == name.2) }
    }

    @Test(arguments: [
        ([], "--schema is missing"),
        (["--schema", "s", "--database", "sqlite:a/"], "no token could be verified"),
        (["--schema", "s", "--database", "mysql://user:secret@db"], "--database is"),
        (["--schema", "s", "--database", "sqlite:"], "--database is"),
        (["--schema", "s", "--database", "sqlite:one.db", "--token-secret-file", "f"], "--single-account"),
        (["--prot", "1"], "there is no flag '--prot'"),
        (["--port"], "--port needs a value"),
        (["--port", "1", "--port", "2"], "--port is given twice"),
        (["--development=1"], "--development takes no value"),
        (["--schema", "s", "--database", "sqlite:a/", "--development", "--host", "0.0.0.0"], "127.0.0.1"),
    ])
    func mistakesAreNamed(_ words: [String], _ message: String) {
        let error = #expect(throws: SettingsError.self) { try Settings.read(words, [:]) }
        #expect(error?.description.contains(message) == true)
        #expect(error?.description.contains("secret@") == false)
    }

    @Test(arguments: ["-1", "65536", "x", "99999999999999999999"])
    func aPortIsANumberInItsRange(_ port: String) {
        #expect(throws: SettingsError.self) { try Settings.read(needed + ["--port", port], [:]) }
        #expect(throws: SettingsError.self) { try Settings.read(needed + ["--log-level", port], [:]) }
        #expect(throws: SettingsError.self) { try Settings.read(needed, ["SYNC_DEVELOPMENT": port]) }
    }
}
