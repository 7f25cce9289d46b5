/// Bytes that come one by one.
struct ByteStream: AsyncSequence, Sendable {
    let bytes: [UInt8]

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var rest: IndexingIterator<[UInt8]>

        mutating func next() async -> UInt8? { rest.next() }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: bytes.makeIterator()) }
}
