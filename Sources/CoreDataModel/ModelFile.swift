#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The `contents` file of a model, found in its folders.
///
/// ```
/// Library.xcdatamodeld/
///     .xccurrentversion
///     Library.xcdatamodel/contents
///     Library 2.xcdatamodel/contents
/// ```
struct ModelFile {
    /// The path of the file.
    let path: String

    /// Finds the file at a path, or in the folder at that path.
    ///
    /// - Parameter path: The path of a `contents` file, a `.xcdatamodel` folder or a `.xcdatamodeld` folder.
    /// - Throws: `ModelError` if there is none.
    init(at path: String) throws(ModelError) {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let isFolder = ModelFile.isFolder(path) else {
            throw ModelFile.error(path, "there is no such file or folder: correct the path")
        }
        if !isFolder {
            self.path = path
            return
        }
        let folder = path.hasSuffix(".xcdatamodeld") ? try ModelFile.currentVersion(in: path) : path
        self.path = folder + "/contents"
        guard ModelFile.isFolder(self.path) == false else {
            throw ModelFile.error(
                folder,
                "it holds no file 'contents': give a folder .xcdatamodeld or .xcdatamodel, not a compiled model or "
                    + "another folder")
        }
    }

    /// Returns the bytes of the file.
    ///
    /// - Throws: `ModelError` if it is too large or cannot be read.
    func contents() throws(ModelError) -> [UInt8] { try ModelFile.contents(of: path) }
}

extension ModelFile {
    /// The end of the name of a version's folder.
    private static let suffix = ".xcdatamodel"

    /// Returns an error with one finding about a file or folder.
    private static func error(_ path: String, _ message: String) -> ModelError {
        ModelError(.file, path: path, [ModelFinding(message)])
    }

    /// Returns whether the item at a path is a folder; nil if there is none.
    private static func isFolder(_ path: String) -> Bool? {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) ? isFolder : nil
    }

    /// Returns the bytes of the regular file at a path, which may be a symbolic link.
    ///
    /// - Throws: `ModelError` if it is a folder or device, is too large, or cannot be read.
    private static func contents(of path: String) throws(ModelError) -> [UInt8] {
        do {
            let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw ModelFile.error(path, "it is no file: give the file 'contents' of a model, or its folder")
            }
            // The integer type differs by platform.
            let size = (attributes[.size] as? any BinaryInteger).map { Int(clamping: $0) } ?? attributes[.size] as? Int
            if let size, size > ModelLimits.byteCount { throw MarkupReader.tooLarge }
            return [UInt8](try Data(contentsOf: file))
        } catch var error as ModelError {
            error.path = path
            throw error
        } catch {
            throw ModelFile.error(path, "it cannot be read: \(error)")
        }
    }

    /// Returns the path of the version that `.xccurrentversion` names, or of the only version.
    ///
    /// Xcode omits the file while a model has one version.
    ///
    /// - Throws: `ModelError` if there is no version, or if several exist and none is named.
    private static func currentVersion(in folder: String) throws(ModelError) -> String {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw ModelFile.error(folder, "it cannot be read: \(error)")
        }
        let versions = names.filter { $0.hasSuffix(suffix) && isFolder("\(folder)/\($0)") == true }.sorted()
        if versions.isEmpty { throw error(folder, "it holds no folder .xcdatamodel: there is no model in it") }
        let list = versions.map { "'\($0)'" }.joined(separator: ", ")
        if let name = try currentVersionName(in: folder) {
            if !versions.contains(name) {
                throw error(
                    folder,
                    "'.xccurrentversion' names '\(name)', which is not there: name one of \(list), or give its path")
            }
            return "\(folder)/\(name)"
        }
        if versions.count > 1 {
            throw error(
                folder,
                "it holds \(versions.count) versions, and no '.xccurrentversion' says which is current: give the path "
                    + "of one of \(list)")
        }
        return "\(folder)/\(versions[0])"
    }

    /// Returns the name in `.xccurrentversion`, a property list with one key; nil if the file or the key is missing.
    private static func currentVersionName(in folder: String) throws(ModelError) -> String? {
        let path = "\(folder)/.xccurrentversion"
        if isFolder(path) == nil { return nil }
        do {
            let list = try MarkupReader.read(contents(of: path), allowsDocumentType: true)
            let entries = list.children.first { $0.name == "dict" }?.children ?? []
            guard let key = entries.firstIndex(where: { $0.name == "key" && $0.text == "_XCCurrentVersionName" }),
                entries.indices.contains(key + 1), entries[key + 1].name == "string"
            else { return nil }
            return entries[key + 1].text
        } catch {
            var error = error
            error.path = path
            throw error
        }
    }
}
