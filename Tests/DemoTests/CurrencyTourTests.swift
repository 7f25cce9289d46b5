import DifferentialSync
import RecordFiles
import TestSupport
import Testing

@testable import demo

struct CurrencyTourTests {
    static var silent: Console { Console(isColored: false) { _ in } }

    @Test func itShowsEachStep() {
        let run = ProgramRun(["currencies"])
        #expect(run.exitCode == 0)
        #expect(run.errors == [])
        #expect(run.output.joined(separator: "\n") == Self.golden)
    }

    @Test func withoutACommandBothToursAreShown() {
        let run = ProgramRun([])
        #expect(run.exitCode == 0)
        #expect(run.output == ProgramRun(["tour"]).output + ["", ""] + ProgramRun(["currencies"]).output)
    }

    @Test func aDisagreementIsFound() throws {
        var lines: [String] = []
        let tour = try CurrencyTour(Console(isColored: false) { lines.append($0) })
        #expect(try !tour.run { $0.phone.remove(RecordKey("EUR")) })
        #expect(lines.contains("✗ phone, tablet and remote do not agree: they have 178, 179 and 179 currencies"))
        #expect(lines.last == "✓ it is the list of 2024 with the six edits of the phone's user")
    }

    @Test func whatNobodyExpectsIsFound() throws {
        var lines: [String] = []
        let tour = try CurrencyTour(Console(isColored: false) { lines.append($0) })
        let isAsExpected = try tour.run { devices in
            // All three agree, on something else.
            devices.phone.remove(RecordKey("EUR"))
            for device in [Device.phone, .tablet] { try devices.sync(device, policy: .localWins) }
        }
        #expect(!isAsExpected)
        #expect(
            Array(lines.suffix(2)) == [
                "✓ phone, tablet and remote agree: 178 currencies",
                "✗ it is not the list of 2024 with the six edits of the phone's user",
            ])
    }

    @Test func theListsAreAsTheStandardHasThem() throws {
        let tour = try CurrencyTour(Self.silent)
        #expect([tour.old.count, tour.middle.count, tour.new.count] == [182, 179, 178])
        func codes(_ records: [Record]) -> Set<JSONValue> { Set(records.compactMap { $0["code"] }) }
        func changes(_ new: [Record], _ old: [Record]) -> (added: Set<JSONValue>, gone: Set<JSONValue>) {
            (codes(new).subtracting(codes(old)), codes(old).subtracting(codes(new)))
        }
        let first = changes(tour.middle, tour.old)
        #expect(first.added == ["BYN", "MRU", "STN", "UYW", "VES", "ZMW"])
        #expect(first.gone == ["BYR", "LTL", "LVL", "MRO", "STD", "USS", "VEF", "XFU", "ZMK"])
        let second = changes(tour.new, tour.middle)
        #expect(second.added == ["SLE", "VED", "ZWG"])
        #expect(second.gone == ["CUC", "HRK", "SLL", "ZWL"])
    }

    @Test func theRecordsAreWellFormed() throws {
        let tour = try CurrencyTour(Self.silent)
        for list in [tour.old, tour.middle, tour.new] {
            var numbers: Set<JSONValue> = []
            for record in list {
                #expect(Set(record.keys) == ["code", "name", "numeric", "minorUnits"])
                guard case .string(let code)? = record["code"], case .string? = record["name"] else {
                    Issue.record("\(record)")
                    continue
                }
                #expect(code.wholeMatch(of: /[A-Z]{3}/) != nil)
                switch record["numeric"] {
                case .string(let digits)?:
                    #expect(digits.wholeMatch(of: /[0-9]{3}/) != nil)
                    #expect(numbers.insert(.string(digits)).inserted, "\(code)")
                default: #expect(code == "XFU")
                }
                switch record["minorUnits"] {
                case .number(let digits)?: #expect(["0", "2", "3", "4"].contains(digits))
                default: #expect(code.hasPrefix("X"))
                }
            }
            #expect(list.map { "\($0["code"]!)" } == list.map { "\($0["code"]!)" }.sorted())
        }
    }

    static let golden = #"""
        Real data: the currency codes of ISO 4217

        1  Both devices pull the list of 2012

           phone ⇄ remote   full pull                              pulled 182 added
           tablet ⇄ remote  full pull                              pulled 182 added

        2  Offline, the lists grow apart
           The phone is brought to 2018 and edited by its user; the tablet is brought to 2024.

           phone offline: 7 added, 10 deleted, 14 replaced
             + {code: "BYN", minorUnits: 2, name: "Belarusian Ruble", numeric: "933"}
             + {code: "MRU", minorUnits: 2, name: "Ouguiya", numeric: "929"}
             + {code: "STN", minorUnits: 2, name: "Dobra", numeric: "930"}
             + … 4 more
             - {code: "BYR", minorUnits: 0, name: "Belarussian Ruble", numeric: "974"}
             - {code: "LTL", minorUnits: 2, name: "Lithuanian Litas", numeric: "440"}
             - {code: "LVL", minorUnits: 2, name: "Latvian Lats", numeric: "428"}
             - … 7 more
             ~ {code: "AZN", minorUnits: 2, name: "Azerbaijanian Manat" → "Azerbaijan Manat", …}
             ~ {code: "CLF", minorUnits: 0 → 4, name: "Unidades de fomento" → "Unidad de Fomento", …}
             ~ {code: "CVE", minorUnits: 2, name: "Cape Verde Escudo" → "Cabo Verde Escudo", …}
             ~ … 11 more
           tablet offline: 9 added, 13 deleted, 11 replaced
             + {code: "BYN", minorUnits: 2, name: "Belarusian Ruble", numeric: "933"}
             + {code: "MRU", minorUnits: 2, name: "Ouguiya", numeric: "929"}
             + {code: "SLE", minorUnits: 2, name: "Leone", numeric: "925"}
             + … 6 more
             - {code: "BYR", minorUnits: 0, name: "Belarussian Ruble", numeric: "974"}
             - {code: "CUC", minorUnits: 2, name: "Peso Convertible", numeric: "931"}
             - {code: "HRK", minorUnits: 2, name: "Croatian Kuna", numeric: "191"}
             - … 10 more
             ~ {code: "AZN", minorUnits: 2, name: "Azerbaijanian Manat" → "Azerbaijan Manat", …}
             ~ {code: "CLF", minorUnits: 0 → 4, name: "Unidades de fomento" → "Unidad de Fomento", …}
             ~ {code: "CVE", minorUnits: 2, name: "Cape Verde Escudo" → "Cabo Verde Escudo", …}
             ~ … 8 more

        3  They synchronize
           What both lists changed alike is no conflict; only real ones are asked about.

           phone ⇄ remote   push accepted                          pushed 7 added, 10 deleted, 14 replaced
           tablet ⇄ remote  push refused, full pull, push accepted pulled 2 added, 1 deleted, 3 replaced; pushed 3 added, 3 deleted; 2 conflicts resolved
             ! HRK: the tablet deleted it, the phone edited it; the phone's version stands
               ~ {code: "HRK", name: "Croatian Kuna" → "Kuna", note: none → "coins left from the holiday", …}
             ! VES: the tablet and the phone added it differently; merged field by field
               + {code: "VES", minorUnits: 2, name: "Bolívar", numeric: "928"}
           phone ⇄ remote   pull                                   pulled 3 added, 3 deleted

        ✓ phone, tablet and remote agree: 179 currencies
        ✓ it is the list of 2024 with the six edits of the phone's user
        """#
}
