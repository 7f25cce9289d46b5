#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The steps of a simulation, and what it begins with.
///
/// A script is printed as JSON, one step in a line, and read from it:
///
/// ```swift
/// let run = await simulator.run(try SimulationScript(json: text))
/// print(run)
/// ```
public struct SimulationScript: Hashable, Sendable, Codable {
    /// The number of devices at the beginning.
    public var devices: Int

    /// The position of the devices' policies among those of the simulator.
    public var policies: Int

    /// The most records in a page.
    public var pageRecords: Int

    /// The most mutations in a push.
    public var pushRecords: Int

    /// Whether the first device is a relay: the service of each second device after it.
    ///
    /// There are no scopes then.
    public var hasRelay: Bool

    /// The scopes of the devices, as ``SimulationOperation/changeScope(device:to:)`` counts them.
    ///
    /// If there are more devices, the list begins again. Without any, the service has no scopes.
    public var scopes: [Int]

    /// The stores that are in files if the simulator has some: 0 is that of the service, and 1 that of the first device.
    public var files: [Int]

    /// The steps.
    public var operations: [SimulationOperation]

    /// Creates a script.
    ///
    /// - Parameters:
    ///   - devices: The number of devices at the beginning.
    ///   - policies: The position of the devices' policies among those of the simulator.
    ///   - pageRecords: The most records in a page.
    ///   - pushRecords: The most mutations in a push.
    ///   - hasRelay: Whether the first device is the service of each second device after it.
    ///   - scopes: The scopes of the devices.
    ///   - files: The stores that are in files.
    ///   - operations: The steps.
    public init(
        devices: Int = 2, policies: Int = 0, pageRecords: Int = 100, pushRecords: Int = 100, hasRelay: Bool = false,
        scopes: [Int] = [], files: [Int] = [], operations: [SimulationOperation]
    ) {
        self.devices = devices
        self.policies = policies
        self.pageRecords = pageRecords
        self.pushRecords = pushRecords
        self.hasRelay = hasRelay
        self.scopes = scopes
        self.files = files
        self.operations = operations
    }
}

extension SimulationScript {
    /// Creates the script of a text that ``json`` has returned.
    ///
    /// - Throws: `DecodingError` for any other text.
    public init(json: String) throws {
        self = try JSONDecoder().decode(SimulationScript.self, from: Data(json.utf8))
    }

    /// The script as JSON, one step in a line.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func text(_ value: some Encodable) -> String {
            // Numbers, names and truth values always have a JSON form.
            (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
        }
        var head = self
        head.operations = []
        let steps = operations.map { "  " + text($0) }.joined(separator: ",\n")
        return text(head).replacing("\"operations\":[]", with: "\"operations\":[\n\(steps)\n]")
    }
}

extension SimulationScript: CustomStringConvertible {
    /// The script as JSON.
    public var description: String { json }
}
