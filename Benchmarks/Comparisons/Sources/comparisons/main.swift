import BenchmarkSupport

let usage = """
    usage: comparisons [--suite merge,diff] [--size 1000,100000] [--filter TEXT] [--rounds N] [--json FILE]

    This library against the ordered types of swift-collections. The options are those of the root package's benchmarks.
    """

Runner.run(program: "comparisons", usage: usage, suites: ["merge", "diff"], sizes: [10_000, 100_000, 1_000_000]) {
    runner, sizes in
    OrderedMergeSuite.run(&runner, sizes: sizes)
    OrderedDiffSuite.run(&runner, sizes: sizes)
}
