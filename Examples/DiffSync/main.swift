import ExampleSupport
import Foundation

exit(Program(output: .standard).run(Array(CommandLine.arguments.dropFirst())))
