import CSyncServerZlib
import Foundation
public import HTTPSync

extension SiteResponse {
    /// The fewest bytes of a body that is compressed; smaller ones fit into a packet as they are.
    private static let leastBytes = 1_024

    /// Returns the response with its body in gzip's format, if the client accepts that and the body is large enough.
    ///
    /// - Complexity: O(size of the body)
    public func compressed(for request: HTTPServiceRequest) -> SiteResponse {
        guard body.count >= Self.leastBytes, request.acceptsGzip, let gzip = body.gzip else { return self }
        var response = self
        response.body = gzip
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding"
        return response
    }
}

extension HTTPServiceRequest {
    /// Whether `Accept-Encoding` names gzip, and not with the weight 0 (RFC 9110, section 12.5.3).
    fileprivate var acceptsGzip: Bool {
        (headers["accept-encoding"] ?? "").lowercased().split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.first == "gzip" else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
        }
    }
}

extension Data {
    /// The bytes in gzip's format (RFC 1952), compressed fast; nil if there is no memory.
    fileprivate var gzip: Data? {
        var stream = z_stream()
        // The largest window, with gzip's header.
        let windowBits = MAX_WBITS + 16
        let version = deflateInit2_(
            &stream, Z_BEST_SPEED, Z_DEFLATED, windowBits, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY, zlibVersion(),
            Int32(MemoryLayout<z_stream>.size))
        guard version == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var result = Data(count: Int(deflateBound(&stream, UInt(count))))
        let code = withUnsafeBytes { source in
            result.withUnsafeMutableBytes { target in
                // because: zlib reads the source and writes the target only within this call, up to the stated counts.
                stream.next_in = UnsafeMutablePointer(mutating: source.bindMemory(to: Bytef.self).baseAddress)
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.bindMemory(to: Bytef.self).baseAddress
                stream.avail_out = UInt32(target.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard code == Z_STREAM_END else { return nil }
        result.count = Int(stream.total_out)
        return result
    }
}
