import EntitySync
import SyncPersistence
import Testing

/// An API of countries: one object that has the countries under their codes, with maps, texts and numbers inside.
struct CountryAPITests {
    static func schema() throws -> Schema {
        try Schema {
            Entity("Country") {
                Attribute("code", .string, isPrimaryKey: true, userInfo: ["sync.isMapKey": "YES"])
                Attribute("name", .string, remoteKey: "name.common")
                Attribute("place", .json, remoteKey: "latlng")
                Relationship(
                    "names", toMany: "NativeName", inverse: "country", deleteRule: .cascade, remoteKey: "name.native")
                Relationship("currencies", toMany: "Currency", inverse: "countries")
                Relationship("languages", toMany: "Language", inverse: "countries")
                Relationship("borders", toMany: "Country", inverse: "borders")
                Relationship(
                    "domains", toMany: "Domain", isOrdered: true, inverse: "country", deleteRule: .cascade,
                    remoteKey: "tld")
                Relationship("codes", toMany: "DialCode", isOrdered: true, inverse: "country", remoteKey: "idd.codes")
            }
            Entity("NativeName") {
                Attribute(
                    "countryCode", .string, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "country.code"])
                Attribute("language", .string, isPrimaryKey: true, userInfo: ["sync.isMapKey": "YES"])
                Attribute("official", .string)
                Attribute("common", .string)
                Relationship("country", to: "Country", inverse: "names")
            }
            Entity("Currency") {
                Attribute("code", .string, isPrimaryKey: true, userInfo: ["sync.isMapKey": "true"])
                Attribute("name", .string)
                Attribute("symbol", .string)
                Relationship("countries", toMany: "Country", inverse: "currencies")
            }
            Entity("Language") {
                Attribute("code", .string, isPrimaryKey: true, userInfo: ["sync.isMapKey": "YES"])
                Attribute("name", .string, userInfo: ["sync.isElement": "YES"])
                Relationship("countries", toMany: "Country", inverse: "languages")
            }
            Entity("Domain") {
                Attribute("name", .string, isPrimaryKey: true, userInfo: ["sync.isElement": "YES"])
                Relationship("country", to: "Country", inverse: "domains")
            }
            Entity("DialCode") {
                Attribute("code", .string, userInfo: ["sync.isElement": "YES"])
                Relationship("country", to: "Country", inverse: "codes")
            }
        }
    }

    private static let countries = """
        {"AT": {"name": {"common": "Austria", "native": {"bar": {"official": "Republik Östareich", "common": "Östareich"},
                                                          "deu": {"official": "Republik Österreich", "common": "Österreich"}}},
                "currencies": {"EUR": {"name": "Euro", "symbol": "€"}}, "languages": {"deu": "German"}, "latlng": [47.3, 13.3],
                "borders": ["DE", "CH"], "tld": [".at"], "idd": {"root": "+4", "codes": ["3"]}},
         "DE": {"name": {"common": "Germany", "native": {"deu": {"common": "Deutschland"}}},
                "currencies": {"EUR": {"name": "Euro", "symbol": "€"}}, "languages": {"deu": "German"}, "latlng": [51, 9],
                "borders": ["AT", "CH"], "tld": [".de"], "idd": {"codes": ["9", "9"]}},
         "CH": {"name": {"common": "Switzerland", "native": {}}, "currencies": {"CHF": {"name": "Swiss franc"}},
                "languages": {"fra": "French", "deu": "German"}, "borders": ["AT", "DE"], "tld": [".ch", ".swiss"],
                "idd": {"codes": []}}}
        """

    @Test(arguments: StoreKind.allCases)
    func mapEditsAndDeletionsArrive(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        #expect(store.adapter.schema.syncProblems.isEmpty)
        let result = try await store.sync(Self.countries, into: "Country")
        #expect(result.reports.isEmpty)
        #expect(try await store.keys("NativeName") == [["AT", "bar"], ["AT", "deu"], ["DE", "deu"]])
        #expect(try await store.members("Currency", "EUR", "countries") == ["AT", "DE"])
        #expect(try await store.value("Language", "fra", "name") == "French")
        #expect(try await store.members("Country", "CH", "borders") == ["AT", "DE"])
        #expect(try await store.value("Country", "AT", "place") == [47.3, 13.3])
        #expect(try await store.related("Country", "CH", "domains") == [".ch", ".swiss"])
        #expect(try await store.keys("DialCode").count == 3)
        #expect(try await store.sync(Self.countries, into: "Country").isUnchanged)

        let edited = """
            {"AT": {"name": {"common": "Austria", "native": {"deu": {"official": "Republik Österreich", "common": "Ö"}}},
                    "currencies": {"EUR": {"name": "euro"}}, "languages": {"deu": "Deutsch"}, "borders": ["CH"], "tld": []},
             "CH": {"currencies": {"CHE": {}, "CHF": {"symbol": "Fr."}}, "tld": [".swiss", ".li"],
                    "borders": ["AT"], "idd": {"codes": ["1"]}}}
            """
        let change = try await store.sync(edited, into: "Country")
        #expect(change.reports.isEmpty)
        #expect(change["Country"].deleted.map(\.key) == ["DE"])
        #expect(Set(change["NativeName"].deleted.map(\.key)) == [["AT", "bar"], ["DE", "deu"]])
        #expect(try await store.value("NativeName", ["AT", "deu"], "common") == "Ö")
        #expect(try await store.members("Country", "CH", "currencies") == ["CHE", "CHF"])
        #expect(try await store.value("Language", "deu", "name") == "Deutsch")
        #expect(try await store.related("Country", "CH", "domains") == [".swiss", ".li"])
        #expect(try await store.keys("Domain") == [".li", ".swiss"])
        #expect(try await store.keys("DialCode").count == 2)
        #expect(try await store.sync(edited, into: "Country").isUnchanged)
        try await store.sync("{}", into: "Country")
        for entity in ["Country", "NativeName", "Domain", "DialCode"] {
            #expect(try await store.keys(entity) == [], "\(entity)")
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func exportReadsBack(kind: StoreKind, isMap: Bool) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(Self.countries, into: "Country")
        var options = ExportOptions()
        options.writesMap = isMap
        let exported = try await store.adapter.exportJSON("Country", options: options, format: .sortedNames)
        let copy = try await SyncStore(kind, Self.schema())
        #expect(try await copy.adapter.sync(exported, into: "Country").reports.isEmpty)
        #expect(
            try await copy.adapter.exportJSON("Country", options: options, format: .sortedNames) == exported)
        #expect(try await copy.keys("DialCode") == store.keys("DialCode"))
        #expect(try await copy.members("Country", "CH", "borders") == ["AT", "DE"])
        #expect(try await store.adapter.sync(exported, into: "Country").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func pageOfAnErrorOrOfAnotherFormLeavesTheCountries(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(Self.countries, into: "Country")
        let before = try await store.contents()
        for json in [
            #"{"status": 404, "message": "Not Found"}"#, #"{"error": {"status": 500}}"#, #"{"AT": "Austria"}"#,
            #"{"errors": [{"message": "x"}], "data": null}"#, "\"AT\"", "[\"AT\"]", "[{}]",
        ] {
            if json.hasPrefix("[") {
                #expect(try await store.sync(json, into: "Country").reportCount > 0)
            } else {
                await #expect(throws: SyncError.self) { try await store.sync(json, into: "Country") }
            }
            #expect(try await store.contents() == before, "\(json)")
        }
        for member in [
            #""currencies": ["EUR"]"#, #""languages": ["deu"]"#, #""name": {"native": ["deu"]}"#, #""tld": {"a": "b"}"#,
        ] {
            let result = try await store.sync(
                "{\"AT\": {\(member)}}", into: "Country", operations: .all.subtracting(.delete))
            #expect(result.reportCount > 0 || result["Country"].deleted.isEmpty)
            #expect(try await store.keys("Country") == ["AT", "CH", "DE"])
            #expect(try await store.keys("NativeName").count == 3)
            #expect(try await store.keys("Domain").count == 4)
        }
    }
}
