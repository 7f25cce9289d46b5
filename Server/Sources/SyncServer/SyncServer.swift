public import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
public import ServerCore
import ServiceLifecycle
import UnixSignals

/// The server as a program: reads the command line, listens, and ends on SIGTERM and SIGINT.
///
/// An app with accounts of its own has a program of a few lines:
///
/// ```swift
/// var hooks = Site.Hooks()
/// hooks.authenticate = { request in try await sessions.account(of: request.bearerToken) }
/// exit(await SyncServer.run(CommandLine.arguments.dropFirst(), hooks: hooks))
/// ```
public enum SyncServer {
    /// Runs a server until it is ended.
    ///
    /// - Parameters:
    ///   - words: The words of the command line, after the program's name.
    ///   - environment: The environment variables.
    ///   - hooks: What the app replaces.
    ///   - date: Returns the current date.
    ///   - clock: Measures waits and timeouts.
    /// - Returns: The exit code.
    public static func run(
        _ words: some Sequence<String>, environment: [String: String] = ProcessInfo.processInfo.environment,
        hooks: Site.Hooks = Site.Hooks(), date: @escaping @Sendable () -> Date = { Date() },
        clock: any Clock<Duration> = ContinuousClock()
    ) async -> Int32 {
        do {
            guard let settings = try Settings.read(Array(words), environment) else {
                print(Settings.help)
                return 0
            }
            let logger = Logger(label: "sync-server") { _ in
                LineLogHandler(logLevel: Logger.Level(rawValue: settings.logLevel) ?? .info, date: date)
            }
            let site = try Site(settings, hooks: hooks, date: date, clock: clock) { error, route in
                logger.error("failure", metadata: ["error": "\(error)", "path": "\(route)"])
            }
            do {
                try await serve(site, settings, clock, logger)
                return 0
            } catch {
                logger.critical("the server has failed", metadata: ["error": "\(error)"])
                return 1
            }
        } catch {
            printError("sync-server: \(error)\nTry 'sync-server --help'.")
            return 64
        }
    }

    private static func serve(
        _ site: Site, _ settings: Settings, _ clock: any Clock<Duration>, _ logger: Logger
    ) async throws {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        let limits = settings.limits
        let connections = OpenConnections(limits)
        let application = Application(
            responder: SiteResponder(site: site, limits: limits, connections: connections, clock: clock),
            server: .http1(
                configuration: .init(
                    // Longer than for a body, whose end has a response.
                    idleTimeout: TimeAmount(limits.body + .seconds(2)),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 16_384, maxHeaderListSize: 32_768, maxHeaderFieldCount: 100))),
            configuration: .init(
                address: .hostname(settings.host, port: settings.port),
                availableConnectionsDelegate: connections),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? settings.port
                print("sync-server listens on http://\(settings.host):\(port)")
                if let token = site.developmentToken {
                    print("The token of the account 'demo', for development on this machine alone:\n\(token)")
                }
                fflush(nil)
            },
            logger: logger)
        // Services end in the opposite order: waiting requests are answered first, and stores are closed at last.
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(service: Ending { await site.close() }),
                .init(service: application),
                .init(service: Ending { site.answerWaits() }),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        configuration.maximumGracefulShutdownDuration = settings.shutdown
        try await ServiceGroup(configuration: configuration).run()
    }

    private static func printError(_ text: String) {
        // `write(_:)` would end the program without its exit code if the text cannot be written.
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}

/// Calls a function when the server ends.
private struct Ending: Service {
    let body: @Sendable () async -> Void

    func run() async throws {
        try? await gracefulShutdown()
        await body()
    }
}
