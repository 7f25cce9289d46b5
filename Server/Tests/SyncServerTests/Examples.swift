import Foundation
import HTTPSync
import SyncServer

/// The sessions of an app that has accounts of its own.
private struct Sessions {
    func account(of token: String?) async throws -> AccountName {
        guard let account = token.flatMap({ AccountName($0) }) else { throw RemoteError.unauthorized }
        return account
    }
}

private func runsWithHooks(_ sessions: Sessions) async {
    var hooks = Site.Hooks()
    hooks.authenticate = { request in try await sessions.account(of: request.bearerToken) }
    exit(await SyncServer.run(CommandLine.arguments.dropFirst(), hooks: hooks))
}

private func mountsASite(_ sessions: Sessions, _ settings: Settings) throws {
    var hooks = Site.Hooks()
    hooks.authenticate = { request in try await sessions.account(of: request.bearerToken) }
    let site = try Site(settings, hooks: hooks)
    _ = site
}
