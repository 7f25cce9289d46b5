import Foundation
import SyncServer

exit(await SyncServer.run(CommandLine.arguments.dropFirst()))
