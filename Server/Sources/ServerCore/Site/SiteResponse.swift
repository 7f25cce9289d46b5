public import Foundation
import HTTPSync
import SyncValues

/// A response of the server, as a value.
public struct SiteResponse: Sendable {
    /// The status, such as 200.
    public var status: Int
    /// The values of the headers by their names.
    public var headers: [String: String]
    /// The body.
    public var body: Data
    /// The account of the request's token, for the log.
    public var account: AccountName?
    /// Whether the connection must end, such as after a request whose rest was not read.
    public var endsConnection = false
}

extension SiteResponse {
    /// A response with a body that caches do not keep.
    package init(_ status: Int, _ type: String, _ body: String, _ headers: [String: String] = [:]) {
        self.status = status
        self.headers = ["Content-Type": type, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"]
            .merging(headers) { $1 }
        self.body = Data(body.utf8)
    }

    /// A response of the service of a store.
    init(_ response: HTTPServiceResponse) {
        status = response.status
        headers = response.headers
        body = response.body
    }

    /// A failure, with the JSON that the service's failures have.
    static func failure(_ status: Int, _ code: String, _ message: String, _ headers: [String: String] = [:]) -> Self {
        let object: Value = ["error": .string(code), "message": .string(message)]
        return SiteResponse(status, "application/json", (try? object.json([.sortedNames])) ?? "", headers)
    }
}
