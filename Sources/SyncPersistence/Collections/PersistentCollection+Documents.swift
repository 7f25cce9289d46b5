extension PersistentCollection where Element: Codable & Identifiable, Key == Element.ID, Key: Codable {
    /// The same collection with documents as elements: elements with all members of their JSON.
    ///
    /// A cycle with a remote of documents keeps all members of pulled and pushed elements, including those that the
    /// type does not read:
    ///
    /// ```swift
    /// try await notes.documents.synchronize(
    ///     with: documentServer, policy: .mergingMembers(otherwise: .remoteWins))
    /// ```
    ///
    /// Elements that are stored by column, or by a coding of their own, have no JSON: each use of their documents throws
    /// ``PersistenceError``.
    public var documents: PersistentCollection<JSONDocument<Element>, Key> {
        PersistentCollection<JSONDocument<Element>, Key>(in: store, coding: .documents(of: coding), opening)
    }
}

extension RecordCoding {
    /// Returns the coding of the documents for a JSON coding's elements.
    fileprivate static func documents<Content: Codable & Identifiable>(of coding: RecordCoding<Content, Key>)
        -> RecordCoding
    where Element == JSONDocument<Content>, Key == Content.ID {
        let noDocuments = PersistenceError(
            .unknownName,
            "'\(coding.entity)' stores its elements in attributes, which are no documents: use the collection itself")
        return RecordCoding(
            entity: coding.entity, key: { $0.id },
            value: { key in
                guard coding.hasMembers else { throw noDocuments }
                return try coding.value(of: key)
            },
            encode: { document, record in
                record["id"] = try coding.value(of: document.id)
                if case .string(let stored) = record["content"], let old = try? JSONDocument<Content>(text: stored),
                    old == document
                {
                    return
                }
                record["content"] = .string(try document.text)
            },
            decode: { record in
                guard coding.hasMembers else { throw noDocuments }
                guard case .string(let text) = record["content"] else {
                    throw PersistenceError(.unreadable, "it has no content", id: record.id, property: "content")
                }
                return try JSONDocument(text: text)
            },
            members: .everything, adopt: nil)
    }
}
