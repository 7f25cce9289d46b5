import DifferentialSync
import Foundation
import TestSupport
import Testing

struct DiffCodingLawTests {
    @Test func everySmallDiffComesBackAsItWas() throws {
        let collections = allSequences(of: (1...3).flatMap { [Item($0, 0), Item($0, 1)] }, upTo: 2)
            .filter { !NaiveModel.hasClash($0, key: \.id) }
        for wins in collections {
            for loses in collections {
                for changes in [try diff(wins: wins, loses: loses, primaryKey: \.id), diff(wins: wins, loses: loses)] {
                    guard let changes else { continue }
                    let copy = try JSONDecoder().decode(Diff<Item>.self, from: JSONEncoder().encode(changes))
                    #expect(copy == changes, "\(wins) and \(loses)")
                    #expect(copy.changes == changes.changes, "\(wins) and \(loses)")
                }
            }
        }
    }
}
