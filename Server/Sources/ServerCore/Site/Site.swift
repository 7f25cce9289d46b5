public import Foundation
public import HTTPSync
import SyncPersistence

/// All that the server answers: returns a response for each request, without a socket.
///
/// A site is what an own server of an app mounts, with hooks for its accounts:
///
/// ```swift
/// var hooks = Site.Hooks()
/// hooks.authenticate = { request in try await sessions.account(of: request.bearerToken) }
/// let site = try Site(settings, hooks: hooks)
/// ```
public final class Site: Sendable {
    /// What an app replaces.
    public struct Hooks: Sendable {
        /// Returns the account of a request; nil for that of a verified token.
        ///
        /// It throws `RemoteError.unauthorized` for a request that it does not accept. If the settings have a single
        /// account, the site refuses all others.
        public var authenticate: (@Sendable (HTTPServiceRequest) async throws -> AccountName)?

        /// Decides whether the account of a verified token may use the server.
        public var accepts: @Sendable (AccountName) async throws -> Bool = { _ in true }

        /// Returns the service of an account's store, with a review or scopes; nil for the standard one.
        public var service: (@Sendable (any PersistenceAdapter, AccountName) -> SyncService)?

        /// Creates hooks that replace nothing.
        public init() {}
    }

    /// A body that was not read.
    public enum BodyError: Error, Hashable, Sendable {
        /// It is larger than the limit.
        case tooLarge
        /// It did not arrive in time.
        case tooSlow
        /// The connection was lost.
        case lost
        /// It is not in the format that its content coding states.
        case unreadable
        /// It has a content coding that the server does not know.
        case unknownCoding
    }

    let settings: Settings
    private let hooks: Hooks
    private let tokens: TokenVerifier
    let operatorToken: OperatorToken?
    let stores: AccountStores
    let hub: ChangeHub
    private let requestLimits: RequestLimits
    let activity: Activity
    private let date: @Sendable () -> Date
    let clock: any Clock<Duration>
    let report: @Sendable (any Error, HTTPServiceRequest) -> Void
    /// Throws if the database does not answer; nil to read a store for that.
    let ping: (@Sendable () async throws -> Void)?
    /// The name of the store that is read to find out whether the database answers.
    let probe: String

    /// The token to print in development; nil otherwise.
    public var developmentToken: String? { settings.isDevelopment ? DevelopmentToken.text : nil }

    /// Creates a site.
    ///
    /// No store is open yet.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - hooks: What the app replaces.
    ///   - date: Returns the current date, for the times of tokens and the limits of accounts.
    ///   - clock: Measures how long requests wait for a change.
    ///   - report: Called with each unexpected error and the route of its request, for the log. The error of a store names
    ///     the entity and the property, but not the key, which is a user's.
    /// - Throws: ``SettingsError`` for a faulty file or database.
    public init(
        _ settings: Settings, hooks: Hooks = Hooks(), date: @escaping @Sendable () -> Date = { Date() },
        clock: any Clock<Duration> = ContinuousClock(),
        report: @escaping @Sendable (any Error, String) -> Void = { _, _ in }
    ) throws(SettingsError) {
        self.settings = settings
        self.hooks = hooks
        self.date = date
        self.clock = clock
        self.report = { error, request in
            let error = (error as? PersistenceError)?.withoutKey ?? error
            report(error, RequestCounters.Route(path: request.path).rawValue)
        }
        var keys: [TokenKey] = []
        if let path = settings.tokenSecretFile { keys += try SecretFile.secrets(path) }
        if let path = settings.tokenPublicKeyFile { keys += try SecretFile.publicKeys(path) }
        if settings.isDevelopment { keys.append(DevelopmentToken.key) }
        tokens = TokenVerifier(keys, issuer: settings.tokenIssuer, audience: settings.tokenAudience, now: date)
        var operatorToken: OperatorToken?
        if let path = settings.operatorTokenFile { operatorToken = try SecretFile.operatorToken(path) }
        self.operatorToken = operatorToken ?? (settings.isDevelopment ? OperatorToken(DevelopmentToken.text) : nil)
        let limits = settings.limits
        let backend = try StoreBackend(
            settings.database, try SchemaFile.read(settings.schema), connections: limits.databaseConnections)
        ping = backend.ping
        let stores = AccountStores(backend, capacity: limits.openAccounts)
        self.stores = stores
        // A store that is listened to stays open, so half of them must not be.
        hub = ChangeHub(
            waitLimit: limits.waits, accountWaitLimit: limits.accountWaits, listenerLimit: limits.openAccounts / 2,
            listen: backend.announcements.map { announcements in
                { @Sendable account, changed in
                    try? await stores.use(account) { await announcements($0, changed) }
                }
            })
        requestLimits = RequestLimits(perMinute: limits.accountRequests)
        activity = Activity(accountLimit: limits.openAccounts, date: date)
        probe = settings.singleAccount.flatMap(AccountName.init)?.storageName ?? StoreBackend.probe
    }
}

