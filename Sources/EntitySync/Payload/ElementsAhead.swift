import Dispatch
import SyncPersistence

/// The elements of a payload in memory, parsed on a second thread while the transaction stores the elements before.
///
/// Storing records keeps the transaction's thread busy and, by `WriteBehind`, another one for about half of the time.
/// So a first import on two processors takes about a tenth less time with this.
final class ElementsAhead {
    /// Parses elements, one batch at a time.
    private let parser: Parser
    /// The number of elements to parse.
    private let count: Int
    /// Returns the place of the element at a position.
    private let element: (Int) -> PayloadElement
    /// The queue on which batches are parsed.
    private let thread = DispatchQueue(label: "DifferentialSync.ElementsAhead")

    /// The batches that are parsed or being parsed, in their order.
    private var batches: [Batch] = []
    /// The number of elements in batches.
    private var startedCount = 0
    /// The number of elements of the first batch that were returned.
    private var returnedCount = 0

    /// The number of elements in a batch.
    private static let batchSize = 128
    /// The number of batches that are parsed ahead.
    private static let batchCount = 3
    /// The number of elements from which a second thread pays.
    private static let leastCount = 1_024

    /// Begins to parse elements; nil for few elements.
    ///
    /// - Parameters:
    ///   - bytes: The payload, which must outlive this.
    ///   - outerDepth: How many arrays and objects are open around the elements.
    ///   - count: The number of elements.
    ///   - element: Returns an element by its number, in the order in which they are needed.
    init?(
        _ bytes: UnsafeRawBufferPointer, options: JSONOptions, outerDepth: Int, count: Int,
        _ element: @escaping (Int) -> PayloadElement
    ) {
        if count < Self.leastCount { return nil }
        (self.count, self.element) = (count, element)
        parser = Parser(bytes, options: options, outerDepth: outerDepth)
        for _ in 0..<Self.batchCount { startBatch() }
    }

    /// An element, and the paths of names that occur twice in an object of it.
    struct Parsed {
        /// The element.
        let value: Value
        /// The repeated names of its members, for a report.
        let duplicateNames: [String]
    }

    /// Returns the next element.
    ///
    /// - Throws: `JSONError` if it is not a JSON value.
    func next() throws -> Parsed {
        if let batch = batches.first, returnedCount == batch.elements.count {
            batches.removeFirst()
            returnedCount = 0
            startBatch()
        }
        if returnedCount == 0 { batches[0].wait() }
        let parsed = batches[0].take(returnedCount)
        returnedCount += 1
        return try parsed.get()
    }

    /// Waits until nothing is being parsed.
    func stop() { thread.sync {} }

    /// Starts to parse the next batch; does nothing if there is none.
    private func startBatch() {
        let end = min(startedCount + Self.batchSize, count)
        if startedCount == end { return }
        let batch = Batch((startedCount..<end).map(element), parser)
        startedCount = end
        batches.append(batch)
        thread.async { batch.run() }
    }
}

/// Parses elements one after the other.
// because: only the serial queue of `ElementsAhead` uses it, and the bytes outlive the queue's work.
private final class Parser: @unchecked Sendable {
    /// The text of the payload.
    private let bytes: UnsafeRawBufferPointer
    /// The dialect and the limits of the JSON.
    private let options: JSONOptions
    /// How many containers surround each element, which counts for the limit of depth.
    private let outerDepth: Int
    /// The reader, which shares the names of members between elements.
    private var reader: JSONPartReader

    /// Creates a parser of elements within a text.
    init(_ bytes: UnsafeRawBufferPointer, options: JSONOptions, outerDepth: Int) {
        (self.bytes, self.options, self.outerDepth) = (bytes, options, outerDepth)
        reader = JSONPartReader(options: options)
        reader.outerDepth = outerDepth
    }

    /// Parses an element, and makes a new reader after an error.
    func parse(_ element: PayloadElement) throws -> ElementsAhead.Parsed {
        do {
            let value = try reader.value(of: element, in: bytes)
            return ElementsAhead.Parsed(value: value, duplicateNames: reader.duplicateNames)
        } catch {
            // A reader that has failed cannot continue.
            reader = JSONPartReader(options: options)
            reader.outerDepth = outerDepth
            throw error
        }
    }
}

/// Elements that are parsed together.
// because: the creator uses the results only after it has waited for the queue that makes them.
private final class Batch: @unchecked Sendable {
    /// The places of the elements.
    let elements: [PayloadElement]
    private let parser: Parser
    /// The parsed elements, or the error of each; nil for one that was taken.
    private var results: [Result<ElementsAhead.Parsed, any Error>?] = []
    /// Signals that the batch is parsed.
    private let completion = DispatchSemaphore(value: 0)

    /// Creates a batch that is not parsed yet.
    init(_ elements: [PayloadElement], _ parser: Parser) { (self.elements, self.parser) = (elements, parser) }

    /// Parses all elements, and wakes the thread that waits for them.
    func run() {
        results = elements.map { element in Result { try parser.parse(element) } }
        completion.signal()
    }

    /// Waits until the elements are parsed.
    ///
    /// - Precondition: It was not called before.
    func wait() { completion.wait() }

    /// Returns a result, and releases it.
    func take(_ position: Int) -> Result<ElementsAhead.Parsed, any Error> {
        guard let result = results[position].take() else { preconditionFailure("an element is taken once") }
        return result
    }
}
