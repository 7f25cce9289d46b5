# What a developer runs. `make help` lists it.
.PHONY: help setup demo serve test server-test full-scale sanitize bench comparisons check docs pictures format

# Swift Testing runs the tests; the library has none for XCTest. FLAGS are those of the caller. Without a width, thousands of
# tests run at once, and each step of one waits for steps of all others: on a slow machine, requests then time out.
TEST = SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 swift test --quiet --disable-xctest $(FLAGS)

STRICT = -Xswiftc -warnings-as-errors

# What no check needs: information for debuggers, and an index of system modules. A build takes 0.87 times as long without.
LEAN = -debug-info-format none -Xswiftc -index-ignore-system-modules

# The sources of the nested package; its folder also has its build.
SERVER = Server/Package.swift Server/Sources Server/Tests

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

setup:
	@Scripts/setup

demo: setup ## devices edit offline and sync: collections through a remote, and related records over a folder
	@test -d .build/debug || echo "Building the demo for the first time, which takes a few minutes …"
	@swift build --product demo
	@swift build --product moods
	@swift run --skip-build demo
	@swift run --skip-build moods --timeline .build/moods.html

serve: setup ## the server with SQLite, a schema of notes and a fixed token, on this machine alone
	@test -d Server/.build/debug || echo "Building the server for the first time, which takes a few minutes …"
	@swift run --package-path Server sync-server --development --schema Server/demo.schema.json --database sqlite:Server/.build/demo/

test: setup ## all tests, with invariant checks, in a debug build
	DIFFSYNC_INVARIANTS=1 $(TEST) --scratch-path .build/invariants --skip LoadTests
	@# Servers under load take the processors from all other tests, and these from them.
	DIFFSYNC_INVARIANTS=1 $(TEST) --scratch-path .build/invariants --skip-build --filter LoadTests

server-test: setup ## the tests of the server, a nested package whose dependencies are fetched
	@swift package --package-path Server resolve >/dev/null || { echo "error: the packages of Server/Package.swift cannot be fetched from https://github.com: the server is not tested without a network" >&2; exit 1; }
	$(TEST) --package-path Server

full-scale: setup ## all tests at full scale in a release build, which takes about 15 minutes
	DIFFSYNC_FULL_SCALE=1 $(TEST) --configuration release --scratch-path .build/full-scale

sanitize: setup ## the concurrent tests under the thread sanitizer, where the toolchain has one that works
	$(TEST) --sanitize thread --scratch-path .build/sanitize --filter Concurren

bench: setup ## what the library costs, against peers and lower bounds
	swift run --configuration release benchmarks

comparisons: setup ## the same against third-party packages, which are fetched
	swift run --configuration release --package-path Benchmarks/Comparisons comparisons

check: setup ## format, layers, warnings as errors, tests, the server, an adapter of another package, documentation
	Scripts/check-format
	Scripts/check-layers
	$(MAKE) test FLAGS="$(STRICT) $(LEAN)"
	$(MAKE) server-test FLAGS="$(LEAN)"
	Scripts/check-adapter
	FLAGS="$(STRICT) $(LEAN)" Scripts/check-docs

docs: setup ## the documentation as static pages, in .build/site
	@Scripts/make-docs

pictures: setup ## the pictures of README and guides, in Documentation/Pictures
	@swift run pictures

format: setup ## formats the sources
	swift format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks Examples $(SERVER)
