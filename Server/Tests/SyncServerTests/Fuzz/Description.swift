import Foundation
import SyncValues
import Testing

/// The operations that `openapi.json` describes.
struct Description: Sendable {
    /// An operation of a path.
    struct Operation: Sendable {
        let path, method: String
        /// The schema of the request; nil for one without a body.
        let request: JSONSchema?
        /// The schemas of responses by status.
        let responses: [Int: JSONSchema]
        /// The headers of responses by status, in lower case.
        let headers: [Int: [String]]
    }

    var schemas = JSONSchemas()
    var operations: [Operation] = []

    init() throws {
        let file = GuideTests.root.appendingPathComponent("Documentation/openapi.json")
        let document = try #require(Value(json: Data(contentsOf: file)).object)
        for member in document["components"]?.object?["schemas"]?.object?.members.map({ $0 }) ?? [] {
            schemas.named[member.name] = try JSONSchema(member.value)
        }
        for path in try #require(document["paths"]?.object).members {
            for method in try #require(path.value.object).members {
                let operation = try #require(method.value.object)
                var (responses, headers): ([Int: JSONSchema], [Int: [String]]) = ([:], [:])
                for response in try #require(operation["responses"]?.object).members {
                    let status = try #require(Int(response.name))
                    responses[status] = try JSONSchema(#require(Self.schema(response.value)))
                    headers[status] = response.value.object?["headers"]?.object?.members.map { $0.name.lowercased() }
                }
                operations.append(
                    Operation(
                        path: path.name, method: method.name.uppercased(),
                        request: try operation["requestBody"].map { try JSONSchema(#require(Self.schema($0))) },
                        responses: responses, headers: headers))
            }
        }
    }

    private static func schema(_ body: Value) -> Value? {
        body.object?["content"]?.object?["application/json"]?.object?["schema"]
    }
}
