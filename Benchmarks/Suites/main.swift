import BenchmarkSupport
import Foundation

let usage = """
    usage: benchmarks [--suite merge,cycle,persistence,entities,store,coordination,server,diff,json] [--size 1000,100000] [--filter TEXT] [--rounds N] [--json FILE] [--check]

      --suite   the suites to run; all unless given
      --size    the numbers of elements; 1,000 to 1,000,000 unless given
      --filter  only lines that contain the text, such as "UUID strings, shuffled"
      --rounds  how often each contestant runs; as often as fits in a second, five times at least, unless given
      --json    also write what was measured to a file
      --check   exit with an error unless every target is met
    """

#if canImport(PostgreSQLPersistence)
    if PushWorker.run(CommandLine.arguments) { exit(0) }
#endif

Runner.run(
    program: "benchmarks", usage: usage,
    suites: [
        MergeSuite.name, CycleSuite.name, PersistenceSuite.name, EntitySuite.name, StoreSuite.name,
        CoordinationSuite.name, ServerSuite.name, DiffSuite.name, JSONSuite.name,
    ],
    sizes: [1_000, 10_000, 100_000, 1_000_000],
    targets: DiffSuite.targets + MergeSuite.targets + CycleSuite.targets + PersistenceSuite.targets
        + EntitySuite.targets + StoreSuite.targets + CoordinationSuite.targets + ServerSuite.targets
        + JSONSuite.targets
) { runner, sizes in
    // Diffs and JSON come last: their workloads leave the heap scattered, and a copy or merge of strings feels that.
    MergeSuite.run(TextRecord.self, &runner, sizes: sizes)
    MergeSuite.run(IntegerRecord.self, &runner, sizes: sizes)
    CycleSuite.run(&runner, sizes: sizes)
    PersistenceSuite.run(&runner, sizes: sizes)
    EntitySuite.run(&runner, sizes: sizes)
    StoreSuite.run(&runner, sizes: sizes)
    CoordinationSuite.run(&runner, sizes: sizes)
    ServerSuite.run(&runner, sizes: sizes)
    DiffSuite.run(TextRecord.self, &runner, sizes: sizes)
    DiffSuite.run(IntegerRecord.self, &runner, sizes: sizes)
    JSONSuite.run(&runner, sizes: sizes)
}
