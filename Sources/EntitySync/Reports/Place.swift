import SyncPersistence

/// The place of a value in a payload: a step within an outer place.
final class Place: Sendable {
    /// The index of an element, or the name of a member.
    enum Step: Sendable {
        /// An element of an array, by its index.
        case element(Int)
        /// A member of an object, by its name.
        case member(String)
    }

    /// The place of the surrounding container; nil for the document.
    private let outer: Place?
    /// The step from there; nil for the document itself.
    private let step: Step?
    /// The names that lead to an object within each element.
    private let inner: [String]

    /// The payload itself.
    static let root = Place(nil)

    /// Creates a place within another one.
    init(_ step: Step?, in outer: Place? = nil, inner: [String] = []) {
        self.outer = outer
        self.step = step
        self.inner = inner
    }

    /// Returns the place of the element at an index, counted from 0 in the payload.
    func element(_ index: Int) -> Place {
        let element = Place(.element(index), in: self)
        return inner.isEmpty ? element : inner.reduce(element) { $0.member($1) }
    }

    /// Returns the place of a list whose elements contain their objects under names.
    func list(inner: [String]) -> Place { inner.isEmpty ? self : Place(nil, in: self, inner: inner) }

    /// Returns the place of a member.
    func member(_ name: String) -> Place { Place(.member(name), in: self) }

    /// The steps from the outermost, such as `[3].notes[1].created_at`.
    var path: String {
        var steps: [Step] = []
        var place: Place? = self
        while let next = place {
            if let step = next.step { steps.append(step) }
            place = next.outer
        }
        let path = steps.reversed().map { step in
            switch step {
            case .element(let index): "[\(index)]"
            case .member(let name): name.jsonStep
            }
        }.joined()
        // A path that begins with a member has no dot before it.
        return path.hasPrefix(".") ? String(path.dropFirst()) : path
    }
}

/// The places of the objects of a list.
struct ElementPlaces {
    /// The place of the list.
    var base = Place.root
    /// The names that lead to an object within each element.
    var inner: [String] = []

    /// Returns the place of an object by its index or name, or the place of the list if it is one object.
    func place(of index: Int, _ name: String?, isOneObject: Bool) -> Place {
        if isOneObject { return base }
        if let name { return base.member(name) }
        return base.list(inner: inner).element(index)
    }
}

extension String {
    /// The name as a step in a path.
    fileprivate var jsonStep: String { "." + self }
}
