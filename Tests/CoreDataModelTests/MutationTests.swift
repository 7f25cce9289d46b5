@testable import CoreDataModel
import DifferentialSyncTesting
import Foundation
import SyncPersistence
import TestSupport
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

struct MutationTests {
    static let text = modelText(
        """
        <entity name="Base" isAbstract="YES" syncable="YES">
            <attribute name="id" optional="YES" attributeType="Integer 64" defaultValueString="0"/>
            <!-- a comment - of some kind -->
            <relationship name="all" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Item" inverseName="base" inverseEntity="Item"/>
        </entity>
        <entity name="Item" parentEntity="Base">
            <attribute name="text" attributeType="String" defaultValueString="a &amp; &#233;">
                <userInfo><entry key="sync.remoteKey" value="body.text"/></userInfo>
            </attribute>
            <relationship name="base" maxCount="1" deletionRule="Deny" destinationEntity="Base" inverseName="all" inverseEntity="Base"/>
            <fetchIndex name="i"><fetchIndexElement property="text" type="Binary"/></fetchIndex>
        </entity>
        <entity name="Tag"><uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint></uniquenessConstraints>
            <attribute name="name" attributeType="String"/><![CDATA[ & ]]>
        </entity>
        """)

    @Test func damagedModelYieldsASchemaOrAnErrorWithItsPlace() throws {
        let seed = SeededGenerator.testSeed(21)
        var generator = SeededGenerator(seed: seed)
        var (accepted, refused) = (0, 0)
        for _ in 0..<fuzzCount(isFullScale ? 20_000 : 1_000) {
            var text = Array(Self.text.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) { generator.damage(&text) }
            do {
                let document = try ModelDocument(xml: text)
                #expect(document.notices.allSatisfy { $0.line != nil }, "seed \(seed)")
                accepted += 1
            } catch {
                let isPlaced = error.findings.allSatisfy { ($0.line ?? 0) > 0 && ($0.column ?? 0) > 0 }
                #expect(!error.findings.isEmpty && isPlaced, "\(error), seed \(seed)")
                refused += 1
            }
        }
        #expect(accepted > 50 && refused > 50, "\(accepted) accepted, \(refused) refused, seed \(seed)")
    }

    /// Versions of its parser differ in a few things that they let pass.
    @Test func damagedModelIsReadOrRefusedAsByFoundation() throws {
        let seed = SeededGenerator.testSeed(22)
        var generator = SeededGenerator(seed: seed)
        var (accepted, refused) = (0, 0)
        var disputed: [String] = []
        for _ in 0..<fuzzCount(isFullScale ? 20_000 : 1_000) {
            var text = Array(Self.text.utf8)
            for _ in 0..<Int.random(in: 1...2, using: &generator) { generator.damage(&text) }
            // Versions of Foundation's end the process over bytes that are no text.
            if String(bytes: text, encoding: .utf8) == nil { continue }
            let expected = FoundationTree.read(text)
            let tree = (try? MarkupReader.read(text)).map { FoundationTree($0) }
            if (tree == nil) != (expected == nil) { disputed.append(String(decoding: text, as: UTF8.self)) }
            if tree == nil { refused += 1 } else { accepted += 1 }
            if tree == nil || expected == nil { continue }
            #expect(tree == expected, "\(String(decoding: text, as: UTF8.self)), seed \(seed)")
        }
        #expect(disputed.count <= (accepted + refused) / 100, "\(disputed.joined(separator: "\n")), seed \(seed)")
        #expect(accepted > 100 && refused > 100, "\(accepted) accepted, \(refused) refused, seed \(seed)")
    }
}

extension SeededGenerator {
    /// Changes, takes away, doubles or moves some bytes.
    fileprivate mutating func damage(_ text: inout [UInt8]) {
        let position = Int.random(in: 0..<text.count, using: &self)
        let end = Swift.min(text.count, position + Int.random(in: 1...12, using: &self))
        let special = Array("<>/=\"'&;!?-[] \n\tabcdefXYZ019#:._\u{E9}".utf8)
        switch Int.random(in: 0..<5, using: &self) {
        case 0: text.insert(special[Int.random(in: special.indices, using: &self)], at: position)
        case 1 where text.count > 20: text.removeSubrange(position..<end)
        case 2: text.insert(contentsOf: text[position..<end], at: Int.random(in: 0...text.count, using: &self))
        case 3: text[position] = special[Int.random(in: special.indices, using: &self)]
        default: text[position] = UInt8(truncatingIfNeeded: next())
        }
    }
}

/// The elements of a text with their attributes.
struct FoundationTree: Equatable {
    let name: String
    let attributes: [String: String]
    var children: [FoundationTree] = []
    var text = ""

    init(_ element: MarkupElement) {
        name = element.name
        attributes = Dictionary(uniqueKeysWithValues: element.attributes.map { ($0.name, $0.value) })
        children = element.children.map { FoundationTree($0) }
        text = element.text
    }

    init(name: String, attributes: [String: String]) {
        (self.name, self.attributes) = (name, attributes)
    }

    /// The tree that Foundation makes of a text, or nil if it refuses it.
    static func read(_ text: [UInt8]) -> FoundationTree? {
        let parser = XMLParser(data: Data(text))
        let delegate = Delegate()
        parser.delegate = delegate
        guard parser.parse(), !delegate.hasFailed else { return nil }
        return delegate.root
    }

    private final class Delegate: NSObject, XMLParserDelegate {
        var open: [FoundationTree] = []
        var root: FoundationTree?
        var hasFailed = false

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            open.append(FoundationTree(name: name, attributes: attributes))
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            guard let closed = open.popLast() else { return }
            if open.isEmpty { root = closed } else { open[open.count - 1].children.append(closed) }
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            if !open.isEmpty { open[open.count - 1].text += text }
        }

        func parser(_ parser: XMLParser, foundCDATA block: Data) {
            if !open.isEmpty { open[open.count - 1].text += String(decoding: block, as: UTF8.self) }
        }

        /// What is said of namespaces, and of names that begin with `xml`, are warnings.
        func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
            let code = (error as NSError).code
            if !(200...204).contains(code) && code != 64 { hasFailed = true }
        }
    }
}
