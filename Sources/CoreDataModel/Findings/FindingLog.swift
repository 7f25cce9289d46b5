/// The findings of a model, collected while it is read.
struct FindingLog {
    /// What makes the model unusable, in the order of reading.
    private(set) var faults: [ModelFinding] = []

    /// The skipped parts, in the order of reading.
    private(set) var notices: [ModelFinding] = []

    /// Records a fault.
    ///
    /// - Parameters:
    ///   - position: The place of the fault; nil for a fault of an entity that the file does not have.
    ///   - subject: The entity or property, such as `User.name`; nil for other faults.
    ///   - message: The problem and the remedy.
    mutating func fault(_ position: MarkupPosition?, _ subject: String?, _ message: String) {
        faults.append(ModelFinding(message, at: position, subject: subject))
    }

    /// Records a notice about a skipped part, with the parameters of a fault, but always with a place.
    mutating func notice(_ position: MarkupPosition, _ subject: String?, _ message: String) {
        notices.append(ModelFinding(message, at: position, subject: subject))
    }
}
