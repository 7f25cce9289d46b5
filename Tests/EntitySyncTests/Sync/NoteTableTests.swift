import Testing

@testable import EntitySync

struct NoteTableTests {
    private func notes(_ table: NoteTable) -> [UInt64: [UInt64]] {
        var notes: [UInt64: [UInt64]] = [:]
        table.forEach { place in
            let token = table.token(at: place)
            #expect(notes[token] == nil, "\(token) stands twice")
            notes[token] = [table.digest(at: place), UInt64(table.sequence(at: place))] + table.coverage(at: place)
        }
        return notes
    }

    @Test("a note takes the place of one before")
    func replacing() {
        var table = NoteTable()
        let areNew = [
            table.set(7, 70, coverage: [1, 2], in: 3), table.set(8, 80, coverage: [], in: 3),
            table.set(7, 71, coverage: [5], in: 4),
        ]
        #expect(areNew == [true, true, false])
        #expect(notes(table) == [7: [71, 4, 5], 8: [80, 3]])
        #expect(table.place(of: 7).map { table.digest(at: $0) } == 71)
    }

    @Test("a note is taken away once")
    func removing() {
        var table = NoteTable()
        let answers = [table.set(7, 70, coverage: [1], in: 3), table.remove(7), table.remove(7)]
        #expect(answers == [true, true, false])
        #expect(notes(table) == [:] && table.place(of: 7) == nil)
        let isNew = table.set(7, 71, coverage: [], in: 4)
        #expect(isNew && notes(table) == [7: [71, 4]])
    }

    @Test("of stored notes, whole ones are taken in, and of two with one token the last")
    func taking() {
        var table = NoteTable()
        table.take([7, 70, 3, 1, 9, 8, 80, 3, 0, 7, 71, 4, 0, 6, 60, 3, 2, 5])
        #expect(notes(table) == [7: [71, 4], 8: [80, 3]])
        let wasThere = table.remove(7)
        #expect(wasThere && notes(table) == [8: [80, 3]])
        table.take([6, 60, 3, .max])
        #expect(notes(table) == [8: [80, 3]])
    }

    @Test("the token that says that a note is void has none")
    func void() {
        var table = NoteTable()
        let isNew = table.set(0, 70, coverage: [0], in: 3)
        #expect(!isNew && notes(table) == [:] && table.place(of: 0) == nil)
    }
}
