public import Foundation

/// A request that a server has received, as a value.
///
/// ```swift
/// let request = HTTPServiceRequest(
///     method: "GET", path: "/sync/v1/notifications", headers: [("Authorization", "Bearer \(token)")])
/// let response = await service.response(to: request)
/// ```
public struct HTTPServiceRequest: Hashable, Sendable {
    /// The method, such as `POST`.
    public let method: String

    /// The path as it was sent, without the host; a query after `?` is ignored.
    public let path: String

    /// The values of the headers by their names in lower case.
    public let headers: [String: String]

    /// The body.
    public let body: Data

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method, such as `POST`.
    ///   - path: The path as it was sent, without the host.
    ///   - headers: The names and values of the headers. Values of the same name are joined by a comma, so that a
    ///     request with two authorizations has neither of them.
    ///   - body: The body.
    public init(method: String, path: String, headers: [(String, String)] = [], body: Data = Data()) {
        self.method = method
        self.path = path
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }) { "\($0), \($1)" }
        self.body = body
    }
}

extension HTTPServiceRequest {
    /// The token of the header `Authorization: Bearer …`; nil if there is none.
    ///
    /// The token is not verified.
    public var bearerToken: String? {
        guard let parts = headers["authorization"]?.split(separator: " "), parts.count == 2,
            parts[0].lowercased() == "bearer", !parts[1].contains(",")
        else { return nil }
        return String(parts[1])
    }
}

/// A response for a server to send, as a value.
///
/// The body is complete and not compressed. A server that compresses it sets `Content-Encoding` itself.
public struct HTTPServiceResponse: Hashable, Sendable {
    /// The status, such as 200.
    public let status: Int

    /// The values of the headers by their names.
    public let headers: [String: String]

    /// The body, which is JSON.
    public let body: Data

    package init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension HTTPServiceResponse {
    static func success(_ body: Data) -> HTTPServiceResponse {
        HTTPServiceResponse(status: 200, headers: commonHeaders, body: body)
    }

    static func failure(_ problem: HTTPProblem, _ message: String, _ headers: [String: String] = [:]) -> Self {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = try? encoder.encode(HTTPErrorBody(error: problem.rawValue, message: message))
        return HTTPServiceResponse(
            status: problem.status, headers: commonHeaders.merging(headers) { $1 }, body: body ?? Data())
    }

    private static let commonHeaders = ["Content-Type": "application/json", "Cache-Control": "no-store"]
}

/// The JSON of a failure.
struct HTTPErrorBody: Codable {
    let error: String
    let message: String
}
