/// A page without other files, for light and dark screens.
package struct HTMLPage {
    private let title: String
    private var styles = ""
    private var parts = ""

    /// Creates a page with nothing but a title.
    package init(_ title: String) { self.title = title }

    /// Adds a part at the end.
    ///
    /// - Parameters:
    ///   - part: The markup.
    ///   - style: Its rules of CSS.
    package mutating func add(_ part: String, style: String) {
        parts += part
        styles += style
    }

    /// The text of the page.
    package var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>\(htmlEscaped(title))</title>
        <style>
        body { font: 15px/1.5 system-ui, sans-serif; margin: 2em; color: #222; background: #fff }
        \(styles)@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b } }
        </style>
        <h1>\(htmlEscaped(title))</h1>
        \(parts)</html>

        """
    }
}
