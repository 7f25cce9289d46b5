import StoreSync
import SyncPersistence

extension Review {
    /// Refuses new records in an account that has a number of them.
    ///
    /// The number is that before the push, so an account may exceed it by one push.
    static func quota(_ limit: Int) -> Review {
        if limit == 0 { return .acceptAll }
        return Review { change, store in
            guard change.old == nil, change.new != nil, let count = try store.fingerprint()?.count, count >= limit
            else { return .accept }
            return .refuse(code: "quota", reason: "The account has \(limit) records, and may have no more.")
        }
    }
}
