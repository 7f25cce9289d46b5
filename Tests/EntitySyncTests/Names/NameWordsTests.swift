import DifferentialSyncTesting
import Dispatch
import SyncPersistence
import TestSupport
import Testing

@testable import EntitySync

struct NameWordsTests {
    @Test(
        arguments: [
            ("user_id", ["user", "id"]), ("userId", ["user", "id"]), ("userID", ["user", "id"]),
            ("UserID", ["user", "id"]), ("USER_ID", ["user", "id"]), ("user-id", ["user", "id"]),
            ("user id", ["user", "id"]), ("id_number", ["id", "number"]), ("idNumber", ["id", "number"]),
            ("IDNumber", ["id", "number"]), ("HTTPServer", ["http", "server"]), ("iURL", ["i", "url"]),
            ("iUUID", ["i", "uuid"]), ("pdf_url", ["pdf", "url"]), ("plannedToIDs", ["planned", "to", "ids"]),
            ("planned_to_ids", ["planned", "to", "ids"]), ("IDsOfUsers", ["ids", "of", "users"]),
            ("userIDsList", ["user", "ids", "list"]), ("URLs", ["urls"]), ("IDs2", ["ids2"]),
            ("IDsafe", ["i", "dsafe"]), ("As", ["as"]), ("aBTest", ["a", "b", "test"]), ("integer16", ["integer16"]),
            ("MD5Hash", ["md5", "hash"]), ("UUID4", ["uuid4"]), ("f2fURL", ["f2f", "url"]), ("_id", ["id"]),
            ("__typename", ["typename"]), ("test_!_key", ["test", "!", "key"]), ("a.b", ["a.b"]), ("", []), ("_", []),
            ("_-_ ", []), ("A", ["a"]), ("AB", ["ab"]), ("Ab", ["ab"]), ("first-name", ["first", "name"]),
            ("GreenWallet", ["green", "wallet"]), ("address_1", ["address", "1"]), ("user2ID", ["user2", "id"]),
            ("MSStaff", ["ms", "staff"]),
        ] as [(String, [String])])
    func namesAreSplitIntoWords(name: String, words: [String]) {
        #expect(NameWords(name).words == words)
    }

    @Test(
        arguments: [
            ("userÉtat", ["user", "état"]), ("userE\u{301}tat", ["user", "état"]), ("ÉÀBéta", ["éà", "béta"]),
            ("straßeName", ["straße", "name"]), ("STRAẞEName", ["straße", "name"]),
            ("ILIMIT", ["ilimit"]), ("İstanbulID", ["i\u{307}stanbul", "id"]), ("ıd", ["ıd"]),
            ("имяИмени", ["имя", "имени"]),
            ("名前_id", ["名前", "id"]), ("👩‍👧ID", ["👩‍👧", "id"]), ("\u{301}a", ["\u{301}a"]), ("\u{0}", ["\u{0}"]),
        ] as [(String, [String])])
    func lettersOfAnyLanguageAreLetters(name: String, words: [String]) {
        #expect(NameWords(name).words == words)
        #expect(NameWords(name) == NameWords(words: words))
    }

