import ExampleSupport
import Foundation

let help = """
    pictures: draws the pictures of README and guides.

      pictures [FOLDER]      writes them to the folder, Documentation/Pictures unless another is given
      pictures --help        this text
    """
let folder = PathCommand.path(of: "pictures", help: help) ?? "Documentation/Pictures"
do {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, draw) in Pictures.all {
        let path = "\(folder)/\(name).svg"
        try Data(try draw().utf8).write(to: URL(fileURLWithPath: path))
        print(path)
    }
} catch {
    FileHandle.standardError.write(Data("pictures: \(error)\n".utf8))
    exit(ExitCode.failure)
}
