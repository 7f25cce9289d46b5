import Testing

@testable import EntitySync

struct GroupsTests {
    private func contents(_ groups: Groups<String>) -> [[String]] { groups.ranges.map { Array(groups.elements[$0]) } }

    @Test func consecutiveElementsKeepTheirOrder() {
        let groups = Groups(["c1", "c2", "a1", "b1", "b2"], in: [2, 2, 0, 1, 1], count: 4)
        #expect(groups.elements == ["c1", "c2", "a1", "b1", "b2"])
        #expect(contents(groups) == [["a1"], ["b1", "b2"], ["c1", "c2"], []])
    }

    @Test func mixedElementsAreGroupedInTheirOrder() {
        let groups = Groups(["b1", "a1", "b2", "d1", "a2", "b3"], in: [1, 0, 1, 3, 0, 1], count: 4)
        #expect(contents(groups) == [["a1", "a2"], ["b1", "b2", "b3"], [], ["d1"]])
        #expect(groups.elements == ["a1", "a2", "b1", "b2", "b3", "d1"])
    }

    @Test func groupsCanBeEmpty() {
        #expect(contents(Groups([], in: [], count: 0)).isEmpty)
        #expect(contents(Groups([], in: [], count: 2)) == [[], []])
    }

    @Test func groupsCanBeAppendedAndMapped() {
        var groups = Groups<String>()
        groups.append(["a", "b"])
        groups.append([])
        groups.append(["c"])
        #expect(contents(groups.map { $0 + $0 }) == [["aa", "bb"], [], ["cc"]])
    }
}
