import Foundation
import HTTPSync
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServerCore

/// What the responder knows of a request besides its values.
struct SiteContext: InitializableFromSource {
    let channel: any Channel
    let logger: Logger

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        logger = source.logger
    }
}

/// Passes the requests of hummingbird to a site.
struct SiteResponder: HTTPResponder {
    let site: Site
    let limits: Settings.Limits
    let connections: OpenConnections
    let clock: any Clock<Duration>

    /// How long a client may go on to send after a response that did not read its body.
    private static let linger = TimeAmount.seconds(2)

    func respond(to request: Request, context: SiteContext) async throws -> Response {
        let head = HTTPServiceRequest(
            method: request.method.rawValue, path: request.head.path ?? "",
            headers: request.headers.map { ($0.name.rawName, $0.value) })
        let announced = head.headers["content-length"].map { Int($0) ?? .max } ?? 0
        let hasBody = announced > 0 || head.headers["transfer-encoding"] != nil
        let reader = BodyReader(
            body: request.body, maximumBytes: limits.bodyBytes, timeout: limits.body, clock: clock)
        let begin = ContinuousClock.now
        // Idle connections and requests that wait could use all connections together.
        let answer = await site.response(
            to: head, hasBody: hasBody, mayWait: !connections.areScarce
        ) { () async throws(Site.BodyError) -> Data in
            if announced > limits.bodyBytes { throw .tooLarge }
            return try await reader.read()
        }
        .compressed(for: head)
        log(head, answer, ContinuousClock.now - begin, context.logger)
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        // An idle client would take one of the last connections from others.
        if connections.areScarce { headers[.connection] = "close" }
        if answer.endsConnection {
            headers[.connection] = "close"
            // What the client still sends is dropped for a moment, so that it can read the response.
            context.channel.eventLoop.scheduleTask(in: Self.linger) { context.channel.close(promise: nil) }
        }
        return Response(
            status: .init(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }

    private func log(
        _ request: HTTPServiceRequest, _ response: SiteResponse, _ duration: Duration, _ logger: Logger
    ) {
        logger.log(
            level: response.status >= 500 ? .error : .info, "request",
            metadata: [
                "method": "\(request.method)", "path": "\(request.path.prefix { $0 != "?" })",
                "status": "\(response.status)",
                "account": "\(response.account?.description ?? "-")", "bytes": "\(response.body.count)",
                "milliseconds": "\(Int((duration / .milliseconds(1)).rounded()))",
            ])
    }
}