extension Site {
    /// Returns the response to a request.
    ///
    /// - Parameters:
    ///   - head: The request without its body.
    ///   - hasBody: Whether a body follows.
    ///   - mayWait: Whether the request may wait for a change; false while few connections are left.
    ///   - readBody: Reads the body. It is called only after the request's token was verified, and within the
    ///     account's limit of requests.
    public func response(
        to head: HTTPServiceRequest, hasBody: Bool, mayWait: Bool = true,
        readBody: @Sendable () async throws(BodyError) -> Data
    ) async -> SiteResponse {
        let begin = date()
        activity.begin()
        let route = RequestCounters.Route(path: head.path)
        var response: SiteResponse
        switch route {
        case .live, .ready, .metrics, .operations, .devices:
            let methods = route == .devices ? ["GET", "DELETE"] : ["GET"]
            if methods.contains(head.method) || head.method == "HEAD" {
                response = await page(route, head)
            } else {
                response = .failure(
                    405, "wrongMethod", "The path needs the method \(methods.joined(separator: " or ")).",
                    ["Allow": methods.joined(separator: ", ")])
            }
            response.endsConnection = hasBody
        default: response = await message(route, head, hasBody: hasBody, mayWait: mayWait, readBody)
        }
        if head.method == "HEAD" { response.body = Data() }
        activity.answered(route, status: response.status, seconds: max(0, date().timeIntervalSince(begin)))
        return response
    }

    /// Ends the waits of all requests, because the server is about to end.
    public func answerWaits() { hub.answerAll() }

    /// Closes all stores after the requests under way.
    public func close() async { await stores.close() }
}

extension Site {
    /// Returns the response of an account's service.
    private func message(
        _ route: RequestCounters.Route, _ head: HTTPServiceRequest, hasBody: Bool, mayWait: Bool,
        _ readBody: @Sendable () async throws(BodyError) -> Data
    ) async -> SiteResponse {
        let account: AccountName
        do {
            account = try await authenticate(head)
        } catch {
            return await refusal(of: head, error, hasBody: hasBody)
        }
        if route != .other, let pause = requestLimits.pause(for: account, at: activity.seconds) {
            var response = await refusal(of: head, RemoteError.throttled(after: pause), hasBody: hasBody)
            response.account = account
            return response
        }
        var request = head
        if hasBody, route != .other {
            do {
                request = try decoded(head, await readBody())
            } catch {
                var response = bodyFailure(error)
                response.account = account
                response.endsConnection = true
                return response
            }
        }
        let http = HTTPService(
            maximumBody: settings.limits.bodyBytes, wait: settings.limits.wait, clock: clock, report: report
        ) { [self] _ in try remote(of: account, waits: route == .notifications, mayWait: mayWait) }
        var response = SiteResponse(await http.response(to: request))
        response.account = account
        // A device that may not wait does not keep its connection either.
        let isRefusedWait = route == .notifications && response.status == 429
        response.endsConnection = hasBody && route == .other || isRefusedWait
        return response
    }

