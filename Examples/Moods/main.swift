import ExampleSupport
import Foundation

let program = Program(output: .standard, makeName: { UUID().uuidString })
exit(await program.run(Array(CommandLine.arguments.dropFirst())))
