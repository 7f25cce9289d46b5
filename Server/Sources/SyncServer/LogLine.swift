import Foundation
import Logging
import SyncValues

/// A line of the log: one JSON object, in which no text from outside can begin another line.
struct LogLine {
    let date: Date
    let level: Logger.Level
    let message: String
    let metadata: Logger.Metadata

    /// The most characters of a text.
    private static let longestText = 1_000

    /// The line, without its end.
    var text: String {
        var members = [
            ValueObject.Member(
                name: "time", value: .string(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))),
            ValueObject.Member(name: "level", value: .string(level.rawValue)),
            ValueObject.Member(name: "message", value: Self.string(message)),
        ]
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
            members.append(ValueObject.Member(name: name, value: Self.string("\(value)")))
        }
        let line = (try? Value.object(ValueObject(members)).json([])) ?? ""
        // Terminals and viewers must not obey control characters, nor take others for the end of a line.
        return line.unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.properties.generalCategory == .control || ["\u{2028}", "\u{2029}"].contains(scalar) {
                text += "\u{FFFD}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func string(_ text: String) -> Value { .string(String(text.prefix(longestText))) }
}

/// Writes the log as lines of JSON to the standard error.
struct LineLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    let date: @Sendable () -> Date

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = LogLine(
            date: date(), level: event.level, message: event.message.description,
            metadata: metadata.merging(event.metadata ?? [:]) { $1 })
        // A line that cannot be written, such as to a full disk, is dropped: `write(_:)` would end the server.
        try? FileHandle.standardError.write(contentsOf: Data((line.text + "\n").utf8))
    }
}
