import Foundation
import Hummingbird
import NIOCore
import ServerCore

/// Reads the body of a request up to a size and a time.
struct BodyReader: Sendable {
    let body: RequestBody
    let maximumBytes: Int
    let timeout: Duration
    let clock: any Clock<Duration>

    /// Returns the bytes.
    func read() async throws(Site.BodyError) -> Data {
        let result = await withTaskGroup(of: Result<Data, Site.BodyError>.self) { group in
            defer { group.cancelAll() }
            group.addTask { await collect() }
            group.addTask {
                try? await clock.sleep(for: timeout)
                return .failure(.tooSlow)
            }
            return await group.next() ?? .failure(.lost)
        }
        return try result.get()
    }

    private func collect() async -> Result<Data, Site.BodyError> {
        do {
            return .success(Data(try await body.collect(upTo: maximumBytes).readableBytesView))
        } catch is NIOTooManyBytesError {
            return .failure(.tooLarge)
        } catch {
            return .failure(.lost)
        }
    }
}
