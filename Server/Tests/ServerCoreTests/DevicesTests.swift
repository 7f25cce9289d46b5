import Foundation
import ServerCore
import StoreSync
import TestSupport
import Testing

/// The devices of an account, for operators.
@Suite struct DevicesTests {
    private let operators = [("Authorization", "Bearer \(TestTokens.operatorToken)")]
    private let path = "/operations/devices"

    @Test func anOperatorMakesRoomForADevice() async throws {
        let fixture = try Fixture(["--account-devices", "1"])
        let epoch = try await fixture.handshake("lost")
        _ = try await fixture.push(["a"], device: "lost", epoch: epoch)
        let introduction = #"{"versions":[1],"device":"phone","entities":{}}"#
        #expect(await fixture.post("/sync/v1/handshake", introduction).status == 400)
        let devices = await fixture.send("GET", "\(path)?account=ada", operators)
        #expect(devices.headers["Content-Type"] == "application/json")
        #expect(
            devices.text == #"{"account":"ada","devices":[{"identifier":"lost","pushNumber":1,"scope":null}]}"#)
        let rest = await fixture.send("DELETE", "\(path)?account=ada&device=lost", operators)
        #expect(rest.status == 200)
        #expect(rest.text == #"{"account":"ada","devices":[]}"#)
        #expect(await fixture.post("/sync/v1/handshake", introduction).status == 200)
    }

    @Test func namesInTheQueryAreEncoded() async throws {
        let fixture = try Fixture()
        try await fixture.handshake("Ada's phone", account: "a&b=é")
        let query = "account=a%26b%3D%C3%A9"
        let devices = await fixture.send("GET", "\(path)?\(query)", operators)
        #expect(
            devices.text
                == #"{"account":"a&b=é","devices":[{"identifier":"Ada's phone","pushNumber":0,"scope":null}]}"#)
        let rest = await fixture.send("DELETE", "\(path)?device=Ada%27s%20phone&\(query)", operators)
        #expect(rest.text == #"{"account":"a&b=é","devices":[]}"#)
    }

    @Test(
        arguments: [
            ("GET", "", 400), ("GET", "?account=", 400), ("GET", "?account=%00", 400), ("GET", "?account=%ff", 400),
            ("DELETE", "?account=ada", 400), ("DELETE", "?account=ada&device=tablet", 404),
            ("POST", "?account=ada", 405),
        ])
    func aWrongRequestRemovesNothing(_ method: String, _ query: String, _ status: Int) async throws {
        let fixture = try Fixture()
        try await fixture.handshake("phone")
        #expect(await fixture.send(method, path + query, operators).status == status)
        #expect(await fixture.send("GET", "\(path)?account=ada", operators).text.contains("phone"))
    }

    @Test func aRestoredDatabaseBeginsANewHistoryOnce() async throws {
        let folder = TemporaryFolder()
        func epoch(_ flags: [String], account: String = "ada") async throws -> String {
            let fixture = try Fixture(flags, in: folder)
            let epoch = try await fixture.handshake(account: account)
            await fixture.site.close()
            return epoch
        }
        let first = try await epoch([])
        #expect(try await epoch([]) == first)
        let second = try await epoch(["--restored", "monday"])
        #expect(second != first)
        #expect(try await epoch(["--restored", "monday"]) == second)
        #expect(try await epoch([]) == second)
        #expect(try await epoch(["--restored", "friday"]) != second)
    }

    @Test func noPushIsLargerThanABodyMayBe() async throws {
        let fixture = try Fixture(["--body-bytes", "70000"])
        let response = await fixture.post("/sync/v1/handshake", #"{"versions":[1],"device":"phone","entities":{}}"#)
        #expect(try HandshakeResponse(data: response.body).limits.pushBytes == 10_000)
    }

    @Test func aWrongNameOfAnAccountCreatesNoStore() async throws {
        let fixture = try Fixture()
        for (method, query) in [("GET", "?account=nobody"), ("DELETE", "?account=nobody&device=phone")] {
            let response = await fixture.send(method, path + query, operators)
            #expect(response.status == 404 && response.text.contains("unknownAccount"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.file("stores")).isEmpty)
    }

    @Test func aServerOfOneAccountHasNoOther() async throws {
        let fixture = try Fixture(["--single-account", "ada"])
        #expect(await fixture.send("GET", "\(path)?account=ada", operators).status == 200)
        #expect(await fixture.send("GET", "\(path)?account=bob", operators).status == 404)
    }
}
