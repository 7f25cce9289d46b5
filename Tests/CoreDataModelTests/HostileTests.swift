import CoreDataModel
import SyncPersistence
import Testing

struct HostileTests {
    private func code(_ text: String) -> ModelError.Code? {
        #expect(throws: ModelError.self) { try ModelDocument(xml: text.utf8) }?.code
    }

    @Test func documentTypeIsRefusedBeforeItsEntitiesAreExpanded() {
        let bomb = (1..<10).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }.joined()
        let message =
            "line 2, column 1: a document type is declared here, which no model has and whose entities may be of any "
            + "size: take it away"
        let head = "<?xml version='1.0'?>\n"
        #expect(fault("\(head)<!DOCTYPE m [<!ENTITY l0 'lol'>\(bomb)]><model a='&l9;'/>".utf8) == message)
        #expect(fault("\(head)<!DOCTYPE m [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><model a='&x;'/>".utf8) == message)
        #expect(fault("\(head)<!DOCTYPE m SYSTEM 'http://example.org/m.dtd'><model/>".utf8) == message)
        #expect(fault("\(head)<!DOCTYPE m".utf8) == message)
    }

    @Test func deeplyNestedElementsAreRefused() {
        let text = String(repeating: "<model>\n", count: 100_000)
        #expect(
            fault(text.utf8)
                == "line 33, column 1: elements are nested more than 32 deep, which those of no model are")
        #expect(code(text) == .limit)
        // What ends at the limit is no error of depth.
        let level = ModelLimits.depth - 1
        let sound = String(repeating: "<a>", count: level) + String(repeating: "</a>", count: level)
        #expect(throws: Never.self) { try model(sound) }
    }

    @Test func filesValuesAndElementCountsBeyondTheLimitsAreRefused() {
        let space = String(repeating: " ", count: ModelLimits.byteCount)
        #expect(
            fault("<model/>\(space)".utf8) == "it has more than 16777216 bytes, which no model has: check what it is")
        #expect(code("<model/>\(space)") == .limit)
        let long = String(repeating: "é", count: ModelLimits.attributeLength / 2)
        #expect(throws: Never.self) { try model("<entity name='\(long)'/>") }
        #expect(
            faults(in: "<entity name='\(long)a'/>") == [
                "line 3, column 9: the value of 'name' has more than 65536 bytes, which that of no model has"
            ])
        let many = String(repeating: "<elements/>", count: ModelLimits.elementCount)
        #expect(
            fault("<model>\n\(many)</model>".utf8)
                == "line 2, column 2199990: there are more than 200000 elements, which no model has")
    }

    @Test func inheritanceChainsBeyondTheLimitAreRefused() {
        func chain(_ count: Int) -> String {
            (0...count).map { "<entity name='E\($0)'\($0 == 0 ? "" : " parentEntity='E\($0 - 1)'")/>" }
                .joined(separator: "\n")
        }
        #expect(throws: Never.self) { try model(chain(ModelLimits.ancestorCount)) }
        for count in [ModelLimits.ancestorCount + 1, 10_000] {
            #expect(
                faults(in: chain(count)) == [
                    "line \(ModelLimits.ancestorCount + 4), column 1: E101: it inherits more than 100 entities, which "
                        + "those of no model do"
                ])
        }
    }

    @Test func inheritanceCyclesOfAnyLengthAreRefused() {
        for count in [1, 2, ModelLimits.ancestorCount, ModelLimits.ancestorCount + 50] {
            let circle = (0..<count).map { "<entity name='E\($0)' parentEntity='E\(($0 + 1) % count)'/>" }
            let faults = faults(in: circle.joined(separator: "\n"))
            #expect(faults.count == 1)
            let what = count > ModelLimits.ancestorCount ? "more than 100 entities" : "itself"
            #expect(faults[0].hasPrefix("line 3, column 1: E0: it inherits \(what)"), "\(faults)")
        }
    }

    @Test func tooManyInheritedPropertiesAreRefused() {
        let attributes = (0..<1000).map { "<attribute name='a\($0)' attributeType='String'/>" }.joined()
        let all = (0..<ModelLimits.propertyCount / 1000).map { "<entity name='H\($0)' parentEntity='R'/>" }
        let heirs = all.joined()
        // The parent has its properties as well.
        #expect(throws: Never.self) {
            try model("<entity name='R'>\(attributes)</entity>\(all.dropLast().joined())")
        }
        #expect(
            faults(in: "<entity name='R'>\(attributes)</entity>\(heirs)") == [
                "line 2, column 1: the entities have more than 200000 properties with those that they inherit, which no "
                    + "model has"
            ])
        let relationships = (0..<1000).map { "<relationship name='r\($0)' destinationEntity='R'/>" }.joined()
        #expect(
            faults(in: "<entity name='R'/><entity name='S'>\(relationships)</entity>\(heirs)")
                .first?.contains("more than 200000 properties") == true)
    }

    @Test func readingTimeGrowsLinearlyWithTheProperties() throws {
        let count = 20_000
        let attributes = (0..<count).map {
            "<attribute name='a\($0)' attributeType='String' defaultValueString='x' elementID='a\($0)'><userInfo>"
                + "<entry key='sync.isPrimaryKey' value='YES'/></userInfo></attribute>"
        }
        let indexes = (0..<count).map { "<fetchIndex><fetchIndexElement property='a\($0)'/></fetchIndex>" }
        let document = try model("<entity name='A'>\(attributes.joined())\(indexes.joined())</entity>")
        #expect(document.schema["A"]?.keySlots.count == count)
        #expect(document.notices.count == count)
    }
}
