import BenchmarkSupport

let usage = """
    usage: comparisons [--suite merge,persistence,entities,diff] [--size 1000,100000] [--filter TEXT] [--rounds N] [--json FILE] [--check]

    This library against the ordered types of swift-collections, its store against GRDB, and its sync of JSON against
    JSONDecoder with GRDB. The options are those of the root package's benchmarks.
    """

Runner.run(
    program: "comparisons", usage: usage, suites: ["merge", GRDBSuite.name, DecodingSuite.name, "diff"],
    sizes: [10_000, 100_000, 1_000_000], targets: GRDBSuite.targets + DecodingSuite.targets
) { runner, sizes in
    OrderedMergeSuite.run(&runner, sizes: sizes)
    GRDBSuite.run(&runner, sizes: sizes)
    DecodingSuite.run(&runner)
    OrderedDiffSuite.run(&runner, sizes: sizes)
}
