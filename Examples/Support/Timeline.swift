/// A recorded timeline as a drawing: a line for each device and the remote, and the messages between them from top to
/// bottom.
package struct Timeline {
    private let events: [TimelineEvent]

    /// The devices in the order of their first event; the remote follows them.
    private let devices: [String]

    private static let (column, row, margin) = (340, 28, 60)

    /// The most characters of a text that are drawn; the rest is shown when the pointer is on it.
    private static let longestText = 46

    package init(_ events: [TimelineEvent]) {
        self.events = events
        var devices: [String] = []
        var known: Set<String> = []
        for event in events where known.insert(event.device).inserted { devices.append(event.device) }
        self.devices = devices
    }

    /// Adds the drawing to a page.
    package func draw(on page: inout HTMLPage) {
        let places = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1, Self.place($0)) })
        let remote = Self.place(devices.count)
        let height = (events.count + 1) * Self.row + Self.margin
        var svg = ""
        for (name, place) in devices.map({ ($0, places[$0] ?? 0) }) + [("remote", remote)] {
            svg += """
                <text class="name" x="\(place)" y="24" text-anchor="middle">\(htmlEscaped(name))</text>
                <line class="life" x1="\(place)" y1="34" x2="\(place)" y2="\(height)"/>

                """
        }
        for (number, event) in events.enumerated() {
            svg += drawing(of: event, from: places[event.device] ?? 0, to: remote, (number + 2) * Self.row)
        }
        page.add(
            """
            <p id="summary">\(devices.count) devices, \(events.count) events</p>
            <svg id="timeline" width="\(remote + Self.column)" height="\(height)">
            <defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" \
            orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker></defs>
            \(svg)</svg>

            """,
            style: """
                svg { font-size: 12px; fill: currentColor; stroke: none }
                line { stroke: currentColor }
                .name { font-weight: bold; font-size: 15px }
                .life { opacity: .3; stroke-dasharray: 3 4 }
                .response line { stroke-dasharray: 6 3 }
                .note text { font-style: italic }

                """)
    }

    /// The horizontal place of a line.
    private static func place(_ number: Int) -> Int { column / 2 + number * column }

    private func drawing(of event: TimelineEvent, from device: Int, to remote: Int, _ height: Int) -> String {
        let isCut = event.text.count > Self.longestText
        let text = htmlEscaped(isCut ? event.text.prefix(Self.longestText) + "…" : event.text)
        let mark: String
        switch event.kind {
        case .request:
            mark =
                "<line x1=\"\(device)\" y1=\"\(height)\" x2=\"\(remote)\" y2=\"\(height)\" marker-end=\"url(#head)\"/>"
        case .response:
            mark =
                "<line x1=\"\(remote)\" y1=\"\(height)\" x2=\"\(device)\" y2=\"\(height)\" marker-end=\"url(#head)\"/>"
        case .note: mark = "<circle cx=\"\(device)\" cy=\"\(height)\" r=\"4\"/>"
        }
        return """
            <g class="\(event.kind.rawValue)"><title>\(htmlEscaped("\(event.device): \(event.text)"))</title>\(mark)\
            <text x="\(device + 10)" y="\(height - 5)">\(text)</text></g>

            """
    }
}
