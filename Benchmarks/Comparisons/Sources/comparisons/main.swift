import BenchmarkSupport

let usage = """
    usage: comparisons [--suite merge,persistence,diff] [--size 1000,100000] [--filter TEXT] [--rounds N] [--json FILE] [--check]

    This library against the ordered types of swift-collections, and its store against GRDB. The options are those of the
    root package's benchmarks.
    """

Runner.run(
    program: "comparisons", usage: usage, suites: ["merge", GRDBSuite.name, "diff"],
    sizes: [10_000, 100_000, 1_000_000], targets: GRDBSuite.targets
) { runner, sizes in
    OrderedMergeSuite.run(&runner, sizes: sizes)
    GRDBSuite.run(&runner, sizes: sizes)
    OrderedDiffSuite.run(&runner, sizes: sizes)
}
