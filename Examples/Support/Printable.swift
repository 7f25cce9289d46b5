/// Returns a text without characters that a terminal would obey: names and keys come from a file.
package func printable(_ text: some StringProtocol) -> String {
    var printable = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        printable.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
    }
    return String(printable)
}
