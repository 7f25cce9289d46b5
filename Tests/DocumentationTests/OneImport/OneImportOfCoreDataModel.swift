import CoreDataModel
import Foundation
import Testing

/// The file compiles although it imports nothing else of the package.
struct OneImportOfCoreDataModel {
    @Test func bringsSchemas() {
        #expect(throws: ModelError.self) { try Schema(contentsOf: URL(fileURLWithPath: "/nowhere.xcdatamodeld")) }
    }
}
