import Foundation
import SyncPersistence
import TestSupport
import Testing

/// The to-do app of README and its server, against each other over HTTP.
@Suite(.enabled(if: PythonServer.python != nil, "python3 is not installed"))
struct ToDoTests {
    @Test func appAndServerOfTheREADMESynchronize() async throws {
        let server = try PythonServer()
        let files = [TemporaryFile(), TemporaryFile()]
        let remote = ToDoServer(url: server.url, account: "ada")
        let phone = try await ToDoList(path: files[0].path, server: remote)
        let tablet = try await ToDoList(path: files[1].path, server: remote)

        let (milk, tea) = (ToDo(title: "milk"), ToDo(title: "tea"))
        try await phone.todos.insert(milk)
        #expect(try await phone.sync().description == "full pull, push accepted · pushed 1 added")
        #expect(try await tablet.sync().description == "full pull · pulled 1 added")

        // Both edit one to-do offline, in different fields, and the tablet adds another.
        try await phone.todos.edit(milk.id) { $0.title = "oat milk" }
        try await tablet.todos.edit(milk.id) { $0.isDone = true }
        try await tablet.todos.insert(tea)
        #expect(try await phone.sync().description == "push accepted · pushed 1 replaced")
        #expect(
            try await tablet.sync().description
                == "push refused, pull, push accepted · pulled 1 replaced; pushed 1 added, 1 replaced; "
                + "1 conflict resolved")
        #expect(try await phone.sync().description == "pull · pulled 1 added, 1 replaced")
        let expected = [ToDo(id: milk.id, title: "oat milk", isDone: true), tea]
        for list in [phone, tablet] {
            let todos = try await list.todos.elements()
            #expect(todos.count == 2 && expected.allSatisfy(todos.contains))
        }

        try await phone.todos.remove(tea.id)
        #expect(try await phone.sync().description == "push accepted · pushed 1 deleted")
        #expect(try await tablet.sync().description == "pull · pulled 1 deleted")
        for list in [phone, tablet] { await list.todos.store.close() }
    }

    @Test func secondCopyOfAPushIsAcceptedAgain() async throws {
        let server = try PythonServer()
        let remote = ToDoServer(url: server.url, account: "ada")
        guard case .everything(_, let empty, _) = try await remote.pull(since: nil) else {
            Issue.record("a device without a version pulls everything")
            return
        }
        let milk = ToDo(title: "milk")
        let first = Push(id: "a", changes: try #require(Diff([Change.add(milk)])), expected: empty)
        let answer = try await remote.push(first)
        let version = RemoteVersion(epoch: empty.epoch, commit: "a")
        #expect(answer == .accepted(version))
        let second = Push(id: "b", changes: try #require(Diff([Change.delete(milk)])), expected: version)
        #expect(try await remote.push(second) != .refused)
        #expect(try await remote.push(first) == answer)
        let last = RemoteVersion(epoch: empty.epoch, commit: "b")
        #expect(try await remote.pull(since: version) == .changes(changed: [], deleted: [milk.id], last))
        // It is not a copy of the first push, although it has its name.
        let other = Push(id: "a", changes: try #require(Diff([Change.add(ToDo(title: "tea"))])), expected: last)
        #expect(try await remote.push(other) == .refused)
        #expect(try await remote.pull(since: last) == .changes(changed: [], deleted: [], last))
    }

    @Test func serverKeepsWhatItHasAcceptedWhenItEnds() async throws {
        let file = TemporaryFile()
        let server = try PythonServer()
        let milk = ToDo(title: "milk")
        let phone = try await ToDoList(path: file.path, server: ToDoServer(url: server.url, account: "ada"))
        try await phone.todos.insert(milk)
        try await phone.sync()
        server.end()
        try await phone.todos.edit(milk.id) { $0.isDone = true }
        await #expect(throws: (any Error).self) { try await phone.sync() }

        let again = try PythonServer(file: server.file)
        let later = ToDoList(todos: phone.todos, server: ToDoServer(url: again.url, account: "ada"))
        // The push that failed is in doubt: the server is asked, does not know it, and receives it again.
        #expect(
            try await later.sync().description == "push not applied, push accepted, pull · pushed 1 replaced")
        await phone.todos.store.close()
    }
}

/// The server of README in a process of its own.
final class PythonServer {
    let url: URL
    let file: TemporaryFile
    private let process: ChildProcess

    static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    init(file: TemporaryFile = TemporaryFile()) throws {
        self.file = file
        let script = Document.root.appendingPathComponent("Examples/ToDoServer/server.py")
        process = try ChildProcess(#require(PythonServer.python), [script.path, "0", file.path])
        // It prints its port once it listens.
        let line = String(decoding: process.output.availableData, as: UTF8.self)
        let port = try #require(Int(line.filter(\.isNumber)), "\(line.isEmpty ? process.finish().errors : line)")
        url = try #require(URL(string: "http://127.0.0.1:\(port)"))
    }

    /// Kills the process: what the server has answered must be on the disk.
    func end() {
        process.end()
        process.wait()
    }
}
