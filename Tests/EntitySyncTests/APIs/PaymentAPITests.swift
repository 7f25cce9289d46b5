import EntitySync
import SyncPersistence
import Testing

/// An API of payments: pages with `has_more`, lines that are counted per invoice, metadata as a map of texts, amounts of tax
/// without keys, and two providers in one store.
struct PaymentAPITests {
    static func schema() throws -> Schema {
        try Schema {
            Entity("Invoice") {
                Attribute("provider", .string, isPrimaryKey: true)
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("object", .string, userInfo: ["sync.constant": "invoice"])
                Attribute("amountDue", .integer)
                Attribute("created", .date)
                Relationship("customer", to: "Customer", inverse: "invoices", remoteKey: "customer")
                Relationship(
                    "lines", toMany: "Line", isOrdered: true, inverse: "invoice", deleteRule: .cascade,
                    remoteKey: "lines.data")
                Relationship("metadata", toMany: "Metadata", inverse: "invoice", deleteRule: .cascade)
                Relationship(
                    "taxes", toMany: "Tax", isOrdered: true, inverse: "invoice", deleteRule: .cascade,
                    remoteKey: "total_tax_amounts")
            }
            Entity("Customer") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("email", .string)
                Relationship("invoices", toMany: "Invoice", inverse: "customer")
            }
            Entity("Line") {
                Attribute(
                    "provider", .string, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "invoice.provider"])
                Attribute("invoiceKey", .string, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "invoice.id"])
                Attribute("number", .integer, isPrimaryKey: true)
                Attribute("amount", .integer)
                Attribute("text", .string, remoteKey: "description")
                Relationship("invoice", to: "Invoice", inverse: "lines")
            }
            Entity("Metadata") {
                Attribute(
                    "provider", .string, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "invoice.provider"])
                Attribute("invoiceKey", .string, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "invoice.id"])
                Attribute("key", .string, isPrimaryKey: true, userInfo: ["sync.isMapKey": "YES"])
                Attribute("value", .string, userInfo: ["sync.isElement": "YES"])
                Relationship("invoice", to: "Invoice", inverse: "metadata")
            }
            Entity("Tax") {
                Attribute("amount", .integer)
                Attribute("isInclusive", .bool, remoteKey: "inclusive")
                Relationship("invoice", to: "Invoice", inverse: "taxes")
            }
        }
    }

    private static func page(_ invoices: String, hasMore: Bool = false) throws -> Value {
        try Value(
            json: "{\"object\": \"list\", \"url\": \"/v1/invoices\", \"has_more\": \(hasMore), \"data\": [\(invoices)]}"
        )
    }

    private static let first = """
        {"id": "in_1", "object": "invoice", "amount_due": 1299, "created": 1700000000, "customer": "cus_1",
         "lines": {"object": "list", "has_more": false, "data": [{"number": 1, "amount": 1000, "description": "Seat"},
                                                                 {"number": 2, "amount": 299}]},
         "metadata": {"order_id": "6735", "id": "x", "": "empty"},
         "total_tax_amounts": [{"amount": 19, "inclusive": true}, {"amount": 7, "inclusive": false},
                               {"amount": 7, "inclusive": false}]}
        """

    private static let second = """
        {"id": "in_2", "amount_due": 0, "created": 1700000001, "customer": {"id": "cus_2", "email": "b@example.org"},
         "lines": {"data": [{"number": 1}]}, "metadata": {}, "total_tax_amounts": []}
        """

    private func options(_ provider: Value = "one") -> SyncOptions {
        var options = SyncOptions()
        options.constants["Invoice"] = ["provider": provider]
        return options
    }

    private func sync(
        _ store: SyncStore, _ page: Value, _ provider: Value = "one", _ operations: SyncOperations = .all
    ) async throws -> SyncResult {
        guard case .object(let page) = page else { return try await store.sync("null", into: "Invoice") }
        return try await store.adapter.sync(
            page["data"] ?? .null, into: "Invoice", operations: operations, options: options(provider))
    }

    @Test(arguments: StoreKind.allCases)
    func pagesEditsAndDeletionsArrive(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        #expect(store.adapter.schema.syncProblems.isEmpty)
        try await store.sync(#"[{"id": "cus_1", "email": "a@example.org"}]"#, into: "Customer")
        var some = SyncOperations.all
        some.remove(.delete)
        for invoice in [Self.first, Self.second] {
            let result = try await sync(store, Self.page(invoice, hasMore: true), "one", some)
            #expect(result.reports.isEmpty)
        }
        #expect(try await store.keys("Invoice") == [["one", "in_1"], ["one", "in_2"]])
        #expect(
            try await store.keys("Line") == [["one", "in_1", 1], ["one", "in_1", 2], ["one", "in_2", 1]])
        #expect(try await store.value("Metadata", ["one", "in_1", "order_id"], "value") == "6735")
        #expect(try await store.keys("Metadata").count == 3)
        #expect(try await store.keys("Tax").count == 3)
        let all = try Self.page("\(Self.first), \(Self.second)")
        #expect(try await sync(store, all).isUnchanged)

        // Another provider has invoices with the same ids.
        #expect(try await sync(store, all, "two")["Invoice"].inserted.count == 2)
        #expect(try await store.keys("Line").count == 6)

        // The server has changed an amount, a line, metadata and taxes.
        let edited = """
            {"id": "in_1", "amount_due": 1300, "customer": "cus_2",
             "lines": {"data": [{"number": 2, "amount": 299}, {"number": 3, "amount": 1}]},
             "metadata": {"order_id": "6736"}, "total_tax_amounts": [{"amount": 7, "inclusive": false}]}
            """
        let result = try await sync(store, Self.page(edited))
        #expect(result.reports.isEmpty)
        #expect(Set(result["Invoice"].deleted.map(\.key)) == [["one", "in_2"]])
        #expect(Set(result["Line"].deleted.map(\.key)) == [["one", "in_1", 1], ["one", "in_2", 1]])
        #expect(result["Metadata"].updated.map(\.id.key) == [["one", "in_1", "order_id"]])
        #expect(result["Metadata"].deleted.count == 2)
        #expect(result["Tax"].deleted.count == 2)
        #expect(result["Tax"].inserted.isEmpty)
        #expect(
            try await store.related("Invoice", ["one", "in_1"], "lines") == [["one", "in_1", 2], ["one", "in_1", 3]])
        #expect(try await store.value("Invoice", ["one", "in_1"], "customer") == "cus_2")
        #expect(try await store.keys("Invoice").count == 3)
        #expect(try await sync(store, Self.page(edited)).isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func exportReadsBack(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        _ = try await sync(store, Self.page(Self.second))
        let exported = try await store.adapter.exportJSON("Invoice")
        let copy = try await SyncStore(kind, Self.schema())
        #expect(try await copy.adapter.sync(exported, into: "Invoice").reports.isEmpty)
        #expect(try await copy.contents() == store.contents())
    }

    @Test(arguments: StoreKind.allCases)
    func errorsAndOddPagesLeaveTheInvoices(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(#"[{"id": "cus_1"}]"#, into: "Customer")
        _ = try await sync(store, Self.page(Self.first))
        let before = try await store.contents()
        for json in [
            #"{"error": {"type": "invalid_request_error", "message": "no"}}"#, #"{"data": null}"#, #"{"data": 5}"#,
            #"{"data": {"id": {}}}"#,
        ] {
            await #expect(throws: SyncError.self) { try await sync(store, Value(json: json)) }
        }
        for member in [
            #""lines": {"data": 5}"#, #""lines": {"data": [5]}"#, #""lines": []"#, #""metadata": "x""#,
            #""metadata": [1]"#, #""metadata": {"a": [1]}"#, #""total_tax_amounts": {"amount": 1}"#,
            #""total_tax_amounts": [[]]"#,
        ] {
            let result = try await sync(store, Self.page("{\"id\": \"in_1\", \(member)}"))
            #expect(result.reportCount > 0, "\(member)")
            #expect(try await store.contents() == before, "\(member)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func editOfALineIsKept(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(#"[{"id": "cus_1"}]"#, into: "Customer")
        _ = try await sync(store, Self.page(Self.first))
        try await store.update("Line", ["one", "in_1", 1], ["text": "mine"], origin: .local)
        try await store.update("Metadata", ["one", "in_1", "order_id"], ["value": "mine"], origin: .local)
        _ = try await sync(store, Self.page(#"{"id": "in_1", "lines": {"data": []}, "metadata": {}}"#))
        #expect(try await store.value("Line", ["one", "in_1", 1], "text") == "mine")
        #expect(try await store.value("Metadata", ["one", "in_1", "order_id"], "value") == "mine")
        #expect(try await store.keys("Line") == [["one", "in_1", 1]])
    }
}
