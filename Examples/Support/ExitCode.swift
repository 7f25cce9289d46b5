/// What a program reports to its caller when it ends.
package enum ExitCode {
    package static let success: Int32 = 0
    /// It could not do what it was asked for.
    package static let failure: Int32 = 1
    /// The command line is wrong: `EX_USAGE` of `sysexits.h`.
    package static let usage: Int32 = 64
}
