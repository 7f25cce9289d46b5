import DifferentialSync

/// Client, shadow and remote of a small collection, and what the library finds in them.
enum ShadowPicture {
    struct Note: Equatable, Identifiable {
        let id: Int
        let text: String
    }

    static func draw() throws -> String {
        let shadow = [Note(id: 1, text: "milk"), Note(id: 2, text: "bread"), Note(id: 3, text: "tea")]
        let client = [Note(id: 1, text: "oat milk"), Note(id: 2, text: "bread"), Note(id: 3, text: "tea")]
        let remote = [Note(id: 1, text: "milk"), Note(id: 3, text: "tea"), Note(id: 4, text: "jam")]
        let cycle = try synchronize(client: client, shadow: shadow, remote: remote, policy: .leaveOpen)
        let local = try diff(wins: client, loses: shadow, primaryKey: \.id)
        let foreign = try diff(wins: remote, loses: shadow, primaryKey: \.id)

        var svg = SVG(
            width: 760, height: 250,
            title: "What each side changed is its difference from the shadow, and both changes make the result")
        for (position, column) in [("client", client), ("shadow", shadow), ("remote", remote)].enumerated() {
            let x = 20 + Double(position) * 260
            svg.text(column.0, x: x + 100, y: 26, size: 15, anchor: .middle, isBold: true)
            svg.rectangle(x: x, y: 40, width: 200, height: 116, radius: 8, style: .box)
            for (row, id) in (1...4).enumerated() {
                let note = column.1.first { $0.id == id }
                let base = shadow.first { $0.id == id }
                let y = 65 + Double(row) * 25
                let style: Style = note == base ? .ink : note == nil ? .bad : base == nil ? .good : .accent
                if note == nil && base == nil { continue }
                svg.text("\(id)", x: x + 16, y: y, style: .faint)
                svg.text(note?.text ?? "deleted", x: x + 40, y: y, style: style)
            }
        }
        svg.line(x: 276, y: 98, toX: 226, toY: 98, style: .arrow, hasHead: true)
        svg.line(x: 484, y: 98, toX: 534, toY: 98, style: .arrow, hasHead: true)
        svg.text("changed here", x: 120, y: 180, size: 13, anchor: .middle, style: .faint)
        svg.text("in common after the last sync", x: 380, y: 180, size: 13, anchor: .middle, style: .faint)
        svg.text("changed there", x: 640, y: 180, size: 13, anchor: .middle, style: .faint)
        svg.text("\(local?.counts ?? ChangeCounts())", x: 120, y: 200, anchor: .middle)
        svg.text("\(foreign?.counts ?? ChangeCounts())", x: 640, y: 200, anchor: .middle)
        let merged = cycle.client.sorted { $0.id < $1.id }.map { "\($0.id) \($0.text)" }.joined(separator: " · ")
        svg.text("after the sync, everywhere:  \(merged)", x: 380, y: 234, size: 15, anchor: .middle, isBold: true)
        return svg.file
    }
}
