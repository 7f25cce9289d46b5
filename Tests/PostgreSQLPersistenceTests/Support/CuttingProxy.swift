import Foundation
import PostgreSQLTestSupport
import SocketServing
import SyncPersistence

/// A proxy between libpq and a server, which cuts one connection at a chosen message.
final class CuttingProxy: Sendable {
    /// Where a connection is cut.
    struct Cut: Sendable {
        /// The number of messages of the client that pass before.
        var count: Int
        /// Whether the last message reaches the server, and only its answer is lost.
        var reachesServer: Bool
        /// The folder of the server of later connections; nil if they are refused.
        var successor: String?
    }

    /// The folder of the socket for clients.
    private let folder: String
    private let listener: Listener
    /// The next cut; nil if there is none, or it has been made.
    private let cut = Locked<Cut?>(nil)
    /// The folder of the server of new connections; nil if they are refused.
    private let server: Locked<String?>
    /// Called before the next connection reaches the server.
    private let interlude = Locked<(@Sendable () -> Void)?>(nil)

    /// The connection string for clients.
    var connection: String { "host=\(folder) user=postgres dbname=postgres" }

    /// Starts a proxy in front of a server.
    init(_ cluster: TestCluster) throws {
        var template = Array("/tmp/postgresql-proxy-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.folder = folder
        let listener = Self.socket(folder) { bind($0, $1, $2) }
        precondition(listen(listener, 16) == 0)
        server = Locked(cluster.folder)
        self.listener = try Listener(listener) { [server, cut, interlude] client in
            interlude.exchange(with: nil)?()
            if let folder = server.current {
                Self.serve(client, Self.socket(folder) { connect($0, $1, $2) }, cut, server)
            } else {
                close(client)
            }
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Plans a cut, after which connections lead to the same server.
    func cut(after count: Int, reachesServer: Bool) {
        cut.exchange(with: Cut(count: count, reachesServer: reachesServer, successor: server.current))
    }

    /// Plans a cut, after which connections lead to another server, or are refused.
    func cut(after count: Int, reachesServer: Bool, successor: TestCluster?) {
        cut.exchange(with: Cut(count: count, reachesServer: reachesServer, successor: successor?.folder))
    }

    /// Leads new connections to a server.
    func lead(to cluster: TestCluster) { server.exchange(with: cluster.folder) }

    /// Calls the body before the next connection, which waits meanwhile, reaches the server.
    func beforeNextConnection(_ body: @escaping @Sendable () -> Void) { interlude.exchange(with: body) }

    /// Cancels the planned cut, and returns whether it had been made.
    func hasCut() -> Bool { cut.exchange(with: nil) == nil }

    /// Passes messages in both directions until an end closes or the connection is cut.
    private static func serve(_ client: Int32, _ server: Int32, _ cut: Locked<Cut?>, _ target: Locked<String?>) {
        // Whether the answer to the last message is lost.
        let isDeaf = Locked(false)
        let openCount = Locked(2)
        // The sockets are closed at the end of both directions: others may get their numbers at once.
        @Sendable func end() {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
            let isLast = openCount.withLock { count in
                count -= 1
                return count == 0
            }
            if isLast {
                close(client)
                close(server)
            }
        }
        Thread.detachNewThread {
            pass(from: client, to: server) {
                let isCut: Bool? = cut.withLock { plan in
                    guard let next = plan else { return nil }
                    if next.count > 0 {
                        plan?.count -= 1
                        return nil
                    }
                    plan = nil
                    target.exchange(with: next.successor)
                    if next.reachesServer { isDeaf.exchange(with: true) }
                    return !next.reachesServer
                }
                return isCut != true
            }
            end()
        }
        Thread.detachNewThread {
            pass(from: server, to: client) { !isDeaf.current }
            end()
        }
    }

    /// Passes bytes from one socket to the other, as long as `mayPass` allows it.
    private static func pass(from source: Int32, to target: Int32, _ mayPass: () -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(source, &buffer, buffer.count)
            if count <= 0 || !mayPass() { return }
            var start = 0
            while start < count {
                let written = buffer[start..<count].withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if written <= 0 { return }
                start += written
            }
        }
    }

    /// Makes a socket and binds or connects it to the socket file of a folder.
    private static func socket(
        _ folder: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        let socket = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(folder)/.s.PGSQL.5432".utf8) }
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(result == 0, "no socket in \(folder)")
        return socket
    }
}
