import ExampleSupport

/// Where lines are written to, in colour or plainly.
package struct Console {
    /// Whether lines are coloured.
    package let isColored: Bool

    /// Writes a line.
    package let write: (String) -> Void

    package init(isColored: Bool, write: @escaping (String) -> Void) {
        self.isColored = isColored
        self.write = write
    }

    /// The colours, and what stands in for their names in a terminal.
    package enum Style: String {
        case green = "32"
        case red = "31"
        case yellow = "33"
        case bold = "1"
        case faint = "2"
    }
}

extension Console {
    /// Writes a line, or an empty one.
    package func line(_ text: String = "", _ style: Style? = nil) {
        write(text.isEmpty ? "" : styled(text, style))
    }

    /// The text in a colour, or as it is where there are none.
    package func styled(_ text: String, _ style: Style?) -> String {
        guard isColored, let style else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }

    /// Writes the lines of a diff: what is added green, what is deleted red, what is replaced yellow.
    package func diff(_ lines: some Sequence<some StringProtocol>, indentation: String = "") {
        for line in lines {
            write(indentation + styled(printable(line), Console.style(of: line)))
        }
    }

    private static func style(of line: some StringProtocol) -> Style? {
        switch line.first {
        case "+": .green
        case "-": .red
        case "~": .yellow
        default: nil
        }
    }
}
