import Foundation

/// Metrics in the text form of Prometheus, version 0.0.4.
///
/// No label has a text from outside: accounts and devices are not listed.
struct MetricsText {
    private(set) var text = ""

    init(_ state: Activity.State, start: Date, openStores: Int, waits: Int) {
        add("sync_requests_total", "counter", "Answered requests by route and status.")
        for (route, statuses) in state.requests.statuses.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            for (status, count) in statuses.sorted(by: { $0.key < $1.key }) {
                add("sync_requests_total{route=\"\(route.rawValue)\",status=\"\(status)\"}", count)
            }
        }
        add("sync_request_seconds", "histogram", "Time to answer a request, from its head to its response.")
        for (route, times) in state.requests.times.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let label = "route=\"\(route.rawValue)\""
            for (bound, count) in zip(RequestCounters.Times.bounds, times.counts) {
                add("sync_request_seconds_bucket{\(label),le=\"\(bound)\"}", count)
            }
            add("sync_request_seconds_bucket{\(label),le=\"+Inf\"}", times.count)
            add("sync_request_seconds_sum{\(label)}", times.sum)
            add("sync_request_seconds_count{\(label)}", times.count)
        }
        add("sync_changes_total", "counter", "Changes of devices by outcome.")
        for outcome in ChangeCounters.Outcome.allCases {
            add("sync_changes_total{outcome=\"\(outcome.rawValue)\"}", state.changes.counts[outcome] ?? 0)
        }
        add("sync_commits_total", "counter", "Pushes with an accepted change.")
        add("sync_commits_total", state.changes.commits)
        add("sync_refused_tokens_total", "counter", "Requests without a valid token, by reason.")
        for (reason, count) in state.refusedTokens.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            add("sync_refused_tokens_total{reason=\"\(reason.rawValue)\"}", count)
        }
        add("sync_store_failures_total", "counter", "Failures of the database that devices retry, by code.")
        for (code, count) in state.passingFailures.sorted(by: { $0.key < $1.key }) {
            add("sync_store_failures_total{code=\"\(code)\"}", count)
        }
        let gauges = [
            ("sync_open_stores", "Accounts whose stores are open.", Double(openStores)),
            ("sync_requests_under_way", "Requests that are not answered yet.", Double(state.requestsUnderWay)),
            ("sync_waiting_requests", "Requests that wait for a change.", Double(waits)),
            ("sync_accounts", "Accounts with recent messages.", Double(state.accounts.count)),
            (
                "sync_devices_behind", "Devices of these accounts that lack changes of others.",
                Double(state.accounts.values.reduce(0) { $0 + $1.behindCount })
            ),
            ("sync_start_time_seconds", "Time of the process's start.", start.timeIntervalSince1970),
        ]
        for (name, help, value) in gauges {
            add(name, "gauge", help)
            add(name, value)
        }
    }

    private mutating func add(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func add(_ name: String, _ value: some CustomStringConvertible) { text += "\(name) \(value)\n" }
}
