/// Returns a name as a quoted SQL identifier: `say "hi"` becomes `"say ""hi"""`.
package func quoted(_ name: String) -> String {
    precondition(!name.isEmpty, "a name in SQL cannot be empty")
    var text = "\""
    for scalar in name.unicodeScalars {
        precondition(scalar != "\0", "a name in SQL cannot have a NUL in it")
        if scalar == "\"" { text.unicodeScalars.append(scalar) }
        text.unicodeScalars.append(scalar)
    }
    return text + "\""
}
