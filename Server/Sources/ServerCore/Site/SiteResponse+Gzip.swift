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
