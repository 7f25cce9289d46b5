/// A change of a schema that deletes or converts stored data.
///
/// A store makes it only if the app specifies it.
///
/// ```swift
/// let store = try await SQLiteAdapter.open(
///     at: path, schema: newer,
///     migration: [
///         .drop("Book", "shelf"),
///         .convert("Book", "pages"),
///         .fill("Book", "title", with: "untitled"),
///         .dropEntity("Shelf"),
///     ])
/// ```
///
/// A step takes effect only if the file's schema differs from the app's in the named item. So an app can keep its steps
/// forever: they do not change a file that is up to date. A renamed entity or property may have its older or its newer name.
///
/// A step takes effect whichever of the two schemas is newer. An older version of the app with a kept `drop` or
/// `dropEntity` step also drops what a newer version has brought back under the same name. So give a new property or
/// entity a name that no step drops.
///
/// One step converts an attribute, and one fills it, for files of all older versions of the app. Several steps of one kind
/// for an attribute are refused, except for `convert` steps without a function. So the function of a `convert` step
/// converts the values of all older types. An attribute that was renamed twice has several older names, and a file has
/// only one of them. So whether two steps are for one attribute can depend on the file: test the steps with a file of
/// each older version of the app.
///
/// The journal, records in flight and the remote's known versions are changed like the records. So a step makes no local
/// change, and nothing is sent because of it.
///
/// A step that would lose an unsent local change is refused, and the error lists the records. A step with
/// `losingUnsentChanges: true` takes effect nevertheless.
public struct MigrationStep: Sendable {
    /// The name of the entity.
    let entity: String

    /// The name of the property; empty for a step that concerns an entity.
    let property: String

    /// The kind of the step.
    let action: Action

    /// Whether it may lose local changes that were not sent.
    let losesUnsentChanges: Bool

    /// A kind of step.
    enum Action: Sendable {
        case drop
        /// Drops an entity with its records.
        case dropEntity
        /// Converts the values of an attribute, by a function or by the rules of their types.
        case convert((@Sendable (Value) throws -> Value)?)
        /// Sets an attribute of each record that has no value in it.
        case fill(@Sendable (Record) throws -> Value)
    }

    /// Creates a step of an action.
    private init(_ entity: String, _ property: String, _ action: Action, losesUnsentChanges: Bool) {
        self.entity = entity
        self.property = property
        self.action = action
        self.losesUnsentChanges = losesUnsentChanges
    }
}

extension MigrationStep {
    /// Deletes the stored values of a property that the schema does not have, or has as another kind of property.
    ///
    /// - Parameters:
    ///   - entity: The entity that declares the property.
    ///   - property: The attribute or relationship. An attribute of the primary key cannot be dropped.
    ///   - losingUnsentChanges: Whether local changes of the property that were not sent are lost.
    public static func drop(_ entity: String, _ property: String, losingUnsentChanges: Bool = false) -> MigrationStep {
        MigrationStep(entity, property, .drop, losesUnsentChanges: losingUnsentChanges)
    }

    /// Deletes all records of an entity that the schema does not have, or has with another primary key or parent.
    ///
    /// References to these records become null. No delete rule is followed.
    ///
    /// - Parameters:
    ///   - entity: The entity. Entities that inherit it need a step of their own. An entity that ``PersistenceAdapter/add(_:)``
    ///     has added is not dropped.
    ///   - losingUnsentChanges: Whether local changes of the records that were not sent are lost.
    public static func dropEntity(_ entity: String, losingUnsentChanges: Bool = false) -> MigrationStep {
        MigrationStep(entity, "", .dropEntity, losesUnsentChanges: losingUnsentChanges)
    }

    /// Converts the values of an attribute whose type has changed, by the library's own rules.
    ///
    /// A number becomes another kind of number if that is exact. The integers 0 and 1 become a truth value, and a truth
    /// value becomes a number 0 or 1.
    /// Text is read as a number, a truth value, a date, a UUID or a URL, and these are written as text.
    /// Null stays null. A value that cannot be converted is an error that names the record and the value, and the store
    /// is as it was.
    ///
    /// - Parameters:
    ///   - entity: The entity that declares the attribute.
    ///   - attribute: The attribute. One of the primary key cannot be converted.
    ///   - losingUnsentChanges: Whether the migration may lose a local change of the attribute that was not sent. A change
    ///     is lost if both of its values are converted to the same one. If false, that is an error.
    public static func convert(
        _ entity: String, _ attribute: String, losingUnsentChanges: Bool = false
    ) -> MigrationStep {
        MigrationStep(entity, attribute, .convert(nil), losesUnsentChanges: losingUnsentChanges)
    }

