import Foundation

/// A request whose bytes are as the test states them.
struct RawRequest: Sendable {
    var method: String
    var path: String
    var headers: [(String, String)]
    var body: Data

    init(_ method: String, _ path: String, _ headers: [(String, String)] = [], _ body: Data = Data()) {
        (self.method, self.path, self.headers, self.body) = (method, path, headers, body)
    }

    /// A message with a token.
    static func post(_ path: String, _ body: Data, token: String?) -> RawRequest {
        RawRequest(
            "POST", path,
            (token.map { [("Authorization", "Bearer \($0)")] } ?? []) + [("Content-Type", "application/json")], body)
    }

    /// The bytes of the head.
    var head: Data {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        if !body.isEmpty || method == "POST" { text += "Content-Length: \(body.count)\r\n" }
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return Data((text + "\r\n").utf8)
    }
}

/// A response as it was received.
struct RawResponse: Sendable {
    let status: Int
    let headers: [String: String]
    let body: Data

    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }

    /// Reads the bytes of a connection; nil if they have no head.
    init?(_ data: Data) {
        guard let end = data.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        guard let words = lines.first?.split(separator: " "), words.count > 1, let status = Int(words[1]) else {
            return nil
        }
        self.status = status
        headers = Dictionary(
            lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (
                    parts.first?.lowercased() ?? "",
                    parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
                )
            }
        ) { $1 }
        body = Data(data[end.upperBound...])
    }
}

/// A connection to a server on this machine, which blocks.
final class RawConnection {
    private let number: Int32

    /// A connection that failed or ended.
    struct Failure: Error { let text: String }

    init(_ port: UInt16) throws {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // No test waits for good.
        var limit = timeval(tv_sec: 40, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw Failure(text: "cannot connect to port \(port)") }
    }

    deinit { close(number) }

    /// Sends bytes; returns whether the server accepts them.
    @discardableResult
    func write(_ data: Data) -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads until the server ends the connection; throws if it does not.
    func readAll() throws -> Data {
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(number, &buffer, buffer.count, 0)
            if count < 0, errno == EAGAIN { throw Failure(text: "the connection stays open") }
            if count <= 0 { return received }
            received += buffer.prefix(count)
        }
    }

    /// Reads the head of a response, after which the server may keep the connection.
    func responseHead() throws -> RawResponse {
        var received = Data()
        var byte: UInt8 = 0
        while recv(number, &byte, 1, 0) == 1 {
            received.append(byte)
            if byte == UInt8(ascii: "\n"), let response = RawResponse(received) { return response }
        }
        throw Failure(text: "no head in \(received.count) bytes")
    }

    /// Reads the response; throws if the server ended the connection without one.
    func response() throws -> RawResponse {
        let data = try readAll()
        guard let response = RawResponse(data) else { throw Failure(text: "no response in \(data.count) bytes") }
        return response
    }

    /// Sends a request and reads the response.
    func send(_ request: RawRequest) throws -> RawResponse {
        write(request.head + request.body)
        return try response()
    }
}
