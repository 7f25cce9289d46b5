import Foundation
import StoreSync
import SyncPersistence

// A device that pushes one new record after the other to a folder that several processes share. It can be killed and
// started again at any time. It writes the number of each acknowledged push to a line of the output.
//
// usage: object-client FOLDER DEVICE COUNT

let (folder, device, count) = (CommandLine.arguments[1], CommandLine.arguments[2], Int64(CommandLine.arguments[3]) ?? 0)
let remote = ObjectRemote(try FolderObjects(path: folder), account: "ann", maximumSegments: 8)
let known = try await remote.handshake(
    HandshakeRequest(device: device, cursor: nil, lastPush: nil, entities: [:]))
var number = known.lastPush?.name.number ?? 0
while number < count {
    number += 1
    let values = ValueObject([ValueObject.Member(name: "text", value: .string("\(device) \(number)"))])
    let response = try await remote.push(
        PushRequest(
            device: device, name: PushName(number: number, name: "\(device)-\(number)"),
            base: SyncCursor(epoch: known.epoch, sequence: known.sequence),
            mutations: [Mutation(RecordID(device, .integer(number)), .insert(values))]))
    guard response.outcomes == [.accepted()] else { fatalError("\(response.outcomes)") }
    FileHandle.standardOutput.write(Data("\(number)\n".utf8))
}
