import Foundation
import HTTPSync
import SQLitePersistence
import SyncPersistence
import Testing

/// The guide and the description for tools say what the service does.
@Suite struct DescriptionTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func contents(of path: String) throws -> Data {
        try Data(contentsOf: Self.root.appendingPathComponent(path))
    }

    // MARK: - The guide

    /// A request of the guide with the response after it.
    private struct Example {
        let request: HTTPServiceRequest
        let response: String
    }

    private func examples() throws -> [Example] {
        let guide = String(
            decoding: try contents(of: "Sources/HTTPSync/HTTPSync.docc/ServingDevices.md"), as: UTF8.self)
        return try guide.matches(of: /```sh\n(curl [^`]*)```\n\n```json\n([^`]*)```/).map { match in
            let path = try #require(match.1.firstMatch(of: /example\.org(\S*)/)?.1)
            let body = match.1.firstMatch(of: /-d '([^']*)'/)?.1
            // curl sends POST with a body, and GET without one.
            let headers = match.1.matches(of: /-H "([^:"]*): ([^"]*)"/).map { header in
                (String(header.1), String(header.2.replacing("$TOKEN", with: "token-of-ada")))
            }
            return Example(
                request: HTTPServiceRequest(
                    method: body == nil ? "GET" : "POST", path: String(path), headers: headers,
                    body: Data((body ?? "").utf8)),
                response: String(match.2))
        }
    }

    @Test func theRequestsOfTheGuideHaveItsResponses() async throws {
        let accounts = try await Accounts()
        try await accounts.store(of: "ada").put(1, "Dig")
        let service = HTTPService(wait: .zero) { try accounts.remote(for: $0) }
        let examples = try examples()
        #expect(Set(examples.map(\.request.path)) == Set(HTTPRoute.allCases.map(\.rawValue)))
        for example in examples {
            let response = await service.response(to: example.request)
            let text = String(decoding: response.body, as: UTF8.self)
            #expect(response.status == 200, "\(text)")
            #expect(try Value(json: response.body) == Value(json: example.response), "\(text)")
        }
    }

    @Test func theGuideListsEachStatus() throws {
        let guide = String(
            decoding: try contents(of: "Sources/HTTPSync/HTTPSync.docc/ServingDevices.md"), as: UTF8.self)
        let rows = guide.matches(of: /\n\| (\d+) \| `(\w+)` \|/).map { "\($0.1) \($0.2)" }
        #expect(rows.sorted() == HTTPProblem.allCases.map { "\($0.status) \($0.rawValue)" }.sorted())
    }

    // MARK: - The description for tools

    private struct Description: Decodable {
        struct Reference: Decodable {
            let ref: String

            enum CodingKeys: String, CodingKey { case ref = "$ref" }
        }
        struct Media: Decodable { let schema: Reference }
        struct Body: Decodable { let content: [String: Media] }
        struct Operation: Decodable {
            let requestBody: Body?
            let responses: [String: Body]
        }
        struct Components: Decodable { let schemas: [String: Object] }
        struct Object: Decodable {
            struct Property: Decodable { let `enum`: [String]? }

            let required: [String]
            let properties: [String: Property]
        }

        let paths: [String: [String: Operation]]
        let components: Components
    }

    private func description() throws -> Description {
        try JSONDecoder().decode(Description.self, from: contents(of: "Documentation/openapi.json"))
    }

    @Test func thePathsAndMethodsAreThoseOfTheService() throws {
        let described = try description().paths.mapValues { $0.keys.map { $0.uppercased() } }
        #expect(
            described == Dictionary(uniqueKeysWithValues: HTTPRoute.allCases.map { ($0.rawValue, [$0.method]) }))
    }

    @Test func eachPathHasTheStatusesOfTheService() throws {
        for operation in try description().paths.values.flatMap(\.values) {
            var statuses = Set(HTTPProblem.allCases.map(\.status))
            statuses.remove(HTTPProblem.unknownPath.status)
            if operation.requestBody == nil { statuses.remove(HTTPProblem.wrongType.status) }
            #expect(Set(operation.responses.keys) == Set(statuses.map { "\($0)" } + ["200"]))
            for (status, response) in operation.responses where status != "200" {
                #expect(response.content["application/json"]?.schema.ref == "#/components/schemas/Error")
            }
        }
        let codes = try description().components.schemas["Error"]?.properties["error"]?.enum
        #expect(codes?.sorted() == HTTPProblem.allCases.map(\.rawValue).sorted())
    }

    @Test func theSchemasAreTheMessages() throws {
        let description = try description()
        let messages: [(HTTPRoute, request: (any SyncMessage.Type)?, response: String)] = [
            (.handshake, HandshakeRequest.self, "\(HandshakeResponse.self)"),
            (.pull, PullRequest.self, "\(PullResponse.self)"), (.push, PushRequest.self, "\(PushResponse.self)"),
            (.notifications, nil, "Notification"),
        ]
        #expect(messages.count == HTTPRoute.allCases.count)
        for (route, request, response) in messages {
            let operation = try #require(description.paths[route.rawValue]?[route.method.lowercased()])
            let prefix = "#/components/schemas/"
            #expect(
                operation.requestBody?.content["application/json"]?.schema.ref == request.map { "\(prefix)\($0)" })
            #expect(operation.responses["200"]?.content["application/json"]?.schema.ref == prefix + response)
            #expect(description.components.schemas[response] != nil)
        }
    }

    @Test func theSchemasHaveTheMembersOfTheExamples() throws {
        let description = try description()
        for example in try examples() {
            let operation = try #require(
                description.paths[example.request.path]?[example.request.method.lowercased()])
            let bodies = [
                (operation.requestBody, String(decoding: example.request.body, as: UTF8.self)),
                (operation.responses["200"], example.response),
            ]
            for case (let body?, let json) in bodies {
                let reference = try #require(body.content["application/json"]?.schema.ref)
                let name = String(reference.split(separator: "/").last ?? "")
                let schema = try #require(description.components.schemas[name])
                guard case .object(let object) = try Value(json: json) else {
                    Issue.record("\(json) is no object")
                    continue
                }
                let members = Set(object.members.map(\.name))
                #expect(members.isSubset(of: schema.properties.keys), "\(name)")
                #expect(members.isSuperset(of: schema.required), "\(name)")
            }
        }
    }
}
