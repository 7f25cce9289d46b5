import DifferentialSync
import DifferentialSyncTesting
import RecordFiles
import TestSupport
import Testing

@testable import demo

struct AddressBookTourTests {
    @Test func itShowsEachStep() {
        let run = ProgramRun(["tour"])
        #expect(run.exitCode == 0)
        #expect(run.errors == [])
        #expect(run.output.joined(separator: "\n") == Self.golden)
    }

    @Test func itIsTheSameInColour() {
        let plain = ProgramRun(["tour", "--plain"], isTerminal: true)
        let colored = ProgramRun(["tour"], isTerminal: true)
        #expect(plain.output.joined(separator: "\n") == Self.golden)
        #expect(colored.output.map(Self.withoutColors) == plain.output)
        for (line, plain) in zip(colored.output, plain.output) {
            let text = plain.drop { $0 == " " }
            let color = ["+": "32", "-": "31", "~": "33", "!": "33", "✓": "32"][text.prefix(1)]
            if let color { #expect(line.contains("\u{1B}[\(color)m")) }
        }
    }

    static func withoutColors(_ line: String) -> String {
        line.replacing(/\u{1B}\[[0-9]+m/, with: "")
    }

    @Test func aDisagreementIsFound() throws {
        var lines: [String] = []
        let console = Console(isColored: false) { lines.append($0) }
        let agree = try AddressBookTour(console).run { devices in
            devices.remote.reset(to: devices.remote.elements.filter { $0.id != 7 })
            try devices.tablet.edit(1) { $0.phone = "0000" }
        }
        #expect(!agree)
        #expect(
            Array(lines.suffix(6)) == [
                "✗ phone, tablet and remote do not agree: they have 6, 6 and 5 contacts",
                "   from the remote to the phone:",
                #"     + {id: 7, name: "Donald Knuth", phone: "0107", email: "don@mail.example"}"#,
                "   from the remote to the tablet:",
                #"     + {id: 7, name: "Donald Knuth", phone: "0107", email: "don@mail.example"}"#,
                #"     ~ {id: 1, name: "Ada Lovelace", phone: "0101" → "0000", …}"#,
            ])
    }

    @Test func aDisagreementOfOneDeviceIsFound() throws {
        for device in [Device.phone, .tablet] {
            let agree = try AddressBookTour(Console(isColored: false) { _ in }).run { $0[device].remove(1) }
            #expect(!agree)
        }
    }

    static let golden = #"""
        A phone and a tablet share an address book

        1  First contact
           The phone has five contacts, the tablet none, and the remote is empty.

           phone offline: 5 added
             + {id: 1, name: "Ada Lovelace", phone: "0101", email: "ada@mail.example"}
             + {id: 2, name: "Alan Turing", phone: "0102", email: "alan@mail.example"}
             + {id: 3, name: "Edsger Dijkstra", phone: "0103", email: "edsger@mail.example"}
             + {id: 4, name: "Grace Hopper", phone: "0104", email: "g@mail.example"}
             + {id: 5, name: "Old Landlord", phone: "0105", email: "rent@mail.example"}

           phone ⇄ remote   pull, push accepted                    pushed 5 added
           tablet ⇄ remote  full pull                              pulled 5 added

        2  Additions, edits and deletions
           Both devices are offline, and both are edited.
           The tablet gets in between, so the phone's push is refused: it pulls, merges and pushes again.

           phone offline: 1 added, 1 replaced
             + {id: 6, name: "Barbara Liskov", phone: "0106", email: "b@mail.example"}
             ~ {id: 2, name: "Alan Turing", phone: "0102" → "0202", …}
           tablet offline: 1 added, 1 deleted
             + {id: 7, name: "Donald Knuth", phone: "0107", email: "don@mail.example"}
             - {id: 5, name: "Old Landlord", phone: "0105", email: "rent@mail.example"}

           tablet ⇄ remote  push accepted                          pushed 1 added, 1 deleted
           phone ⇄ remote   push refused, pull, push accepted      pulled 1 added, 1 deleted; pushed 1 added, 1 replaced
           tablet ⇄ remote  pull                                   pulled 1 added, 1 replaced

        3  An edit against an edit
           Both devices edit the same contact: fields that only one of them changed are taken from it,
           and of two new names the one that reached the remote first stands.

           phone offline: 1 replaced
             ~ {id: 4, email: "g@mail.example", name: "Grace Hopper" → "Dr Grace Hopper", phone: "0104" → "0404"}
           tablet offline: 1 replaced
             ~ {id: 4, phone: "0104", name: "Grace Hopper" → "Amazing Grace", email: "g@mail.example" → "g@usn.example"}

           phone ⇄ remote   push accepted                          pushed 1 replaced
           tablet ⇄ remote  push refused, pull, push accepted      pulled 1 replaced; pushed 1 replaced; 1 conflict resolved
             ! Grace Hopper: the tablet and the phone edited it differently; merged field by field
               ~ {id: 4, name: "Grace Hopper" → "Dr Grace Hopper", phone: "0104" → "0404", email: "g@mail.example" → "g@usn.exa…}
           phone ⇄ remote   pull                                   pulled 1 replaced

        4  An edit against a deletion
           Only the user can say which is meant: the conflict stays open, the contact stays as it is on
           either side, and comes up again with each sync of the tablet. Everything else goes on.

           phone offline: 1 deleted
             - {id: 3, name: "Edsger Dijkstra", phone: "0103", email: "edsger@mail.example"}
           tablet offline: 1 replaced
             ~ {id: 3, name: "Edsger Dijkstra", phone: "0103" → "0303", …}

           phone ⇄ remote   push accepted                          pushed 1 deleted
           tablet ⇄ remote  push refused, pull                     nothing changed; 1 conflict open
             ! Edsger Dijkstra: the tablet edited it, the phone deleted it; left open

           tablet offline: 2 replaced
             ~ {id: 1, name: "Ada Lovelace", email: "ada@mail.example" → "ada@engine.example", …}
             ~ {id: 3, name: "Edsger Dijkstra", phone: "0103" → "0303", …}

           tablet ⇄ remote  pull, push accepted                    pushed 1 replaced; 1 conflict open
             ! Edsger Dijkstra: the tablet edited it, the phone deleted it; left open
           phone ⇄ remote   pull                                   pulled 1 replaced

        5  The user resolves it
           On the tablet, the user chooses to keep the contact.

           tablet offline: 1 added
             + {id: 3, name: "Edsger Dijkstra", phone: "0303", email: "edsger@mail.example"}

           tablet ⇄ remote  push accepted                          pushed 1 added
           phone ⇄ remote   pull                                   pulled 1 added

        ✓ phone, tablet and remote agree: 6 contacts
        """#
}
