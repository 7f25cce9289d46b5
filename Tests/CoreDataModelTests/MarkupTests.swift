import CoreDataModel
import Foundation
import SyncPersistence
import Testing

struct MarkupTests {
    @Test(arguments: [
        ("", "line 1, column 1: there is no element: this is no model"),
        (" \n <!-- nothing -->\n", "line 3, column 1: there is no element: this is no model"),
        ("hello", "line 1, column 1: this is not XML: an element was expected"),
        ("<model/>\n tail", "line 2, column 2: there is text behind the root element: take it away"),
        ("<model/>\n<model/>", "line 2, column 1: a second root element begins here: take it away"),
        (
            "<model>\n  <entity name='A'>",
            "line 2, column 20: the file ends inside of 'entity', which begins in line 2: it has been cut off"
        ),
        (
            "<model>\n  <entity name='A'",
            "line 2, column 3: the file ends inside of the tag of 'entity': it has been cut off"
        ),
        (
            "<model>\n  <entity name='A",
            "line 2, column 11: the file ends inside of the value of 'name': it has been cut off"
        ),
        (
            "<model>\n  <",
            "line 2, column 4: the name of an element was expected: write '&lt;' where a '<' is meant as such"
        ),
        (
            "<model>\n</entity></model>",
            "line 2, column 1: '</entity>' stands where 'model' ends, which begins in line 1: write '</model>'"
        ),
        ("<model></model x='1'>", "line 1, column 8: the tag '</model>' has no '>'"),
        ("</model>", "line 1, column 1: '</model>' ends an element that has not begun"),
        ("<model a='1'\n  a='2'/>", "line 2, column 3: the attribute 'a' is given twice: take one away"),
        ("<model a='1'b='2'/>", "line 1, column 13: a space is missing in front of this attribute"),
        ("<model a/>", "line 1, column 9: the attribute 'a' has no value: add '=\"…\"'"),
        ("<model a=1/>", "line 1, column 10: the value of 'a' has no quotation marks: add them"),
        (
            "<model a='1<2'/>",
            "line 1, column 12: a '<' stands in the value of 'a': write '&lt;', or end the value before it"
        ),
        ("<model é='1' =''/>", "line 1, column 14: the name of an attribute, or the end of the tag, was expected"),
        (
            "<model a='ü&foo;'/>",
            "line 1, column 12: '&' begins no reference that is known here: write '&amp;' for the character itself"
        ),
        (
            "<model>a & b</model>",
            "line 1, column 10: '&' begins no reference that is known here: write '&amp;' for the character itself"
        ),
        (
            "<model>&#0;</model>",
            "line 1, column 8: '&' begins no reference that is known here: write '&amp;' for the character itself"
        ),
        (
            "<model>&#xD800;</model>",
            "line 1, column 8: '&' begins no reference that is known here: write '&amp;' for the character itself"
        ),
        (
            "<model>&#+65;</model>",
            "line 1, column 8: '&' begins no reference that is known here: write '&amp;' for the character itself"
        ),
        ("<model>]]></model>", "line 1, column 8: ']]>' cannot stand in text: write ']]&gt;'"),
        (
            "<model><!-- a -- b --></model>",
            "line 1, column 15: '--' cannot stand in a comment, but at its end: take it away"
        ),
        ("<model>\n<!-- a </model>", "line 2, column 1: this comment does not end: add '--'"),
        ("<model><![CDATA[ a </model>", "line 1, column 8: this section does not end: add ']]>'"),
        ("<model><?go </model>", "line 1, column 8: this instruction does not end: add '?>'"),
        ("<model><?go!?></model>", "line 1, column 12: a space is missing behind 'go'"),
        ("<model><!ELEMENT a></model>", "line 1, column 8: '<!' begins nothing that can stand here: take it away"),
        (
            " <?xml version='1.0'?><model/>",
            "line 1, column 2: an XML declaration stands at the very beginning, and nowhere else: take it away"
        ),
        (
            "<?xml encoding='UTF-8'?><model/>",
            "line 1, column 7: 'encoding' cannot stand so in an XML declaration: write '<?xml version=\"1.0\" encoding=\"UTF-8\"?>'"
        ),
        (
            "<?xml version='2.0'?><model/>",
            "line 1, column 7: 'version' cannot stand so in an XML declaration: write '<?xml version=\"1.0\" encoding=\"UTF-8\"?>'"
        ),
        (
            "<?xml version='1.0' standalone='maybe'?><model/>",
            "line 1, column 21: 'standalone' cannot stand so in an XML declaration: write '<?xml version=\"1.0\" encoding=\"UTF-8\"?>'"
        ),
        ("<?xml ?><model/>", "line 1, column 1: the XML declaration has no version: add 'version=\"1.0\"'"),
        ("<model a='\u{1}'/>", "line 1, column 11: the character U+0001 cannot stand in XML: take it away"),
        (
            "<model>\r\n\r  <a></b></model>",
            "line 3, column 6: '</b>' stands where 'a' ends, which begins in line 3: write '</a>'"
        ),
    ])
    func malformedXMLIsAnErrorWithItsPlace(text: String, expected: String) {
        #expect(fault(text.utf8) == expected)
        let error = #expect(throws: ModelError.self) { try ModelDocument(xml: text.utf8) }
        #expect(error?.code == .xml)
    }

