import Dispatch
package import Foundation
package import HTTPSync
import SyncPersistence

/// A server for tests, which keeps connections open for further requests, unless it ends some too early.
package final class SocketServer: Sendable {
    /// Where the server ends a connection too early.
    package enum Cut: CaseIterable {
        case beforeRequest, withinRequest, beforeResponse, withinResponse
    }

    /// The port on which the server listens.
    package let port: UInt16
    private let listener: Listener
    private let connections = OpenConnections()

    /// How a request is answered.
    package typealias Answer = @Sendable (HTTPServiceRequest) async -> HTTPServiceResponse

    /// Starts a server of a service.
    package convenience init(
        _ http: HTTPService, port: UInt16 = 0, cut: (@Sendable () -> Cut?)? = nil
    ) throws {
        try self.init(port: port, cut: cut) { await http.response(to: $0) }
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any that is free.
    ///   - cut: Returns where the next connection ends too early; nil if it does not. Each connection then has one
    ///     request.
    ///   - answer: Answers each request.
    package init(
        port: UInt16 = 0, cut: (@Sendable () -> Cut?)? = nil, _ answer: @escaping Answer
    ) throws {
        #if canImport(Darwin)
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        // A server that is started again listens at once on the port of the one before.
        var isReused: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 512) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard listener >= 0, isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        self.port = UInt16(bigEndian: address.sin_port)
        self.listener = try Listener(listener) { [connections] number in
            guard connections.open(number) else { return }
            Thread.detachNewThread {
                var connection = Connection(number: number)
                if let cut {
                    _ = connection.answerRequest(until: cut(), answer)
                } else {
                    while connection.answerRequest(until: nil, answer) {}
                }
                connections.close(number)
            }
        }
    }

    deinit { connections.end() }

    /// The address of the server.
    package var url: URL? { URL(string: "http://127.0.0.1:\(port)") }
}

/// The connections of clients, which end with their server.
private final class OpenConnections: Sendable {
    /// The descriptors; nil after the end.
    private let numbers = Locked<Set<Int32>?>([])

    /// Adds a connection; closes it and returns false after the end.
    func open(_ number: Int32) -> Bool {
        numbers.withLock { numbers in
            if numbers?.insert(number) == nil { Foundation.close(number) }
            return numbers != nil
        }
    }

    func close(_ number: Int32) {
        // Within the lock, so that the number is of no other connection when all of them end.
        numbers.withLock { numbers in
            numbers?.remove(number)
            _ = Foundation.close(number)
        }
    }

    func end() {
        numbers.withLock { numbers in
            for number in numbers ?? [] { shutdown(number, Int32(SHUT_RDWR)) }
            numbers = nil
        }
    }
}

/// A connection of a client.
private struct Connection {
    let number: Int32

    /// What was received after the last request.
    private var received = Data()

    init(number: Int32) { self.number = number }

    /// Answers the next request, and returns whether another one may follow.
    mutating func answerRequest(until cut: SocketServer.Cut?, _ answer: @escaping SocketServer.Answer) -> Bool {
        guard cut != .beforeRequest, let request = readRequest(until: cut) else { return false }
        let response = Locked<HTTPServiceResponse?>(nil)
        let isAnswered = DispatchSemaphore(value: 0)
        Task {
            let answer = await answer(request)
            response.withLock { $0 = answer }
            isAnswered.signal()
        }
        isAnswered.wait()
        guard cut != .beforeResponse, let response = response.current else { return false }
        return send(response, isCut: cut == .withinResponse)
    }

    private mutating func readRequest(until cut: SocketServer.Cut?) -> HTTPServiceRequest? {
        var head: (lines: [String], end: Int)?
        while true {
            if head == nil, let end = received.range(of: Data("\r\n\r\n".utf8)) {
                let text = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                head = (text.components(separatedBy: "\r\n"), end.upperBound)
            }
            if let (lines, end) = head, let first = lines.first?.split(separator: " "), first.count == 3 {
                if cut == .withinRequest { return nil }
                let headers = lines.dropFirst().compactMap { line -> (String, String)? in
                    let parts = line.split(separator: ":", maxSplits: 1)
                    return parts.count == 2
                        ? (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)) : nil
                }
                let length = headers.first { $0.0.lowercased() == "content-length" }.flatMap { Int($0.1) } ?? 0
                if received.endIndex - end >= length {
                    defer { received = Data(received[(end + length)...]) }
                    return HTTPServiceRequest(
                        method: String(first[0]), path: String(first[1]), headers: headers,
                        body: Data(received[end...].prefix(length)))
                }
            }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(number, &buffer, buffer.count, 0)
            if count <= 0 { return nil }
            received += buffer.prefix(count)
        }
    }

    /// Sends a response, and returns whether the client has all of it.
    private func send(_ response: HTTPServiceResponse, isCut: Bool) -> Bool {
        var head = "HTTP/1.1 \(response.status) Status\r\nContent-Length: \(response.body.count)\r\n"
        for (name, value) in response.headers { head += "\(name): \(value)\r\n" }
        var data = Data((head + "\r\n").utf8) + response.body
        if isCut { data = data.prefix(data.count - response.body.count / 2 - 1) }
        while !data.isEmpty {
            #if canImport(Darwin)
                let count = data.withUnsafeBytes { Foundation.send(number, $0.baseAddress, $0.count, 0) }
            #else
                let count = data.withUnsafeBytes {
                    Foundation.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            #endif
            if count <= 0 { return false }
            data.removeFirst(count)
        }
        return !isCut
    }
}
