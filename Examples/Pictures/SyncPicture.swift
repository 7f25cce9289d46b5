import DifferentialSyncTesting

/// The messages of a real sync: a phone and a tablet that were both edited offline.
enum SyncPicture {
    struct Note: Equatable, Identifiable {
        let id: Int
        var text: String
    }

    static func draw() throws -> String {
        var remote = SimulatedRemote<Note, Int>(primaryKey: \.id)
        var phone = try JournaledCollection<Note, Int>(
            restoring: StoredCollection(client: [Note(id: 1, text: "milk"), Note(id: 2, text: "bread")]))
        var tablet = try JournaledCollection<Note, Int>([])
        try remote.synchronize(&phone, pushID: "1", policy: .leaveOpen)
        try remote.synchronize(&tablet, pushID: "2", policy: .leaveOpen)
        try phone.edit(1) { $0.text = "oat milk" }
        tablet.remove(2)
        try tablet.insert(Note(id: 3, text: "tea"))
        let traces = try [
            ("phone", remote.synchronize(&phone, pushID: "3", policy: .leaveOpen).trace),
            ("tablet", remote.synchronize(&tablet, pushID: "4", policy: .leaveOpen).trace),
            ("phone", remote.synchronize(&phone, pushID: "5", policy: .leaveOpen).trace),
        ]

        let rows = traces.reduce(0) { $0 + $1.1.events.count }
        var svg = SVG(
            width: 760, height: 96 + rows * 40,
            title: "The messages of three syncs: " + traces.map { "\($0.0): \($0.1)" }.joined(separator: "; "))
        let places = ["phone": 100.0, "remote": 380, "tablet": 660]
        for (name, x) in places.sorted(by: { $0.value < $1.value }) {
            svg.rectangle(x: x - 55, y: 14, width: 110, height: 32, radius: 8, style: .box)
            svg.text(name, x: x, y: 35, size: 15, anchor: .middle, isBold: true)
            svg.line(x: x, y: 46, toX: x, toY: Double(80 + rows * 40), isDashed: true)
        }
        var y = 84.0
        for (device, trace) in traces {
            for event in trace.events {
                let from = places[device] ?? 0
                svg.line(
                    x: from, y: y, toX: 380 + (from < 380 ? -4 : 4), toY: y, style: .arrow, hasHead: true)
                let middle = (from + 380) / 2
                let style: Style = event.answer == .accepted ? .good : event.answer == .refused ? .bad : .ink
                let changes = event.pulled.total > 0 ? event.pulled : event.pushed
                let label = changes.total > 0 ? "\(event): \(changes)" : "\(event)"
                svg.text(label, x: middle, y: y - 7, anchor: .middle, style: style)
                y += 40
            }
        }
        return svg.file
    }
}