    @Test func textTruncatedAnywhereIsAnErrorWithAPlace() throws {
        let text = Array(
            modelText("<entity name='A'><!-- é --><attribute name='&amp;' attributeType='String'/></entity>").utf8)
        _ = try ModelDocument(xml: text)
        for count in text.indices {
            let error = try #require(throws: ModelError.self, "\(count)") { try ModelDocument(xml: text[..<count]) }
            #expect(error.code == .xml)
            #expect(error.findings.count == 1 && error.findings[0].line != nil)
        }
    }

    @Test func referencesSectionsCommentsAndInstructionsAreReadAsXMLSpecifies() throws {
        let document = try ModelDocument(
            xml: """
                <?xml version='1.0'?>
                <?go there?><!---->
                <model
                >
                <entity
                    name = "&#x41;&amp;&lt;&gt;&quot;&apos;&#10;\u{9}é" ><![CDATA[ <ignored> ]]> &amp; text </entity  >
                <?go?></model>
                <!-- - -->

                """.utf8)
        #expect(document.schema.entities.map(\.name) == ["A&<>\"'\n é"])
    }
}

struct EncodingTests {
    private func text(_ encoding: String) -> String {
        "<?xml version=\"1.0\" encoding=\"\(encoding)\"?>\n<model><entity name=\"Käse\"/></model>"
    }

    private func name(_ bytes: [UInt8]) throws -> String { try ModelDocument(xml: bytes).schema.entities[0].name }

    private func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? bytes : bytes.reversed()
        }
    }

    @Test func encodingIsDetectedByByteOrderMarkOrDeclaration() throws {
        for encoding in ["UTF-8", "utf-8"] { #expect(try name(Array(text(encoding).utf8)) == "Käse") }
        #expect(try name([0xEF, 0xBB, 0xBF] + text("UTF-8").utf8) == "Käse")
        #expect(try name([0xFF, 0xFE] + utf16(text("UTF-16"), isBigEndian: false)) == "Käse")
        #expect(try name([0xFE, 0xFF] + utf16(text("UTF-16"), isBigEndian: true)) == "Käse")
        #expect(try name(utf16(text("UTF-16"), isBigEndian: false)) == "Käse")
        #expect(try name(utf16(text("UTF-16"), isBigEndian: true)) == "Käse")
        #expect(try name(text("ISO-8859-1").unicodeScalars.map { UInt8($0.value) }) == "Käse")
    }

    @Test func unknownOrViolatedEncodingIsAnError() {
        #expect(
            fault(text("Shift_JIS").utf8)
                == "line 1, column 1: the encoding 'Shift_JIS' is not known here: save the file in UTF-8")
        #expect(
            fault(text("UTF-8").unicodeScalars.map { UInt8($0.value) })
                == "line 2, column 23: this is not UTF-8: save the file in UTF-8")
        #expect(
            fault([0xFF, 0xFE] + utf16("<model/>", isBigEndian: false) + [0])
                == "line 1, column 9: the file ends inside of a character")
        #expect(
            fault([0xFF, 0xFE, 0x3C, 0, 0, 0xD8, 0x3C, 0])
                == "line 1, column 2: this is not UTF-16: save the file in UTF-8")
    }
}
