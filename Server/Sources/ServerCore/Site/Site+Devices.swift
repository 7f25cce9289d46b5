import Foundation
import HTTPSync
import StoreSync
import SyncValues

/// The devices of an account, among which operators make room.
extension Site {
    /// Returns the devices of the account that the query names; `DELETE` removes one of them first.
    func devices(_ request: HTTPServiceRequest) async -> SiteResponse {
        let items = URLComponents(string: request.path)?.queryItems ?? []
        func parameter(_ name: String) -> String? { items.first { $0.name == name }?.value }
        guard let account = parameter("account").flatMap(AccountName.init) else {
            return .failure(400, "malformed", "The query needs the name of an account: ?account=NAME")
        }
        // The only file of the server is that of its only account.
        if let only = settings.singleAccount, AccountName(only) != account {
            return .failure(404, "unknownAccount", "The server has no such account.")
        }
        // A wrong name must not create a store.
        if settings.singleAccount == nil, await !stores.exists(account.storageName) {
            return .failure(404, "unknownAccount", "The server has no such account.")
        }
        let removed = request.method == "DELETE" ? parameter("device") : nil
        if request.method == "DELETE", removed == nil {
            return .failure(400, "malformed", "The query needs the identifier of a device: &device=IDENTIFIER")
        }
        do {
            return try await stores.use(account.storageName) { store in
                let service = service(of: account, in: store)
                if let removed {
                    guard
                        try await service.devices().contains(where: { $0.identifier.utf8.elementsEqual(removed.utf8) })
                    else {
                        return .failure(404, "unknownDevice", "The account has no such device.")
                    }
                    try await service.removeDevice(removed)
                }
                return .devices(try await service.devices(), of: account)
            }
        } catch {
            report(error, request)
            return .failure(503, "later", "The store of the account cannot be read.")
        }
    }
}

extension SiteResponse {
    /// The devices of an account as JSON.
    fileprivate static func devices(_ devices: [KnownDevice], of account: AccountName) -> Self {
        let list = devices.map { device -> Value in
            [
                "identifier": .string(device.identifier), "scope": device.scope.map { .string($0) } ?? .null,
                "pushNumber": .integer(device.pushNumber),
            ]
        }
        let object: Value = ["account": .string(account.description), "devices": .array(list)]
        return SiteResponse(200, "application/json", (try? object.json([.sortedNames])) ?? "")
    }
}
