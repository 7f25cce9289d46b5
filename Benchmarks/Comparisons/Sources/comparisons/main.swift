import BenchmarkSupport
import Foundation

let usage = """
    usage: comparisons [--suite diff,merge] [--size 1000,100000] [--filter TEXT] [--rounds N] [--json FILE]

    This library against the ordered types of swift-collections. The options are those of the root package's benchmarks.
    """

do {
    #if DEBUG
        print("This is a debug build: nothing it prints is worth comparing. Run it with -c release.\n")
    #endif
    let options = try Runner.Options(Array(CommandLine.arguments.dropFirst()), suites: ["diff", "merge"])
    var runner = Runner(options: options)
    let sizes = options.sizes(default: [10_000, 100_000, 1_000_000])
    OrderedDiffSuite.run(&runner, sizes: sizes)
    OrderedMergeSuite.run(&runner, sizes: sizes)
    try runner.writeJSON()
} catch let error as Runner.UsageError {
    FileHandle.standardError.write(Data("comparisons: \(error)\n\n\(usage)\n".utf8))
    exit(2)
} catch {
    FileHandle.standardError.write(Data("comparisons: \(error)\n".utf8))
    exit(1)
}
