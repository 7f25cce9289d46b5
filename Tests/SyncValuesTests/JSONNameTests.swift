import DifferentialSyncTesting
import SyncValues
import TestSupport
import Testing

/// The names of objects in a list, which are likely to be those of the one before.
struct JSONNameTests {
    @Test(
        arguments: [
            // The same, some of them, more, others, in another order.
            [["a", "bc"], ["a", "bc"], ["a"], ["a", "bc", "d"], ["bc", "a"], [], ["a", "bc"]],
            // With what has to be escaped, or is longer than a word.
            [["a\"b", "x\\y"], ["a\"b", "x\\y"], ["\u{1}"], ["\u{1}"], ["café", "nameOfMoreThanFifteenBytes"]],
            [
                ["nameOfMoreThanFifteenBytes", "b"], ["nameOfMoreThanFifteenByteS", "b"],
                ["nameOfMoreThanFifteenBytes"],
            ],
            [[""], [""], ["", "a"], ["", "a"]],
            // Always others.
            (0..<40).map { ["n\($0)", "m\($0 % 2)"] },
        ], [false, true])
    func namesAreReadCorrectlyWhateverPrecedingObjectsContain(lists: [[String]], hasSpace: Bool) throws {
        let value = Value.array(
            lists.map { names in
                // Objects within have names of their own.
                .object(ValueObject(names: names, values: names.map { [.string($0), ["in": 1, "a": []]] }))
            })
        let text = try value.json(hasSpace ? [.indented] : [])
        #expect(try Value(json: text) == value)
        var options = JSONOptions()
        options.refusesDuplicateNames = true
        #expect(try Value(json: text, options: options) == value)
        guard case .array(let objects) = try Value(json: text) else {
            Issue.record("no array")
            return
        }
        for (object, names) in zip(objects, lists) {
            guard case .object(let object) = object else {
                Issue.record("no object")
                continue
            }
            #expect(object.names.map { Array($0.utf8) } == names.map { Array($0.utf8) })
        }
    }

    @Test func duplicateNameIsRefusedAtItsOffset() throws {
        var options = JSONOptions()
        options.refusesDuplicateNames = true
        let text = #"[{"a":1,"b":2},{"a":1,"b":2},{"a":1,"b":2,"a":3}]"#
        let error = #expect(throws: JSONError.self) { try Value(json: text, options: options) }
        #expect(error?.offset == 42)
        #expect(try Value(json: text) == [["a": 1, "b": 2], ["a": 1, "b": 2], ["a": 3, "b": 2]])
    }

    @Test(arguments: [
        (#"[{"ab":1},{"ab"}]"#, 15), (#"[{"ab":1},{"ab" 1}]"#, 16), (#"[{"ab":1},{"ab":}]"#, 16),
        (#"[{"ab":1},{"a"#, 13), (#"[{"ab":1},{"ab":"#, 16),
    ])
    func truncatedNameIsAnErrorAtItsOffset(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try Value(json: text) }
        #expect(error?.offset == offset)
    }
}
