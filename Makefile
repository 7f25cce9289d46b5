# What a developer runs. `make help` lists it.
.PHONY: help setup demo test bench comparisons check format

# Swift Testing runs the tests; the library has none for XCTest.
TEST = swift test --quiet --disable-xctest

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1|\2/p' Makefile | column -t -s '|'

setup:
	@Scripts/setup

demo: setup ## two devices edit offline and sync through a remote
	@swift run demo

test: setup ## all tests, with invariant checks in a debug build, then at full scale in a release build
	DIFFSYNC_INVARIANTS=1 $(TEST) --scratch-path .build/invariants
	$(TEST) --configuration release --scratch-path .build/full-scale

bench: setup ## what the library costs, against peers and lower bounds
	swift run --configuration release benchmarks

comparisons: setup ## the same against third-party packages, which are fetched
	swift run --configuration release --package-path Benchmarks/Comparisons comparisons

check: setup ## format, warnings as errors, tests, documentation
	Scripts/check-format
	swift build --quiet --build-tests -Xswiftc -warnings-as-errors --scratch-path .build/warnings
	$(MAKE) test
	Scripts/check-docs

format: setup ## formats the sources
	swift format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks Examples
