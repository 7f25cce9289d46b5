/// The messages on their way between the devices and the services.
///
/// Messages wait until a step takes one. A message that is taken and not delivered is lost.
package struct SimulatedNetwork: Sendable {
    /// The messages in the order in which they were sent.
    package private(set) var messages: [SimulatedMessage] = []

    /// The number of the next request.
    private var nextNumber = 1

    /// Sends a request of a device.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - device: The device.
    ///   - isElsewhere: Whether the device is signed in to another account.
    /// - Returns: The number of the request, which its answer has too.
    mutating func send(_ request: SimulatedMessage.Request, from device: Int, isElsewhere: Bool) -> Int {
        defer { nextNumber += 1 }
        messages.append(
            SimulatedMessage(number: nextNumber, device: device, isElsewhere: isElsewhere, body: .request(request)))
        return nextNumber
    }

    /// Sends the answer to a request to its device.
    mutating func send(_ answer: SimulatedMessage.Answer, to request: SimulatedMessage) {
        messages.append(SimulatedMessage(number: request.number, device: request.device, body: .answer(answer)))
    }

    /// Removes a message by its position, which begins again at 0; nil if there are none.
    mutating func take(_ position: Int) -> SimulatedMessage? {
        messages.isEmpty ? nil : messages.remove(at: position.wrapped(messages.count))
    }

    /// Sends a message a second time, by its position, which begins again at 0.
    mutating func duplicate(_ position: Int) {
        guard !messages.isEmpty else { return }
        var copy = messages[position.wrapped(messages.count)]
        copy.isCopy = true
        messages.append(copy)
    }

    /// Removes all messages, and returns them.
    @discardableResult
    package mutating func takeAll() -> [SimulatedMessage] {
        defer { messages = [] }
        return messages
    }

    /// Removes all answers but those for which a condition holds.
    mutating func keepAnswers(where isAwaited: (SimulatedMessage) -> Bool) {
        messages.removeAll { !$0.isRequest && !isAwaited($0) }
    }
}

extension SimulatedNetwork {
    /// Whether a device's request with a number, or its answer, is on its way.
    func has(_ number: Int, of device: Int) -> Bool {
        messages.contains { $0.number == number && $0.device == device }
    }

    /// Whether an older request of the same device is still on its way.
    func hasOlderRequest(than message: SimulatedMessage) -> Bool {
        messages.contains { $0.device == message.device && $0.isRequest && $0.number < message.number }
    }

    /// Hashes the messages without their order and numbers, because any of them can be delivered next.
    ///
    /// The numbers only decide which messages their devices wait for.
    func hash(into hasher: inout Hasher, where isAwaited: (SimulatedMessage) -> Bool) {
        var sum = 0
        for message in messages {
            var hasher = Hasher()
            hasher.combine(message.device)
            hasher.combine(message.isElsewhere)
            hasher.combine(message.body)
            hasher.combine(isAwaited(message))
            sum &+= hasher.finalize()
        }
        hasher.combine(sum)
    }
}
