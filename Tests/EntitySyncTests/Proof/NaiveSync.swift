import SyncPersistence

/// The rules of a sync in their plainest form: dictionaries, and one object after the other.
///
/// It knows one entity, `Root`, whose objects are synced with all operations, and the things that roots own, share or
/// name.
struct NaiveSync {
    /// How roots are connected with the things of a relationship.
    enum Form: CaseIterable { case owning, sharing, naming }

    /// The form of each relationship: `r0` leads to `Thing0`, and so on.
    let forms: [Form]
    /// Whether the things that a root owns are deleted with it.
    let cascades: Bool

    /// The values of roots by key, the key of their boss among them.
    var roots: [Int: [String: Value]] = [:]
    /// The texts of things by relationship and key.
    var things: [[Int: Value]]
    /// The connections of roots, by relationship.
    var links: [[Int: Set<Int>]]
    /// The number of objects that could not be connected.
    var unknownCount = 0

    init(forms: [Form], cascades: Bool) {
        self.forms = forms
        self.cascades = cascades
        things = forms.map { _ in [:] }
        links = forms.map { _ in [:] }
    }

    /// The values that a payload gives one root.
    struct Statement {
        var key: Int
        var values: [String: Value] = [:]
        /// The key of another root, or null.
        var boss: Int??
        /// The values that a payload gives each relationship.
        var things: [Int: Members] = [:]

        enum Members {
            /// Things with their texts, if they have one.
            case objects([(key: Int, text: Value?)])
            case keys([Int])
        }
    }

    mutating func sync(_ statements: [Statement]) {
        let known = Set(roots.keys)
        var waiting: [() -> (root: Int, form: Int, keys: [Int])] = []
        var leaving: [(root: Int, form: Int, thing: Int)] = []
        var spoken = forms.map { _ in Set<Int>() }
        let ordered = statements.filter { !known.contains($0.key) } + statements.filter { known.contains($0.key) }
        for statement in ordered {
            roots[statement.key, default: [:]].merge(statement.values) { $1 }
            if case .some(.none) = statement.boss { roots[statement.key]?["boss"] = .null }
            for (form, members) in statement.things.sorted(by: { $0.key < $1.key }) {
                switch members {
                case .keys(let keys): waiting.append { (statement.key, form, keys) }
                case .objects(let objects):
                    for (key, text) in objects {
                        things[form][key] = text ?? things[form][key] ?? .null
                        spoken[form].insert(key)
                    }
                    let gone = links[form][statement.key, default: []].subtracting(objects.map(\.key))
                    if forms[form] == .owning {
                        for thing in gone { leaving.append((statement.key, form, thing)) }
                        connect(statement.key, form, Set(objects.map(\.key)).union(gone))
                    } else {
                        connect(statement.key, form, Set(objects.map(\.key)))
                    }
                }
            }
        }
        // The record of a key may have arrived in a later object.
        for (root, form, keys) in waiting.map({ $0() }) {
            let there = Set(keys.filter { things[form][$0] != nil })
            unknownCount += keys.filter { things[form][$0] == nil }.count
            if forms[form] == .naming && there.isEmpty && !keys.isEmpty { continue }
            connect(root, form, there)
        }
        for statement in ordered {
            guard case .some(.some(let boss)) = statement.boss else { continue }
            if roots[boss] == nil { unknownCount += 1 } else { roots[statement.key]?["boss"] = .integer(Int64(boss)) }
        }
        for (root, form, thing) in leaving where links[form][root]?.contains(thing) == true {
            links[form][root]?.remove(thing)
            if !spoken[form].contains(thing) { things[form][thing] = nil }
        }
        for key in known.subtracting(statements.map(\.key)) { remove(key) }
    }

    private mutating func connect(_ root: Int, _ form: Int, _ keys: Set<Int>) {
        if forms[form] == .owning {
            for other in links[form].keys where other != root { links[form][other]?.subtract(keys) }
        }
        links[form][root] = keys
    }

    private mutating func remove(_ root: Int) {
        roots[root] = nil
        for key in roots.keys where roots[key]?["boss"] == .integer(Int64(root)) { roots[key]?["boss"] = .null }
        for form in forms.indices {
            let members = links[form].removeValue(forKey: root) ?? []
            if forms[form] == .owning && cascades { for thing in members { things[form][thing] = nil } }
        }
    }
}

extension NaiveSync {
    /// The contents, one thing in each line.
    var lines: Set<String> {
        var lines: Set<String> = []
        for (key, values) in roots {
            let texts = values.filter { !$0.value.isNull }.map { "\($0.key): \($0.value)" }.sorted()
            lines.insert("Root \(key) \(texts)")
        }
        for form in forms.indices {
            for (key, text) in things[form] { lines.insert("Thing\(form) \(key) \(text)") }
            for (root, keys) in links[form] where !keys.isEmpty {
                lines.insert("r\(form) of \(root): \(keys.sorted())")
            }
        }
        return lines
    }
}
