import PersistenceAdapterTesting
import SyncPersistence
import Testing

/// The suite is of use only if it finds what is wrong: each planted bug must be reported by the check for it.
struct PlantedBugTests {
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
            (.removeIgnores, "keyChanges.references"),
            (.losesHistory, "history.changes"),
            (.losesJournal, "origins.remoteMeetsLocal"),
            (.losesLinks, "toMany.links"),
            (.losesLinkOrder, "toMany.orderedLinks"),
            (.losesLinkOrder, "keyChanges.references"),
            (.losesJournal, "keyChanges.localKeys"),
            (.losesNullMembers, "values.extremes"),
            (.roundsLargeIntegersInJSON, "values.extremes"),
            (.lowercasesURLs, "values.extremes"),
            (.clampsDates, "values.extremes"),
            (.booleansAreIntegers, "values.extremes"),
            (.wholeDoublesAreIntegers, "values.extremes"),
            (.emptyBytesAreNull, "values.large"),
            (.flattensDeepJSON, "values.large"),
            (.sortsMembers, "values.exactlyAsGiven"),
            (.normalizesTexts, "hostile.texts"),
            (.cutsTextsAtNUL, "hostile.texts"),
            (.cutsLongTexts, "hostile.texts"),
            (.oneLineEnd, "hostile.texts"),
            (.keysTellZerosApart, "keys.bothZeros"),
            (.keysIgnoreComposition, "keys.almostAlike"),
            (.keysIgnoreCase, "keys.almostAlike"),
            (.keysIgnoreTrailingSpaces, "keys.almostAlike"),
            (.keysAreCut, "keys.almostAlike"),
            (.tiesReversedWithinLimit, "sorting.ties"),
            (.sortsTextsByUTF16, "sorting.everyType"),
            (.nullsBelongToNoCondition, "filtering.nulls"),
            (.oneCursor, "reading.nested"),
            (.losesEveryThousandthRow, "reading.largeBatches"),
            (.journalLosesInheritedEntity, "journal.inheritance"),
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
            (.schemaIsStaleAfterAdd, "growth.newEntities"),
            (.schemaIsStaleAfterAdd, "growth.newRelationships"),
            (.ignoresCancellation, "turns.cancelledBeforeTheCall"),
            (.looksForCancellationAtTheCall, "turns.cancelledInTheQueue"),
            (.failsCancelledWritesAfterTheCommit, "turns.cancelledWhileRunning"),
            (.runsBodiesTwice, "turns.eachBodyOnce"),
            (.lastWriterFirst, "turns.orderOfWriters"),
            (.someReadersLag, "turns.manyReaders"),
            (.readersLagAfterErrors, "turns.readersAfterErrors"),
            (.publishesBeforeCommitting, "observing.visibleCommits"),
            (.endsObserversTogether, "observing.observerThatLeaves"),
            (.keepsKeysOfFailures, "atomicity.keysAfterAnError"),
            (.ignoresClose, "closing.laterCalls"),
            (.observersOutliveClose, "closing.observers"),
            (.laterObserversNeverEnd, "closing.laterObservers"),
            (.closeForgetsWhatWaits, "closing.earlierCalls"),
            (.closesOnce, "closing.twice"),
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
        let good = await PersistenceContract.report(where: { $0.hasPrefix("journal.") }, reopen: { store, _ in store })
        {
            InMemoryAdapter(schema: $0)
        }
        #expect(good.isPassed, "\(good)")
        let bad = await PersistenceContract.report(
            where: { $0 == "journal.links" }, reopen: { store, _ in InMemoryAdapter(schema: store.schema) }
        ) {
            InMemoryAdapter(schema: $0)
        }
        #expect(bad.failedChecks == ["journal.links"])
    }

    /// What an app adds to the schema is in the file, and not only in the store that has it open.
    @Test func additionThatIsNotStored() async {
        let report = await PersistenceContract.report(
            where: { $0 == "growth.newEntities" },
            reopen: { store, schema in
                let reopened = InMemoryAdapter(schema: schema)
                let records = try await StoreDump(of: store).records.values.joined().filter { schema[$0.entity] != nil }
                _ = try await reopened.write { transaction in
                    for record in records { try transaction.storage.insert(record) }
                }
                return reopened
            }
        ) { InMemoryAdapter(schema: $0) }
        #expect(report.failedChecks == ["growth.newEntities"])
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
        #expect(error?.report.checks == ["reading.count"])
        let violation = error?.report.violations.first
        #expect(violation?.check == "reading.count" && violation?.subject == "counts")
        #expect(violation?.expected == "[10, 4, 0, 3, 2, 1, 0, 0, 6, 9]")
        #expect(violation?.found == "[10, 4, 0, 10, 2, 2, 0, 10, 6, 9]")
    }
}
