package import Foundation

/// A line of a recorded timeline: a message between a device and the remote, or something that a device has done.
///
/// A recording is a file of JSON lines, such as `{"device":"phone","kind":"request","text":"push 1"}`.
package struct TimelineEvent: Codable, Hashable, Sendable {
    /// The kinds of event.
    package enum Kind: String, Codable, Sendable {
        /// A message from the device to the remote.
        case request
        /// A message from the remote to the device.
        case response
        /// Something that the device has done by itself.
        case note
    }

    /// The name of the device.
    package var device: String
    package var kind: Kind
    /// The event in words, without values of records.
    package var text: String

    package init(_ device: String, _ kind: Kind, _ text: String) {
        (self.device, self.kind, self.text) = (device, kind, text)
    }
}

extension TimelineEvent {
    /// The event as a line of JSON, with a newline.
    package var line: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self) + Data("\n".utf8)
        }
    }

    /// Reads a recording.
    ///
    /// A last line without a newline is ignored if it is incomplete: its writer was interrupted.
    ///
    /// - Throws: ``TimelineError`` for another line that is no event.
    package static func events(in recording: Data) throws(TimelineError) -> [TimelineEvent] {
        let lines = recording.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var events: [TimelineEvent] = []
        for (number, line) in lines.enumerated() {
            if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
            do {
                events.append(try JSONDecoder().decode(TimelineEvent.self, from: line))
            } catch {
                if number == lines.count - 1 { break }
                throw TimelineError(
                    description:
                        "line \(number + 1) is no event: it has the members device, kind (request, response or "
                        + "note) and text")
            }
        }
        return events
    }
}

/// A recording that cannot be read: the line and the reason.
package struct TimelineError: Error, Hashable, CustomStringConvertible {
    package let description: String
}

/// Returns a text for HTML, without characters that begin markup, and without control characters.
package func htmlEscaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": escaped += "&amp;"
        case "<": escaped += "&lt;"
        case ">": escaped += "&gt;"
        case "\"": escaped += "&quot;"
        case _ where scalar.properties.generalCategory == .control: escaped += "\u{FFFD}"
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}
