#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import SyncPersistence

/// A Core Data model, read from Xcode's files.
///
/// ```swift
/// let model = try ModelDocument(contentsOf: folder.appendingPathComponent("Library.xcdatamodeld"))
/// let store = try await SQLiteAdapter.open(at: path, schema: model.schema)
/// for notice in model.notices { print(notice) }  // what is passed over, and where
/// ```
public struct ModelDocument: Sendable {
    /// The schema that the model describes.
    public let schema: Schema

    /// The parts of the model that the schema does not express, in the order of the file.
    ///
    /// Parts for the editor and generated classes are not listed.
    public let notices: [ModelFinding]

    /// The path of the `contents` file; nil for a model from XML text.
    public let path: String?

    /// Reads a model from a folder or file.
    ///
    /// - Parameter url: A `.xcdatamodeld` folder, whose current version is read; a `.xcdatamodel` folder; or the
    ///   `contents` file within.
    /// - Throws: ``ModelError`` with every fault, each with its line and column.
    /// - Complexity: O(*n*) for a file of *n* bytes
    public init(contentsOf url: URL) throws(ModelError) {
        let file = try ModelFile(at: url.path)
        do {
            try self.init(bytes: file.contents(), path: file.path)
        } catch {
            var error = error
            error.path = file.path
            throw error
        }
    }

    /// Reads a model from the text of a `contents` file.
    ///
    /// ```swift
    /// let model = try ModelDocument(xml: xml.utf8)
    /// ```
    ///
    /// It suits models that a test or a server has as text.
    ///
    /// - Parameter xml: The bytes, in UTF-8 or in the encoding that they declare: UTF-16, ISO 8859-1 or ASCII.
    /// - Throws: ``ModelError`` with every fault, each with its line and column.
    /// - Complexity: O(*n*) for *n* bytes
    public init(xml: some Sequence<UInt8>) throws(ModelError) {
        try self.init(bytes: Array(xml), path: nil)
    }

    /// Reads a model from the bytes of its `contents` file.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the file.
    ///   - path: The path of the file; nil for a model from XML text.
    private init(bytes: [UInt8], path: String?) throws(ModelError) {
        let reading = try ModelReading(MarkupReader.read(bytes))
        schema = try reading.schema()
        notices = reading.log.notices.inOrder()
        self.path = path
    }
}

extension Schema {
    /// Creates the schema of a Core Data model.
    ///
    /// ```swift
    /// let schema = try Schema(contentsOf: folder.appendingPathComponent("Library.xcdatamodeld"))
    /// ```
    ///
    /// - Parameter url: A `.xcdatamodeld` folder, whose current version is read; a `.xcdatamodel` folder; or the
    ///   `contents` file within.
    /// - Throws: `ModelError` with every fault, each with its line and column.
    /// - Complexity: O(*n*) for a file of *n* bytes
    public init(contentsOf url: URL) throws(ModelError) {
        self = try ModelDocument(contentsOf: url).schema
    }
}
