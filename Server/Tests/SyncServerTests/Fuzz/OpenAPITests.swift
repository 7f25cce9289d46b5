import DifferentialSyncTesting
import Foundation
import HTTPSync
import SyncValues
import TestSupport
import Testing

/// Requests that `openapi.json` describes, valid and damaged, have the responses that it describes.
@Suite struct OpenAPITests {
    /// What happened to a request before it was sent.
    private enum Kind: CaseIterable { case valid, damaged, damagedBytes, wrongHead }

    @Test(.needsPostgreSQL) func eachResponseConformsWithPostgreSQL() async throws {
        try await eachResponseConforms(.postgreSQL)
    }

    @Test(arguments: [TestDatabase.sqlite])
    func eachResponseConforms(_ database: TestDatabase) async throws {
        let description = try Description()
        let server = try ServerProcess(
            ["--account-requests", "0", "--wait-seconds", "1"], database: database.address())
        let seed = environmentSeed ?? 21
        var maker = ValueMaker(schemas: description.schemas, random: SeededGenerator(seed: seed))
        var statuses: [String: Set<Int>] = [:]
        // One device is known, so that generated requests are accepted too.
        let phone = try await ManualDevice(server)
        maker.epochs.append(phone.epoch)
        for round in 0..<fuzzCount(150) {
            for operation in description.operations {
                // A request for notifications waits.
                if operation.request == nil, round % 50 != 0 { continue }
                let kind = Kind.allCases.randomElement(using: &maker.random) ?? .valid
                let (request, isValid) = request(of: operation, kind, &maker)
                let response = try await server.send(request)
                statuses[operation.path, default: []].insert(response.status)
                if let push = try? PushResponse(data: response.body) { maker.nextPush = push.name.number + 1 }
                let context =
                    "seed \(seed), round \(round): \(request.method) \(request.path) \(String(decoding: request.body.prefix(500), as: UTF8.self)) -> \(response.status) \(response.text.prefix(300))"
                #expect(response.status != 500, "\(context)")
                if !isValid { #expect(response.status != 200, "\(context)") }
                try check(response, operation, description, context)
            }
        }
        let log = server.log
        #expect(
            !log.contains(#""level":"error""#),
            "\(log.split(separator: "\n").filter { $0.contains("error") }.prefix(3))")
        for path in ["/sync/v1/handshake", "/sync/v1/pull", "/sync/v1/push"] {
            // The generator reaches behind the first checks.
            #expect(
                statuses[path]?.isSuperset(of: [200, 400, 401, 405, 415]) == true, "\(path): \(statuses[path] ?? [])")
        }
        #expect(statuses["/sync/v1/push"]?.contains(409) == true)
    }

    /// Returns a request, and whether the document allows it.
    private func request(
        of operation: Description.Operation, _ kind: Kind, _ maker: inout ValueMaker
    ) -> (RawRequest, isValid: Bool) {
        var request = RawRequest(operation.method, operation.path)
        var isValid = true
        if let schema = operation.request {
            var value = maker.value(schema)
            if kind == .damaged { value = maker.damaged(value) }
            isValid = maker.schemas.problems(value, schema).isEmpty
            request.body = Data(((try? value.json([])) ?? "").utf8)
            request.headers.append(("Content-Type", "application/json"))
            if kind == .damagedBytes {
                request.body = maker.damagedBytes(request.body)
                let read = try? Value(json: request.body)
                isValid = read.map { maker.schemas.problems($0, schema).isEmpty } ?? false
            }
        }
        var token: String? = TestTokens.token("ada")
        if kind == .wrongHead {
            isValid = false
            switch Int.random(in: 0..<4, using: &maker.random) {
            case 0: token = [nil, "x", TestTokens.token("ada", expiry: 1)].randomElement(using: &maker.random) ?? nil
            case 1: request.headers = operation.request == nil ? [] : [("Content-Type", "text/plain")]
            default: request.method = operation.method == "GET" ? "POST" : "DELETE"
            }
            // Without a body there is no content type to be wrong.
            if operation.request == nil, token == TestTokens.token("ada"), request.method == "GET" { isValid = true }
        }
        if let token { request.headers.append(("Authorization", "Bearer \(token)")) }
        return (request, isValid)
    }

    private func check(
        _ response: RawResponse, _ operation: Description.Operation, _ description: Description, _ context: String
    ) throws {
        let schema = operation.responses[response.status]
        guard let schema else {
            Issue.record("the status is not described: \(context)")
            return
        }
        #expect(response.headers["content-type"] == "application/json", "\(context)")
        let body = try? Value(json: response.body)
        let problems = body.map { description.schemas.problems($0, schema) } ?? ["no JSON"]
        #expect(problems.isEmpty, "\(problems): \(context)")
        for name in operation.headers[response.status] ?? [] where name != "retry-after" {
            #expect(response.headers[name] != nil, "\(name): \(context)")
        }
    }

    @Test func theValidatorFindsEachFault() throws {
        let schemas = JSONSchemas(named: [
            "A": try JSONSchema(Value(json: #"{"type":"string","minLength":2,"pattern":"^[a-z]*$"}"#))
        ])
        let schema = try JSONSchema(
            Value(
                json: """
                    {"type":"object","required":["n"],"properties":{"n":{"type":"integer","minimum":1},
                    "c":{"const":1},"l":{"type":"array","items":{"$ref":"#/components/schemas/A"}},
                    "a":{"anyOf":[{"$ref":"#/components/schemas/A"},{"type":["null","boolean"]}]}},
                    "additionalProperties":{"type":"boolean"}}
                    """))
        for (json, isValid) in [
            (#"{"n":1}"#, true), (#"{"n":1,"c":1,"l":["ab"],"x":true}"#, true), ("{}", false), ("[]", false),
            (#"{"n":0}"#, false), (#"{"n":"1"}"#, false), (#"{"n":1.5}"#, false), (#"{"n":1,"c":2}"#, false),
            (#"{"n":1,"l":["a"]}"#, false), (#"{"n":1,"l":["AB"]}"#, false), (#"{"n":1,"x":1}"#, false),
            (#"{"n":1,"a":"ab"}"#, true), (#"{"n":1,"a":null}"#, true), (#"{"n":1,"a":"a"}"#, false),
        ] {
            #expect(schemas.problems(try Value(json: json), schema).isEmpty == isValid, "\(json)")
        }
        #expect(throws: JSONSchema.UnknownKeyword.self) { try JSONSchema(["oneOf": []]) }
    }
}
