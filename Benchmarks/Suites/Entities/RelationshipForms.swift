import BenchmarkSupport
import Foundation
import SyncPersistence

/// Payloads in which relationships stand in each of their forms.
enum RelationshipForm: String, CaseIterable {
    case toOneKey = "each names one by its key"
    case toManyKeys = "each names three by their keys"
    case owned = "one owner lists the keys of all"
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
            }
            Entity("Tag") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("nodes", toMany: "Node", inverse: "tags")
            }
        }
    }

    /// Objects that the payload names.
    func known(count: Int) -> [(entity: String, payload: Data)] {
        switch self {
        case .toManyKeys: [("Tag", list((0..<max(count / 10, 3)).map { #"{"id":\#($0)}"# }))]
        case .owned: [("Node", list((1...count).map { #"{"id":\#($0)}"# }))]
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
        case .owned: list([#"{"id":0,"children_ids":[\#((1...count).map(String.init).joined(separator: ","))]}"#])
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

    private func list(_ objects: [String]) -> Data { Data("[\(objects.joined(separator: ","))]".utf8) }
}
