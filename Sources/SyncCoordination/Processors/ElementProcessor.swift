public import SyncPersistence

/// A processor of elements of an app's own type.
///
/// ```swift
/// struct PhotoUploader: ElementProcessor {
///     let name = "photos"
///     let entity = "Photo"
///     let filter: Filter? = Field("address").isNull
///
///     func process(_ photos: [Photo], in context: ProcessorContext) async throws -> [Photo.ID: ProcessorOutcome] {
///         var outcomes: [Photo.ID: ProcessorOutcome] = [:]
///         for photo in photos {
///             outcomes[photo.id] = .update(["address": .string(try await upload(photo))])
///         }
///         return outcomes
///     }
/// }
/// ```
public protocol ElementProcessor<Element>: ChangeProcessor {
    /// The type of the elements, as for `collection(of:entity:)` of a store.
    associatedtype Element: Codable & Identifiable & Equatable & Sendable where Element.ID: Codable & Sendable

    /// The entity of the elements.
    var entity: String { get }

    /// The condition that they match; nil for all.
    var filter: Filter? { get }

    /// Whether the cycles send a record only once it no longer matches.
    var precedesSync: Bool { get }

    /// Processes elements that match ``filter``.
    ///
    /// - Parameters:
    ///   - elements: At least one element. None of them is being processed already.
    ///   - context: The store and the remote.
    /// - Returns: As ``ChangeProcessor/process(_:in:)``, by the identifiers of the elements.
    /// - Throws: As ``ChangeProcessor/process(_:in:)``.
    func process(_ elements: [Element], in context: ProcessorContext) async throws -> [Element.ID: ProcessorOutcome]
}

extension ElementProcessor {
    /// No condition.
    public var filter: Filter? { nil }

    /// No.
    public var precedesSync: Bool { false }

    /// The elements to process.
    public var work: ProcessorWork? { ProcessorWork(entity, where: filter, precedesSync: precedesSync) }

    /// Processes the elements of records.
    ///
    /// A record without a readable element is refused.
    public func process(
        _ records: [Record], in context: ProcessorContext
    ) async throws -> [RecordID: ProcessorOutcome] {
        let coding = try await context.store.collection(of: Element.self, entity: entity).coding
        let found: [Result<Element, PersistenceError>] = try await context.store.read { transaction in
            records.map { record in
                do throws(PersistenceError) {
                    return .success(try coding.element(of: record, in: transaction))
                } catch {
                    return .failure(error)
                }
            }
        }
        let elements = found.compactMap { try? $0.get() }
        let outcomes = elements.isEmpty ? [:] : try await process(elements, in: context)
        var results: [RecordID: ProcessorOutcome] = [:]
        for (record, result) in zip(records, found) {
            switch result {
            case .success(let element): results[record.id] = outcomes[element.id]
            case .failure(let error): results[record.id] = .refused(code: "unreadable", reason: error.message)
            }
        }
        return results
    }
}
