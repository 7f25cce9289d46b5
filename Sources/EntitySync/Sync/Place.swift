import SyncPersistence

/// Where something stands in a payload: a step from the place that it stands in.
final class Place: Sendable {
    enum Step: Sendable {
        case element(Int)
        case member(String)
    }

    private let outer: Place?
    private let step: Step?

    /// The payload itself.
    static let root = Place(nil)

    init(_ step: Step?, in outer: Place? = nil) {
        self.outer = outer
        self.step = step
    }

    /// The place of an element.
    func element(_ index: Int) -> Place { Place(.element(index), in: self) }

    /// The place of a member.
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
        // The object itself has no index.
        return path.hasPrefix(".") ? String(path.dropFirst()) : path
    }
}

extension String {
    /// The name as a step of a path.
    fileprivate var jsonStep: String { "." + self }
}
