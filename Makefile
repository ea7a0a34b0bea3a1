# One command for each thing that a newcomer needs; `make help` lists them. CMake and scripts/ do the work.

BUILD  := build
PREFIX ?= /usr/local
JOBS   := $(shell nproc 2>/dev/null || echo 2)

.DEFAULT_GOAL := help
.PHONY: help build test demo bench bench-live evaluation format lint checks oracle conformance install browser-tests package package-tests golden mutants fuzz asan clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build:  ## set up, configure and build; programs are in build/bin/
	@scripts/setup build
	@test -f $(BUILD)/build.ninja || cmake --preset release
	@cmake --build $(BUILD) -j $(JOBS)

test: build  ## fetch what the tests need, build, and run all of them
	@scripts/setup --try test
	@scripts/llvm-tests --fetch
	@scripts/real-programs --fetch --short
	@scripts/sarif-schema $(BUILD)/fetched
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(JOBS)

demo: build  ## build and show a race in an example, live and from a trace
	@scripts/demo

bench:  ## measure time and memory on generated traces (EVENTS=100000000), into bench/results/
	@scripts/setup build bench
	@cmake --preset release >/dev/null
	@$(MAKE) --no-print-directory build
	@bench/run $(EVENTS)
	@bench/papers $(EVENTS)
	@bench/reports

format:  ## format all sources with clang-format
	@scripts/setup format
	@scripts/format

lint:  ## check formatting, includes and locks; build with Clang, warnings as errors; run clang-tidy
	@scripts/setup build lint
	@scripts/lint

# Programs whose updates of the shadow, collections and locks the assertions of the development build check most.
ASSERTED := $(notdir $(wildcard $(foreach kind,stress epochs paths fork bytes range,test/programs/$(kind)_*.c test/programs/$(kind)_*.cpp)))
checks: build lint  ## lint; unit and rule tests with sanitizers; a sample of live programs with development assertions
	@test -f build-asan/build.ninja || cmake --preset asan
	@cmake --build build-asan -j $(JOBS) --target unit_tests rules_tests
	@ctest --test-dir build-asan --output-on-failure --no-tests=error -j $(JOBS) -R '^(unit|rules)\.'
	@test -f build-dev/build.ninja || cmake --preset dev
	@cmake --build build-dev -j $(JOBS) --target deadheat_live deadheat-cc deadheat-symbolizer
	@DEADHEAT_BIN=$(CURDIR)/build-dev/bin test/programs/run $(ASSERTED)

oracle: build  ## random live programs against the oracle, also in a build with small limits (SECONDS_EACH=300)
	@test -f build-small/build.ninja || cmake --preset small
	@cmake --build build-small -j $(JOBS) --target deadheat deadheat_live deadheat-cc deadheat-symbolizer
	@test/live_oracle/run
	@DEADHEAT_BIN=$(CURDIR)/build-small/bin test/live_oracle/run

conformance: checks oracle  ## checks, Clang's static analyzer, oracle, live and real programs with development assertions, live programs with every compiler and level, pairs of features, LLVM's tests, real programs (hours)
	@scripts/setup conformance
	@scripts/tidy --deep
	@DEADHEAT_BIN=$(CURDIR)/build-dev/bin test/programs/run
	@scripts/real-programs --reference
	@test/programs/run --matrix
	@test/record/programs --all
	@test/pairs/run --times 100 --jobs $$((2 * $(JOBS)))
	@scripts/llvm-tests
	@scripts/real-programs
	@scripts/real-programs --detectors

bench-live: build  ## live detection, and single operations, beside Clang 19's ThreadSanitizer; recordings beside live detection; into bench/results/
	@scripts/setup bench-live
	@bench/live/run
	@bench/live/recording
	@bench/costs/run

evaluation: build  ## the papers' programs under every tool, into docs/evaluation.md (QUICK=1: the short form; PARTS="score time": a part)
	@scripts/setup evaluation
	@bench/evaluation/run $(if $(QUICK),--quick) $(PARTS)

install: build  ## install into PREFIX (default /usr/local)
	@cmake --install $(BUILD) --prefix $(PREFIX)

browser-tests: build  ## HTML reports in a real browser (Chromium): sorting, filtering, keys, accessibility, hostile names, load time
	@scripts/setup browser-tests
	@test/browser/run --install --pictures $(BUILD)/browser/pictures

package:  ## make a Debian package and a plain archive, into build-package/package/
	@scripts/setup package
	@cmake --preset package >/dev/null
	@cmake --build --preset package -j $(JOBS)
	@scripts/package

package-tests: package  ## install, use and remove both on a bare Debian (as root, with debootstrap); try every build system of docs/build-systems.md
	@scripts/setup package-tests
	@test/package/build-systems
	@test/package/bare-machine

golden: build  ## accept what the commands print now as transcripts and README table (then read the diff in git)
	@scripts/update-readme
	@for t in test/golden/*.transcript; do test/golden/run --update $$t; done

mutants: build  ## break the rules one by one and check that a test fails for each
	@scripts/mutants

fuzz:  ## fuzz the trace readers with libFuzzer (SECONDS_EACH=60)
	@scripts/setup build fuzz
	@scripts/fuzz

asan:  ## run all tests in a build with AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/setup build
	@scripts/setup --try test
	@test -f build-asan/build.ninja || cmake --preset asan
	@cmake --build build-asan -j $(JOBS)
	@ctest --test-dir build-asan --output-on-failure --no-tests=error -j $(JOBS)

clean:  ## remove everything that was built
	rm -rf build build-dev build-small build-asan build-clang build-fuzz build-package
