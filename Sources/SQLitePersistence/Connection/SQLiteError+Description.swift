extension SQLiteError {
    /// The advice that the description ends with: what a user or developer can do about the failure.
    var remedy: String {
        switch code {
        case .locked:
            "another connection is writing; try again, or allow it a longer busy timeout"
        case .full:
            "free some space, and try again"
        case .readOnly:
            "make the file and its folder writable, and write in a write rather than in a read"
        case .notADatabase:
            "name another path, or move the file away; it was not changed"
        case .corrupt:
            "restore the file from a copy, or save what is left of it: \(Format.rescue)"
        case .structure:
            "was the file changed by another program? Restore it from a copy"
        case .movedFile:
            "nothing of this transaction is stored; close this store, and open the file where it is now"
        case .cannotOpen:
            "see that its folder exists, that it is not a folder itself, and that this program may read and write both"
        case .newerFormat:
            "update this program; the file was not changed"
        case .foreignFile:
            "name another path; the file was not changed. If it was made from a '.dump' of a file of this library, it needs "
                + "\(Format.pragmas)"
        case .noWriteAheadLog:
            "keep the file on a local disk"
        case .constraint:
            "write what the constraint allows"
        case .ioFailure:
            "see that the disk works and is connected, and open the database again"
        case .tooBig:
            "store less in one value, or do it in several statements"
        case .notANumber:
            "store a number, or NULL"
        case .interrupted:
            "run it again if its result is still wanted"
        case .closed:
            "open it again, and close it after the last use"
        default:
            "look the number up at sqlite.org/rescode.html"
        }
    }
}

extension SQLiteError: CustomStringConvertible {
    /// The failure, where it happened, and the remedy.
    var description: String { detail(at: path) + ": " + remedy }

    /// Returns the message with SQLite's code, the path if one is given, and the statement.
    func detail(at path: String? = nil) -> String {
        var text = message
        if extendedCode != 0 { text += " (SQLite \(extendedCode))" }
        if let path { text += ", at '\(path)'" }
        if let sql { text += ", in '\(sql)'" }
        return text
    }
}
