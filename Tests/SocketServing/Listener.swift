import Foundation

/// Accepts the connections of a listening socket, on a thread of its own, until it is released.
package final class Listener: Sendable {
    private let socket: Int32

    /// The writing end of a pipe: a byte in it ends the thread.
    private let pipeEnd: Int32

    /// Begins to accept connections.
    ///
    /// - Parameters:
    ///   - socket: The socket that listens. The listener closes it.
    ///   - receive: Called on the thread with each connection.
    package init(_ socket: Int32, _ receive: @escaping @Sendable (Int32) -> Void) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        self.socket = socket
        pipeEnd = ends[1]
        Thread.detachNewThread { [end = ends[0]] in
            while Self.waitForConnection(socket, endedBy: end) {
                let connection = accept(socket, nil, nil)
                // A process without a free descriptor accepts the connection later.
                if connection >= 0 { receive(connection) }
            }
            // This thread alone closes the socket: another one may have its number from then on.
            close(socket)
            close(end)
        }
    }

    /// Waits for a client, and returns whether one has connected before the pipe received a byte.
    private static func waitForConnection(_ socket: Int32, endedBy end: Int32) -> Bool {
        var events = [socket, end].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&events, 2, -1) < 0 {}
        return events[1].revents == 0
    }

    deinit {
        // Clients are refused from now on.
        shutdown(socket, Int32(SHUT_RDWR))
        // The end of the pipe alone would say nothing: child processes may have inherited the descriptor.
        var byte: UInt8 = 0
        write(pipeEnd, &byte, 1)
        close(pipeEnd)
    }
}
