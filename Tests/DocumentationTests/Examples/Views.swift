// The few declarations of SwiftUI that the examples use, as Linux has no SwiftUI.

@MainActor protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    var body: Never { fatalError("a view without a body") }
}

extension Optional: View where Wrapped: View {
    var body: Never { fatalError("a view without a body") }
}

@resultBuilder enum ViewBuilder {
    static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    @MainActor static func buildBlock<First: View, Second: View>(
        _ first: First, _ second: Second
    ) -> Pair<First, Second> {
        Pair(first: first, second: second)
    }
    static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

struct Pair<First: View, Second: View>: View {
    let first: First
    let second: Second
    var body: Never { fatalError("a view without a body") }
}

struct Text: View {
    let text: String
    init(_ text: String) { self.text = text }
    init(verbatim text: String) { self.text = text }
    var body: Never { fatalError("a view without a body") }
}

struct List<Data: RandomAccessCollection, Row: View>: View where Data.Element: Identifiable {
    let rows: [Row]
    init(_ data: Data, @ViewBuilder row: (Data.Element) -> Row) { rows = data.map(row) }
    var body: Never { fatalError("a view without a body") }
}

extension View {
    func task(_ action: @escaping @MainActor () async -> Void) -> some View { self }
    func task<ID: Equatable>(id: ID, _ action: @escaping @MainActor () async -> Void) -> some View { self }
    func onAppear(_ action: @escaping () -> Void) -> some View { self }
    func searchable(text: Binding<String>) -> some View { self }
    func overlay<Content: View>(@ViewBuilder _ content: () -> Content) -> some View {
        _ = content()
        return self
    }
}

@MainActor protocol Scene {}

@MainActor protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
}

struct WindowGroup<Content: View>: Scene {
    let content: Content
    init(@ViewBuilder content: () -> Content) { self.content = content() }
}

extension Scene {
    func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping (_ old: Value, _ new: Value) -> Void
    ) -> some Scene {
        if initial { action(value, value) }
        return self
    }
}

/// Whether an app is in use.
enum ScenePhase: Equatable { case active, inactive, background }

struct EnvironmentValues {
    var scenePhase = ScenePhase.active
}

@propertyWrapper struct Environment<Value> {
    let wrappedValue: Value
    init(_ path: KeyPath<EnvironmentValues, Value>) { wrappedValue = EnvironmentValues()[keyPath: path] }
}

@propertyWrapper struct State<Value> {
    private final class Storage {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private let storage: Storage
    var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.value = newValue }
    }
    var projectedValue: Binding<Value> { Binding(get: { storage.value }, set: { storage.value = $0 }) }
    init(wrappedValue: Value) { storage = Storage(wrappedValue) }
}

@dynamicMemberLookup struct Binding<Value> {
    let get: () -> Value
    let set: (Value) -> Void

    subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Binding<Member> {
        Binding<Member>(
            get: { get()[keyPath: path] },
            set: { member in
                var value = get()
                value[keyPath: path] = member
                set(value)
            })
    }
}
