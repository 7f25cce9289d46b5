/// Bytes that come one by one.
package struct ByteStream: AsyncSequence, Sendable {
    private let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var rest: IndexingIterator<[UInt8]>

        package mutating func next() async -> UInt8? { rest.next() }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(rest: bytes.makeIterator()) }
}
