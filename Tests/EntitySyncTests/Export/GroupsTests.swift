import Testing

@testable import EntitySync

@Suite("Groups")
struct GroupsTests {
    private func contents(_ groups: Groups<String>) -> [[String]] { groups.ranges.map { Array(groups.elements[$0]) } }

    @Test("that come one after the other stand as they came, whichever comes first")
    func rows() {
        let groups = Groups(["c1", "c2", "a1", "b1", "b2"], in: [2, 2, 0, 1, 1], count: 4)
        #expect(groups.elements == ["c1", "c2", "a1", "b1", "b2"])
        #expect(contents(groups) == [["a1"], ["b1", "b2"], ["c1", "c2"], []])
    }

    @Test("whose elements are mixed are put together, each in its order")
    func mixed() {
        let groups = Groups(["b1", "a1", "b2", "d1", "a2", "b3"], in: [1, 0, 1, 3, 0, 1], count: 4)
        #expect(contents(groups) == [["a1", "a2"], ["b1", "b2", "b3"], [], ["d1"]])
        #expect(groups.elements == ["a1", "a2", "b1", "b2", "b3", "d1"])
    }

    @Test("may be none, or empty")
    func none() {
        #expect(contents(Groups([], in: [], count: 0)).isEmpty)
        #expect(contents(Groups([], in: [], count: 2)) == [[], []])
    }

    @Test("are added, and made into others")
    func added() {
        var groups = Groups<String>()
        groups.append(["a", "b"])
        groups.append([])
        groups.append(["c"])
        #expect(contents(groups.map { $0 + $0 }) == [["aa", "bb"], [], ["cc"]])
    }
}
