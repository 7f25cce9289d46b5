import CSyncServerZlib
import Foundation

extension Data {
    /// The bytes in gzip's format (RFC 1952), compressed fast; nil if there is no memory.
    var gzip: Data? {
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

    /// Returns what is in data in gzip's format.
    ///
    /// - Parameter limit: The most bytes of the result, which may be a thousand times those of the data.
    /// - Throws: `Site.BodyError.tooLarge`, and `unreadable` for data that are cut, damaged or followed by others.
    /// - Complexity: O(size of the result)
    func unzipped(upTo limit: Int) throws(Site.BodyError) -> Data {
        var stream = z_stream()
        guard inflateInit2_(&stream, MAX_WBITS + 16, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .unreadable
        }
        defer { inflateEnd(&stream) }
        var result = Data()
        var part = Data(count: 65_536)
        let code = withUnsafeBytes { source in
            part.withUnsafeMutableBytes { target in
                // because: zlib reads the source and writes the target only within this call, up to the stated counts.
                stream.next_in = UnsafeMutablePointer(mutating: source.bindMemory(to: Bytef.self).baseAddress)
                stream.avail_in = UInt32(clamping: source.count)
                var code = Z_OK
                while code == Z_OK, result.count <= limit {
                    stream.next_out = target.bindMemory(to: Bytef.self).baseAddress
                    stream.avail_out = UInt32(target.count)
                    code = inflate(&stream, Z_NO_FLUSH)
                    result.append(contentsOf: target.prefix(target.count - Int(stream.avail_out)))
                }
                return code
            }
        }
        if result.count > limit { throw .tooLarge }
        guard code == Z_STREAM_END, stream.avail_in == 0 else { throw .unreadable }
        return result
    }
}