    /// Converts the values of an attribute whose type has changed.
    ///
    /// ```swift
    /// let step = MigrationStep.convert("Book", "pages") { value in
    ///     if case .string(let text) = value { return .integer(Int64(text.prefix { $0.isNumber }) ?? 0) }
    ///     return value
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - entity: The entity that declares the attribute.
    ///   - attribute: The attribute. One of the primary key cannot be converted.
    ///   - losingUnsentChanges: Whether the migration may lose a local change of the attribute that was not sent. A change
    ///     is lost if both of its values are converted to the same one. If false, that is an error.
    ///   - conversion: Makes a value of the new type of one of any older type. It is not called for null, and always gives
    ///     the same result for the same value. An error that it throws is reported with the record and the value, and the
    ///     store is as it was.
    public static func convert(
        _ entity: String, _ attribute: String, losingUnsentChanges: Bool = false,
        using conversion: @escaping @Sendable (Value) throws -> Value
    ) -> MigrationStep {
        MigrationStep(entity, attribute, .convert(conversion), losesUnsentChanges: losingUnsentChanges)
    }

    /// Gives a value to the records without one, for an attribute that has become mandatory or is new.
    ///
    /// - Parameters:
    ///   - entity: The entity that declares the attribute.
    ///   - attribute: The attribute.
    ///   - value: The value.
    ///   - losingUnsentChanges: Whether the migration may lose a local change of the attribute that was not sent. A change
    ///     is lost if the value that it has removed is filled in again. If false, that is an error.
    public static func fill(
        _ entity: String, _ attribute: String, with value: Value, losingUnsentChanges: Bool = false
    ) -> MigrationStep {
        MigrationStep(entity, attribute, .fill { _ in value }, losesUnsentChanges: losingUnsentChanges)
    }

    /// Gives a value that is derived from the record to the records without one, for an attribute that has become
    /// mandatory or is new.
    ///
    /// ```swift
    /// let step = MigrationStep.fill("Author", "initial") { author in
    ///     if case .string(let name) = author["name"] { return .string(String(name.prefix(1))) }
    ///     return "?"
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - entity: The entity that declares the attribute.
    ///   - attribute: The attribute.
    ///   - losingUnsentChanges: Whether the migration may lose a local change of the attribute that was not sent. A change
    ///     is lost if the value that it has removed is filled in again. If false, that is an error.
    ///   - value: Returns a value for a record of the older schema, which has its older names and dropped properties. It
    ///     always returns the same value for the same record. An error that it throws is reported with the record, and the
    ///     store does not change.
    public static func fill(
        _ entity: String, _ attribute: String, losingUnsentChanges: Bool = false,
        using value: @escaping @Sendable (Record) throws -> Value
    ) -> MigrationStep {
        MigrationStep(entity, attribute, .fill(value), losesUnsentChanges: losingUnsentChanges)
    }
}

extension MigrationStep: CustomStringConvertible {
    /// The step as source code, for example `.drop("Book", "shelf")`.
    public var description: String {
        switch action {
        case .drop: MigrationStep.text(drop: entity, property)
        case .dropEntity: MigrationStep.text(dropEntity: entity)
        case .convert: MigrationStep.text(convert: entity, property)
        case .fill: MigrationStep.text(fill: entity, property)
        }
    }

    /// Returns the code of a step that drops a property, for errors.
    static func text(drop entity: String, _ property: String) -> String {
        ".drop(\(entity.debugDescription), \(property.debugDescription))"
    }

    /// Returns the code of a step that drops an entity, for errors.
    static func text(dropEntity entity: String) -> String { ".dropEntity(\(entity.debugDescription))" }

    /// Returns the code of a step that converts an attribute, for errors.
    static func text(convert entity: String, _ attribute: String) -> String {
        ".convert(\(entity.debugDescription), \(attribute.debugDescription))"
    }

    /// Returns the code of a step that fills an attribute, for errors.
    static func text(fill entity: String, _ attribute: String) -> String {
        ".fill(\(entity.debugDescription), \(attribute.debugDescription), with: …)"
    }
}
