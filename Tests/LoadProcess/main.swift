import Foundation
import HTTPSync
import PostgreSQLPersistence
import PostgreSQLTestSupport
import SyncPersistence

// A server process or a process of devices, for tests that kill the former.
//
// usage: load-process serve CONNECTION ACCOUNTS PORT SEED
//        load-process drive PORT,PORT… FIRST COUNT ACCOUNTS SEED
//
// A server prints its port. Devices print a line for each cycle. They work until the input has a line, synchronize what
// is left, and print `pushed`. After another line they download what is left, and print their numbers of edits.

signal(SIGPIPE, SIG_IGN)
let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.map { Int($0) ?? 0 }
switch arguments.first {
case "serve" where arguments.count == 5:
    let server = try LoadServer(
        connection: arguments[1], accountCount: numbers[2], port: UInt16(clamping: numbers[3]),
        seed: UInt64(clamping: numbers[4]))
    writeLine("port \(server.port)")
    // The process runs until it is killed, or until the test has ended.
    while readLine() != nil {}
case "drive" where arguments.count == 6:
    let ports = arguments[1].split(separator: ",").compactMap { UInt16($0) }
    let input = LoadInput()
    let clients = LoadClients(
        ports: ports, devices: numbers[2]..<numbers[2] + numbers[3], accountCount: numbers[4],
        seed: UInt64(clamping: numbers[5]), clock: ContinuousClock())
    try await clients.run(input)
default:
    FileHandle.standardError.write(Data("usage: load-process serve|drive …\n".utf8))
    exit(2)
}
