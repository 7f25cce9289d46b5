import Foundation
import StoreSync

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension RemoteError {
    /// The longest pause that a server can ask for, in seconds.
    private static let longestPause = 86_400

    /// Creates the error of a response whose status is not 200.
    ///
    /// The text of the server is part of the error, in at most 500 characters. A response of a proxy, which has no JSON of the
    /// service, gives the status instead, with the path of the request and the target of a redirection.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - body: The body, which may be anything.
    ///   - path: The path of the request.
    ///   - now: The current date, for a `Retry-After` that is a date.
    init(_ head: HTTPURLResponse, _ body: Data, of path: String, _ now: Date) {
        let status = head.statusCode
        let message = (try? JSONDecoder().decode(HTTPErrorBody.self, from: body))?.message.prefix(500)
        let text = message.map { String($0) } ?? "status \(status)"
        let seconds = head.value(forHTTPHeaderField: "Retry-After").flatMap { Self.seconds(of: $0, now) }
        self =
            switch status {
            case 401, 403: .unauthorized
            case 409: .handshakeNeeded(text)
            case 410: .gone(text)
            case 429: .throttled(after: seconds)
            case 408, 425, 500...599: .later(after: seconds)
            default: .incompatible(Self.place(of: head, path) + (message.map { ": \($0)" } ?? ""))
            }
    }

    /// Returns the status with the path of the request, by which a wrong address of the service is recognized.
    private static func place(of head: HTTPURLResponse, _ path: String) -> String {
        let place = "status \(head.statusCode) of \(path)"
        guard (300..<400).contains(head.statusCode), let target = head.value(forHTTPHeaderField: "Location") else {
            return place
        }
        // The query and the fragment may have a secret of the other server.
        let address = target.prefix { $0 != "?" && $0 != "#" }.prefix(200)
        return "\(place), a redirection to \(address), which is not followed"
    }

    /// Returns the seconds of a `Retry-After`, which is a number or a date; nil if it is neither.
    private static func seconds(of text: String, _ now: Date) -> Int? {
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
            return min(Int(text) ?? longestPause, longestPause)
        }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text).map { date in
            Int(min(max(date.timeIntervalSince(now).rounded(.up), 0), Double(longestPause)))
        }
    }
}
