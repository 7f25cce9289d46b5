import CoreDataModel

/// The text of a model with the given elements, from line 3.
func modelText(_ body: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
    \(body)
    </model>
    """
}

/// The model with the given elements, from line 3.
func model(_ body: String) throws(ModelError) -> ModelDocument {
    try ModelDocument(xml: modelText(body).utf8)
}

/// What is wrong with a text, one in a line.
func faults(_ text: some Sequence<UInt8>) -> [String] {
    do {
        _ = try ModelDocument(xml: text)
        return []
    } catch {
        return error.findings.map(\.description)
    }
}

/// What is wrong with the model with the given elements, from line 3.
func faults(in body: String) -> [String] { faults(modelText(body).utf8) }

extension ModelDocument {
    /// The notices as text.
    var notes: [String] { notices.map(\.description) }
}

/// The fault of a text, of which there is one.
func fault(_ text: some Sequence<UInt8>) -> String {
    let all = faults(text)
    return all.count == 1 ? all[0] : "\(all.count) faults: \(all)"
}
