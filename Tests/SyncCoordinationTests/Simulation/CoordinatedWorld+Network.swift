import DifferentialSyncTesting
import StoreSync
import SyncCoordination
import SyncPersistence

extension CoordinatedWorld {
    /// Sends the messages that a coordinator's cycle has made.
    mutating func sendMessages(of number: Int) {
        for message in world.network.takeAll() {
            if !coordinators[number].isConnected {
                answer(message, by: .failed(.later()))
                continue
            }
            send(message)
            // Without this, the coordinator itself ends the wait.
            if isHealed || generator.happens(0.8) {
                queue.add(.givesUp(device: message.device, number: message.number), at: now + .seconds(60))
            }
        }
    }

    /// Lets a message arrive once, twice or never.
    private mutating func send(_ message: SimulatedMessage) {
        if !isHealed && generator.happens(0.04) { return log("lost: \(message)") }
        queue.add(.arrives(message), at: now + random(isHealed ? 200 : 1_500))
        if !isHealed && generator.happens(0.04) { queue.add(.arrives(message), at: now + random(30_000)) }
    }

    private mutating func answer(_ message: SimulatedMessage, by answer: SimulatedMessage.Answer) {
        queue.add(
            .arrives(SimulatedMessage(number: message.number, device: message.device, body: .answer(answer))),
            at: now + random(200))
    }

    /// The end of the service's history.
    private var historyEnd: SyncCursor? {
        world.service.disk.content.read { transaction in
            guard let epoch = try? transaction.metadata("sync.service.epoch"),
                let sequence = try? transaction.historySequence
            else { return nil }
            return SyncCursor(epoch: epoch, sequence: sequence)
        }
    }

    /// Lets a message arrive.
    mutating func receive(_ message: SimulatedMessage) async {
        guard case .request = message.body else {
            for (coordinator, run) in runs(of: message.device, waitingFor: message.number) {
                await step(coordinator, run) { await $0.deliver(message) }
            }
            return
        }
        let device = message.device
        switch mode {
        case .later(let wish): return answer(message, by: .failed(.later(after: wish)))
        case .throttled(let wish): return answer(message, by: .failed(.throttled(after: wish)))
        case .normally: break
        }
        guard coordinators.contains(where: { $0.device == device && $0.isAuthorized }) else {
            return answer(message, by: .failed(.unauthorized))
        }
        let before = world.service.disk.content.digest(isWithoutMetadata: true)
        world.devices[device].awaited = message.number
        await world.deliver(message)
        world.devices[device].awaited = nil
        for answer in world.network.takeAll() { send(answer) }
        if world.service.disk.content.digest(isWithoutMetadata: true) == before { return }
        lastChange = now
        for number in coordinators.indices {
            if !coordinators[number].isConnected || losesNotifications && generator.happens(0.5) { continue }
            let time = max(coordinators[number].noticeEnd, now + random(2_000))
            coordinators[number].noticeEnd = time
            signal(.notified(generator.happens(0.8) ? historyEnd : nil), to: number, at: time)
        }
    }
}
