import DifferentialSyncTesting
import SyncPersistence
import Testing

/// The suite is of use only if it finds what is wrong: each planted bug must be reported by the check for it.
@Suite struct PlantedBugTests {
    @Test(
        arguments: [
            (.putForgetsTheOldRecord, "writing.equalPuts"),
            (.putForgetsTheOldRecord, "journal.localChanges"),
            (.putIgnoresUpdates, "writing.put"),
            (.putMovesToTheEnd, "reading.insertionOrder"),
            (.removeIgnores, "writing.delete"),
            (.removeForgetsTheRecord, "writing.delete"),
            (.ignoresSort, "sorting.severalKeys"),
            (.ignoresDirection, "sorting.everyType"),
            (.ignoresLimit, "reading.limitAndOffset"),
            (.ignoresOffset, "reading.limitAndOffset"),
            (.ignoresFilter, "filtering.nulls"),
            (.ignoresFilter, "filtering.manyConditions"),
            (.ignoresEarlyStop, "reading.earlyStop"),
            (.nullsLast, "sorting.everyType"),
            (.tiesReversed, "sorting.ties"),
            (.stringsByCanonicalEquivalence, "hostile.texts"),
            (.ignoresCaseAlways, "filtering.text"),
            (.countIgnoresLimit, "reading.count"),
            (.countIgnoresFilter, "reading.count"),
            (.digestConstant, "snapshot.naiveDiff"),
            (.digestWithoutEntity, "snapshot.inheritance"),
            (.digestsIgnoreFilter, "snapshot.scope"),
            (.digestsInOrderOfKeys, "snapshot.naiveDiff"),
            (.keysIgnoreFilter, "reading.someKeys"),
            (.keysInTheirOrder, "reading.insertionOrder"),
            (.keysWithoutInheritance, "inheriting.queries"),
            (.recordOnlyOfExactShape, "inheriting.queries"),
            (.queryWithoutInheritance, "inheriting.queries"),
            (.roundsDates, "values.extremes"),
            (.roundsDecimals, "values.extremes"),
            (.emptyTextIsNull, "values.large"),
            (.trimsText, "hostile.texts"),
            (.losesNullsInArrays, "values.extremes"),
            (.losesMetadata, "metadata.setAndForget"),
            (.losesMetadata, "keys.counted"),
            (.losesTombstones, "tombstones.deletions"),
            (.losesJournal, "origins.remoteMeetsLocal"),
            (.losesLinks, "toMany.links"),
        ] as [(BrokenStorage.Defect, String)])
    func brokenStorage(_ defect: BrokenStorage.Defect, check: String) async {
        let report = await PersistenceContract.report(where: { $0 == check }) { schema in
            ForwardingAdapter(InMemoryAdapter(schema: schema)) { BrokenStorage($0, defect) }
        }
        #expect(report.failedChecks == [check])
    }

    @Test(
        arguments: [
            (.keepsChangesAfterErrors, "atomicity.throwingBody"),
            (.undoesLater, "isolation.uncommittedChanges"),
            (.answersNothing, "writing.put"),
            (.dropsCommits, "observing.everyCommit"),
            (.doublesCommits, "observing.severalObservers"),
            (.publishesNoCommits, "observing.fromNowOn"),
            (.keepsFewCommits, "observing.slowObserver"),
            (.readersSeeTheLatest, "isolation.stateOfAReader"),
            (.writersInterleave, "isolation.concurrentWriters"),
            (.addIgnoresDifferences, "growth.whatIsThereAlready"),
            (.addForgetsEntities, "growth.newEntities"),
            (.addEmptiesTheStore, "growth.newEntities"),
        ] as [(BrokenAdapter.Defect, String)])
    func brokenAdapter(_ defect: BrokenAdapter.Defect, check: String) async {
        let report = await PersistenceContract.report(where: { $0 == check }) { BrokenAdapter($0, defect) }
        #expect(report.failedChecks == [check])
    }

    /// What looks at rows and changes nothing must not be reported.
    @Test func forwarding() async {
        let report = await PersistenceContract.report { schema in
            ForwardingAdapter(InMemoryAdapter(schema: schema)) { ForwardingStorage($0) }
        }
        #expect(report.isPassed, "\(report)")
    }

    @Test func reopening() async {
        let good = await PersistenceContract.report(where: { $0.hasPrefix("journal.") }, reopen: { $0 }) {
            InMemoryAdapter(schema: $0)
        }
        #expect(good.isPassed, "\(good)")
        let bad = await PersistenceContract.report(
            where: { $0 == "journal.links" }, reopen: { InMemoryAdapter(schema: $0.schema) }
        ) {
            InMemoryAdapter(schema: $0)
        }
        #expect(bad.failedChecks == ["journal.links"])
    }

    @Test func wording() async throws {
        let error = await #expect(throws: ContractError.self) {
            try await checkPersistenceAdapter(where: { $0 == "reading.count" }) { schema in
                ForwardingAdapter(InMemoryAdapter(schema: schema)) { BrokenStorage($0, .countIgnoresLimit) }
            }
        }
        #expect(
            error?.description == """
                1 checks, 1 failed:
                  reading.count: counts: expected [10, 4, 0, 3, 2, 1, 0, 0, 6, 9], found [10, 4, 0, 10, 2, 2, 0, 10, 6, 9]
                """)
    }
}
