import SyncValues

/// A schema of JSON values, with those keywords that `openapi.json` uses.
struct JSONSchema: Sendable {
    /// The name of the schema that is meant instead; nil for a schema of its own.
    var reference: String?
    /// The allowed types; nil for all.
    var types: [String]?
    /// The schemas one of which must fit; empty for none.
    var alternatives: [JSONSchema] = []
    var required: [String] = []
    var properties: [String: JSONSchema] = [:]
    /// The schema of all other members, if there is one.
    var others: [JSONSchema] = []
    /// The schema of the items of an array, if there is one.
    var items: [JSONSchema] = []
    var minimum: Int64?
    var minimumLength: Int64?
    var choices: [Value]?
    var pattern: String?

    /// A document that uses another keyword.
    struct UnknownKeyword: Error { let name: String }

    init(_ value: Value) throws {
        guard case .object(let object) = value else { throw UnknownKeyword(name: "a schema must be an object") }
        for member in object.members {
            switch (member.name, member.value) {
            case ("$ref", .string(let path)): reference = path.split(separator: "/").last.map(String.init)
            case ("type", .string(let name)): types = [name]
            case ("type", .array(let names)): types = names.compactMap(\.text)
            case ("anyOf", .array(let schemas)): alternatives = try schemas.map { try JSONSchema($0) }
            case ("required", .array(let names)): required = names.compactMap(\.text)
            case ("properties", .object(let object)):
                for property in object.members { properties[property.name] = try JSONSchema(property.value) }
            case ("additionalProperties", let value): others = [try JSONSchema(value)]
            case ("items", let value): items = [try JSONSchema(value)]
            case ("minimum", .integer(let number)): minimum = number
            case ("minLength", .integer(let number)): minimumLength = number
            case ("const", let value): choices = [value]
            case ("enum", .array(let values)): choices = values
            case ("pattern", .string(let text)): pattern = text
            case ("description", _): break
            default: throw UnknownKeyword(name: member.name)
            }
        }
    }
}

/// The schemas of a document by name.
struct JSONSchemas: Sendable {
    var named: [String: JSONSchema] = [:]

    /// Returns the schema that another one refers to, or itself.
    func resolved(_ schema: JSONSchema) -> JSONSchema {
        guard let reference = schema.reference, let target = named[reference] else { return schema }
        return resolved(target)
    }

    /// Returns the places at which a value does not conform.
    func problems(_ value: Value, _ schema: JSONSchema, at path: String = "$") -> [String] {
        let schema = resolved(schema)
        if schema.reference != nil { return ["\(path): the schema is missing"] }
        if let types = schema.types, !types.contains(where: value.isOf) { return ["\(path): not of the type \(types)"] }
        if !schema.alternatives.isEmpty, !schema.alternatives.contains(where: { self.problems(value, $0).isEmpty }) {
            return ["\(path): none of the alternatives"]
        }
        var problems: [String] = []
        if let choices = schema.choices, !choices.contains(value) { problems.append("\(path): none of the choices") }
        switch value {
        case .integer(let number):
            if let minimum = schema.minimum, number < minimum { problems.append("\(path): below \(minimum)") }
        case .string(let text):
            if let length = schema.minimumLength, text.unicodeScalars.count < length {
                problems.append("\(path): shorter than \(length)")
            }
            if let pattern = schema.pattern, (try? Regex(pattern).wholeMatch(in: text)) == nil {
                problems.append("\(path): not of the pattern")
            }
        case .array(let values):
            for (index, value) in values.enumerated() {
                for item in schema.items { problems += self.problems(value, item, at: "\(path).\(index)") }
            }
        case .object(let object):
            for name in schema.required where object[name] == nil { problems.append("\(path).\(name): missing") }
            for member in object.members {
                for schema in schema.properties[member.name].map({ [$0] }) ?? schema.others {
                    problems += self.problems(member.value, schema, at: "\(path).\(member.name)")
                }
            }
        default: break
        }
        return problems
    }
}

extension Value {
    /// The text of a string.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The object.
    var object: ValueObject? { if case .object(let object) = self { object } else { nil } }

    /// Whether the value has a type of JSON schemas.
    func isOf(_ type: String) -> Bool {
        switch (self, type) {
        case (.object, "object"), (.array, "array"), (.string, "string"), (.integer, "integer"), (.bool, "boolean"),
            (.null, "null"), (.integer, "number"), (.double, "number"):
            true
        case (.double(let number), "integer"): number.rounded() == number
        default: false
        }
    }
}