    @Test func allSpellingsOfANameAreEqual() {
        #expect(
            Set(["user_id", "userId", "userID", "UserID", "USER_ID", "_user__id"].map { NameWords($0) }).count == 1)
        #expect(Set(["f2f_url", "f2fURL", "F2fUrl"].map { NameWords($0) }).count == 1)
        #expect(Set(["address_1", "address1", "Address-1"].map { NameWords($0) }).count == 1)
        #expect(Set(["state", "State", "\u{C9}tat", "E\u{301}tat"].map { NameWords($0) }).count == 2)
        #expect(NameWords("user_id") != NameWords("userid"))
        #expect(NameWords("a_b") != NameWords("ab"))
        #expect(NameWords("id") != NameWords("ids"))
        #expect(NameWords("_") == NameWords(""))
    }

    /// I03, C11 and L11.
    @Test(
        arguments: [
            ("age", "age"), ("id", "id"), ("pdf", "pdf"), ("driverIdentifier", "driver_identifier"),
            ("integer16", "integer16"), ("userID", "user_id"), ("createdAt", "created_at"),
            ("userIDFirst", "user_id_first"), ("OrderedUser", "ordered_user"), ("iUUID", "i_uuid"), ("iURI", "i_uri"),
            ("iURL", "i_url"), ("plannedToIDs", "planned_to_ids"), ("pdfURL", "pdf_url"), ("firstName", "first_name"),
            ("first_name", "first_name"), ("my_items", "my_items"), ("HTTPServer", "http_server"),
            ("aBTest", "a_b_test"), ("uniqueID", "unique_id"), ("remoteID", "remote_id"), ("address_1", "address_1"),
            ("address1", "address1"), ("", ""),
        ] as [(String, String)])
    func namesAreWrittenInSnakeCase(name: String, text: String) {
        #expect(NameWords(name).snakeCase == text)
    }

    /// I01, I02 and I04: the reference's name for a key is the name of an attribute that the key reaches.
    @Test(
        arguments: [
            ("first_name", "FirstName"), ("id", "ID"), ("user_id", "UserID"), ("FirstName", "firstName"),
            ("age", "age"), ("uuid", "uuid"), ("driver_identifier", "driverIdentifier"), ("integer16", "integer16"),
            ("updated_at", "updatedAt"), ("updated_uuid", "updatedUUID"), ("updated_uri", "updatedURI"),
            ("updated_url", "updatedURL"), ("f2f_url", "f2fURL"), ("id_number", "iDNumber"), ("id_number", "idNumber"),
            ("url_path", "urlPath"), ("user_ids", "userIds"), ("user_ids", "userIDs"), ("unique_id", "uniqueId"),
        ] as [(String, String)])
    func keysInAnySpellingReachTheirAttribute(key: String, attribute: String) {
        let reaches = NameWords(key) == NameWords(attribute)
        // A peculiarity of the reference: readers do not take the second letter of `iDNumber` for the end of a word.
        #expect(reaches == (attribute != "iDNumber"))
    }

    /// I07: many threads read names at once.
    @Test func conversionsCanRunConcurrently() {
        let wrong = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 6_000) { _ in
            let isRight =
                NameWords("plannedToIDs").snakeCase == "planned_to_ids" && NameWords("user_id") == NameWords("userID")
            if !isRight { wrong.withLock { $0 += 1 } }
        }
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test func namesAreJoined() {
        #expect(NameWords("superNote") + ["ids"] == NameWords("super_note_ids"))
        #expect((NameWords("User") + NameWords("type")).snakeCase == "user_type")
        #expect(NameWords("line") + ["1"] == NameWords("line1"))
        #expect([] + NameWords("a") == ["a"])
    }

    @Test(
        arguments: [
            ("User", "type", "userType"), ("User", "description", "userDescription"), ("User", "signed", "userSigned"),
            ("OrderedUser", "type", "orderedUserType"),
            ("TwoLetterEntity", "description", "twoLetterEntityDescription"),
            ("InflectionUser", "description", "inflectionUserDescription"), ("MSStaff", "type", "msStaffType"),
        ] as [(String, String, String)])
    func reservedNamesArePrefixedWithTheirEntity(entity: String, key: String, attribute: String) {
        let entity = NameWords(entity)
        #expect(ReservedWords.attributeName(of: NameWords(key), in: entity) == NameWords(attribute))
        #expect(ReservedWords.remoteName(of: NameWords(attribute), in: entity) == NameWords(key))
        #expect(ReservedWords.attributeName(of: ["name"], in: entity) == nil)
        #expect(ReservedWords.remoteName(of: NameWords(key), in: entity) == nil)
    }

    @Test(arguments: ["a", "A", "aB", "As", "IDs", "_", "é", "\u{301}", "👩‍👧", "1", "\r\n", "ABCs!"])
    func longNamesTakeNoLongerPerCharacter(part: String) {
        // In quadratic time, this would take hours.
        let words = NameWords(String(repeating: part, count: (isFullScale ? 1_000_000 : 200_000) / part.utf8.count))
            .words
        #expect(words.allSatisfy { !$0.isEmpty })
        #expect(words.isEmpty == (part == "_"))
    }

    @Test func randomNamesHaveTheWordsOfTheirSnakeCase() {
        let seed = SeededGenerator.testSeed(41)
        var generator = SeededGenerator(seed: seed)
        let letters = Array("aAbBsS1_- éÉ!.\u{301}")
        for _ in 0..<(isFullScale ? 5_000 : 1_000) {
            let name = String(
                (0..<Int.random(in: 0...10, using: &generator)).map { _ in letters.randomElement(using: &generator)! })
            let words = NameWords(name)
            #expect(NameWords(words.snakeCase) == words, "\(name.debugDescription), seed \(seed)")
            #expect(
                words.words.joined() == name.lowercased().filter { !"_- ".contains($0) },
                "\(name.debugDescription), seed \(seed)")
        }
    }
}
