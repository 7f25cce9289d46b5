/// What this process has seen of an account's devices.
struct AccountActivity {
    /// The order of a device's last messages.
    private struct Device {
        var lastPush = 0
        var lastCompletePull = 0
        var lastMessage = 0
    }

    private var devices: [String: Device] = [:]
    /// The commits of the last minute.
    var commits = MinuteCounter()
    /// The changes that were refused for good.
    var refused = 0
    /// The changes that another device had anticipated.
    var conflicts = 0
    /// The number of the last message.
    private(set) var lastMessage = 0

    /// The most devices to remember.
    private static let deviceLimit = 200

    /// The number of devices.
    var deviceCount: Int { devices.count }

    /// The number of devices that have not pulled all changes since another device pushed some.
    var behindCount: Int {
        devices.count { name, device in
            devices.contains { $0.key != name && $0.value.lastPush > device.lastCompletePull }
        }
    }

    /// Notes a pull.
    mutating func pulled(_ name: String, isComplete: Bool, message: Int) {
        edit(name, message) { if isComplete { $0.lastCompletePull = message } }
    }

    /// Notes a push.
    mutating func pushed(_ name: String, hasCommitted: Bool, message: Int) {
        edit(name, message) { if hasCommitted { $0.lastPush = message } }
    }

    private mutating func edit(_ name: String, _ message: Int, _ change: (inout Device) -> Void) {
        lastMessage = message
        if devices[name] == nil, devices.count >= Self.deviceLimit,
            let oldest = devices.min(by: { $0.value.lastMessage < $1.value.lastMessage })
        {
            devices[oldest.key] = nil
        }
        change(&devices[name, default: Device()])
        devices[name]?.lastMessage = message
    }
}