    /// Returns the response to a request that is refused before its body is read.
    private func refusal(of head: HTTPServiceRequest, _ error: any Error, hasBody: Bool) async -> SiteResponse {
        // The service refuses a wrong path or method first, and also a coding of the body, which is not read here.
        let http = HTTPService(report: report) { _ in throw error }
        let headers = head.headers.filter { $0.key != "content-encoding" }.map { ($0.key, $0.value) }
        let request = HTTPServiceRequest(method: head.method, path: head.path, headers: headers)
        var response = SiteResponse(await http.response(to: request))
        response.endsConnection = hasBody
        return response
    }

    /// Returns a request with its body, whose content coding is taken off.
    private func decoded(_ head: HTTPServiceRequest, _ body: Data) throws(BodyError) -> HTTPServiceRequest {
        var (headers, body) = (head.headers, body)
        let coding = headers.removeValue(forKey: "content-encoding")?.lowercased()
        switch coding ?? "identity" {
        case "identity": break
        case "gzip": body = try body.unzipped(upTo: settings.limits.bodyBytes)
        default: throw .unknownCoding
        }
        return HTTPServiceRequest(
            method: head.method, path: head.path, headers: headers.map { ($0, $1) }, body: body)
    }

    private func bodyFailure(_ error: BodyError) -> SiteResponse {
        switch error {
        case .tooLarge: .failure(413, "tooLarge", "A body has at most \(settings.limits.bodyBytes) bytes.")
        case .tooSlow: .failure(408, "later", "The body did not arrive in time.")
        case .lost: .failure(400, "malformed", "The body did not arrive.")
        case .unreadable: .failure(400, "malformed", "The body is not in gzip's format, as its content coding says.")
        case .unknownCoding: .failure(415, "wrongType", "The content coding of a body must be gzip, or none.")
        }
    }

    /// Returns the account of a request.
    private func authenticate(_ request: HTTPServiceRequest) async throws -> AccountName {
        let account: AccountName
        if let authenticate = hooks.authenticate {
            account = try await authenticate(request)
        } else {
            do {
                account = try tokens.account(of: request.bearerToken)
            } catch {
                activity.refused(error)
                throw RemoteError.unauthorized
            }
        }
        // A single file has the records of its only account, whoever has authenticated the request.
        var isAccepted = settings.singleAccount.map { AccountName($0) == account } ?? true
        if isAccepted, hooks.authenticate == nil { isAccepted = try await hooks.accepts(account) }
        guard isAccepted else {
            activity.refused(.wrongAccount)
            throw RemoteError.unauthorized
        }
        return account
    }

    /// Returns the remote of an account, within the limits of waits.
    private func remote(of account: AccountName, waits: Bool, mayWait: Bool) throws -> any Remote {
        var changes = AsyncStream<SyncCursor?> { $0.finish() }
        if waits {
            guard mayWait, let stream = hub.changes(of: account.storageName) else {
                throw RemoteError.throttled(after: 5)
            }
            changes = stream
        }
        return AccountRemote(
            account: account, stores: stores, hub: hub, activity: activity,
            makeService: { [self] in service(of: $1, in: $0) }, changes: changes)
    }

    /// Returns the service of an account in its store.
    func service(of account: AccountName, in store: any PersistenceAdapter) -> SyncService {
        if let service = hooks.service { return service(store, account) }
        let limits = settings.limits
        // A text of control characters takes six times as many bytes in JSON.
        let bytes = min(limits.pageBytes, max(1, limits.bodyBytes / 7))
        return SyncService(
            store, account: account.description,
            limits: SyncLimits(pageRecords: limits.pageRecords, pushRecords: limits.pushRecords, bytes: bytes),
            review: .quota(limits.accountRecords),
            deviceLimit: limits.accountDevices == 0 ? nil : limits.accountDevices,
            historyLimit: limits.accountChanges == 0 ? nil : limits.accountChanges, restoration: settings.restoration)
    }
}

extension PersistenceError {
    /// The same error, with the entity of its record instead of the record.
    fileprivate var withoutKey: PersistenceError {
        guard let id else { return self }
        let place = [id.entity, property].compactMap { $0 }.joined(separator: ".")
        return PersistenceError(code, message, property: place, path: path)
    }
}
