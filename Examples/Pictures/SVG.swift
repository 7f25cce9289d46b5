/// A drawing in SVG, readable on light and dark pages.
struct SVG {
    private let width: Int
    private let height: Int
    private let title: String
    private var lines: [String] = []

    /// An empty drawing.
    ///
    /// - Parameters:
    ///   - width: The width in points.
    ///   - height: The height in points.
    ///   - title: What the drawing shows, for readers who cannot see it.
    init(width: Int, height: Int, title: String) {
        self.width = width
        self.height = height
        self.title = title
    }
}

/// The look of a shape or text; the names of the classes in the style sheet.
enum Style: String {
    case ink, faint, accent, good, bad, line, box, arrow
}

/// Where a text stands at its position.
enum Anchor: String {
    case start, middle, end
}

extension SVG {
    mutating func text(
        _ text: String, x: Double, y: Double, size: Int = 14, anchor: Anchor = .start, style: Style = .ink,
        isBold: Bool = false
    ) {
        let weight = isBold ? " font-weight=\"600\"" : ""
        lines.append(
            "<text class=\"\(style.rawValue)\" x=\"\(number(x))\" y=\"\(number(y))\" font-size=\"\(size)\" "
                + "text-anchor=\"\(anchor.rawValue)\"\(weight)>\(SVG.escaped(text))</text>")
    }

    mutating func rectangle(
        x: Double, y: Double, width: Double, height: Double, radius: Double = 0, style: Style
    ) {
        lines.append(
            "<rect class=\"\(style.rawValue)\" x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" "
                + "height=\"\(number(height))\" rx=\"\(number(radius))\"/>")
    }

    mutating func line(
        x: Double, y: Double, toX: Double, toY: Double, style: Style = .line, hasHead: Bool = false,
        isDashed: Bool = false
    ) {
        let head = hasHead ? " marker-end=\"url(#head)\"" : ""
        let dashes = isDashed ? " stroke-dasharray=\"4 4\"" : ""
        lines.append(
            "<line class=\"\(style.rawValue)\" x1=\"\(number(x))\" y1=\"\(number(y))\" x2=\"\(number(toX))\" "
                + "y2=\"\(number(toY))\"\(head)\(dashes)/>")
    }

    mutating func curve(_ points: [(x: Double, y: Double)], style: Style) {
        let list = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        lines.append("<polyline class=\"curve \(style.rawValue)\" points=\"\(list)\"/>")
        for point in points {
            lines.append(
                "<circle class=\"\(style.rawValue)\" cx=\"\(number(point.x))\" cy=\"\(number(point.y))\" r=\"3.5\"/>")
        }
    }

    /// The whole file.
    var file: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
        role="img" font-family="-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">
        <title>\(SVG.escaped(title))</title>
        <style>
        \(SVG.rules(isDark: false))
        @media (prefers-color-scheme: dark) {
        \(SVG.rules(isDark: true))
        }
        .arrow { stroke-width: 1.5 } .curve.accent, .curve.bad { fill: none; stroke-width: 2.5 }
        </style>
        <defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
        <path class="faint" d="M0 0L8 4L0 8z"/></marker></defs>
        \(lines.joined(separator: "\n"))
        </svg>

        """
    }

    /// The rules of the style sheet for light or dark pages.
    ///
    /// They name each color, because few programs other than browsers read variables.
    private static func rules(isDark: Bool) -> String {
        func color(_ light: String, _ dark: String) -> String { isDark ? dark : light }
        let (edge, faint) = (color("#d0d7de", "#3d444d"), color("#636c76", "#9198a1"))
        let (accent, bad) = (color("#0969da", "#58a6ff"), color("#c93c37", "#ff7b72"))
        return """
            .ink { fill: \(color("#1f2328", "#e6edf3")) } .faint { fill: \(faint) } .accent { fill: \(accent) }
            .good { fill: \(color("#1a7f37", "#3fb950")) } .bad { fill: \(bad) }
            .box { fill: \(color("#f6f8fa", "#161b22")); stroke: \(edge) }
            .line { stroke: \(edge) } .arrow { stroke: \(faint) }
            .curve.accent { stroke: \(accent) } .curve.bad { stroke: \(bad) }
            """
    }

    /// A number with at most one digit after the point.
    private func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
