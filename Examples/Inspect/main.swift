import ExampleSupport
import Foundation

exit(await Program(output: .standard).run(Array(CommandLine.arguments.dropFirst())))
