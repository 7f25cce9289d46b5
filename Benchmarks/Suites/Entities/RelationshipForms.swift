import BenchmarkSupport
import Foundation
import SyncPersistence

/// Payloads in which relationships stand in each of their forms.
enum RelationshipForm: String, CaseIterable {
    case toOneKey = "each names one by its key"
    case toOneObjects = "each has an object in it that another has too"
    case toManyKeys = "each names three by their keys"
    case toManyObjects = "each has three objects in it that others have too"
    case owned = "one owner lists the keys of all"
    case ordered = "one lists the keys of all, in an order"
    case orderedByOne = "each names the same one, which has them in an order"
    case wide = "one object with all others in it"
    case deep = "chains of 100 objects within each other"

    static let schema = unfailing {
        try Schema {
            Entity("Node") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("parent", to: "Node", inverse: "children")
                Relationship("children", toMany: "Node", inverse: "parent")
                Relationship("tags", toMany: "Tag", inverse: "nodes")
                Relationship("steps", toMany: "Tag", isOrdered: true, inverse: "plans")
            }
            Entity("Tag") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("nodes", toMany: "Node", inverse: "tags")
                Relationship("plans", toMany: "Node", isOrdered: true, inverse: "steps")
            }
        }
    }

    /// Objects that the payload names.
    func known(count: Int) -> [(entity: String, payload: Data)] {
        switch self {
        case .toManyKeys: [("Tag", list((0..<max(count / 10, 3)).map { #"{"id":\#($0)}"# }))]
        case .owned: [("Node", list((1...count).map { #"{"id":\#($0)}"# }))]
        case .ordered: [("Tag", list((1...count).map { #"{"id":\#($0)}"# }))]
        case .orderedByOne: [("Tag", list([#"{"id":1}"#]))]
        default: []
        }
    }

    /// About so many objects, or keys, in this form.
    func payload(count: Int) -> Data {
        switch self {
        case .toOneKey:
            list((0..<count).map { #"{"id":\#($0),"name":"n\#($0)","parent_id":\#($0 / 10)}"# })
        case .toManyKeys:
            list(
                (0..<count).map { number in
                    let tags = (0..<3).map { "\((number + $0 * 7) % max(count / 10, 3))" }.joined(separator: ",")
                    return #"{"id":\#(number),"name":"n\#(number)","tags_ids":[\#(tags)]}"#
                })
        case .toOneObjects:
            list((0..<count).map { #"{"id":\#($0),"name":"n","parent":{"id":\#(count + $0 / 2),"name":"n"}}"# })
        case .toManyObjects:
            list(
                (0..<count).map { number in
                    let tags = (0..<3).map { "{\"id\":\((number + $0 * 7) % max(count / 10, 3))}" }.joined(
                        separator: ",")
                    return #"{"id":\#(number),"name":"n\#(number)","tags":[\#(tags)]}"#
                })
        case .owned: list([#"{"id":0,"children_ids":[\#(keys(1...count))]}"#])
        case .ordered: list([#"{"id":0,"steps_ids":[\#(keys(1...count))]}"#])
        case .orderedByOne: list((0..<count).map { #"{"id":\#($0),"steps_ids":[1]}"# })
        case .wide:
            list([
                #"{"id":0,"children":["# + (1...count).map { #"{"id":\#($0),"name":"n\#($0)"}"# }.joined(separator: ",")
                    + "]}"
            ])
        case .deep:
            list(
                (0..<max(count / 100, 1)).map { chain in
                    (0..<100).reversed().reduce("") { inner, level in
                        #"{"id":\#(chain * 100 + level),"name":"n","children":[\#(inner)]}"#
                    }
                })
        }
    }

    private func keys(_ range: ClosedRange<Int>) -> String { range.map(String.init).joined(separator: ",") }

    private func list(_ objects: [String]) -> Data { Data("[\(objects.joined(separator: ","))]".utf8) }
}
