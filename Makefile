# One command for everything a newcomer needs; `make help` lists them. The work is done by CMake and scripts/.

BUILD  := build
PREFIX ?= /usr/local
JOBS   := $(shell nproc 2>/dev/null || echo 2)

.DEFAULT_GOAL := help
.PHONY: oracle conformance bench-live help build test demo bench format lint install golden mutants fuzz asan clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build:  ## set up, configure and build; programs are in build/bin/
	@scripts/setup build
	@test -f $(BUILD)/build.ninja || cmake --preset release
	@cmake --build $(BUILD) -j $(JOBS)

test: build  ## build and run all tests; what they need is fetched before the first one
	@scripts/setup --try test
	@scripts/llvm-tests --fetch
	@scripts/real-programs --fetch --short
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(JOBS)

demo: build  ## build and look at a race in an example
	@scripts/demo

bench:  ## measure time and memory on generated traces (EVENTS=100000000), into bench/results/
	@scripts/setup build bench
	@cmake --preset release >/dev/null
	@$(MAKE) --no-print-directory build
	@bench/run $(EVENTS)
	@bench/papers $(EVENTS)

format:  ## format all sources with clang-format
	@scripts/setup format
	@scripts/format

lint:  ## formatting, clang-tidy, a Clang build with warnings as errors, the direction of includes
	@scripts/setup build lint
	@scripts/lint

oracle: build  ## random live programs against the oracle, also in a build with small limits (SECONDS_EACH=300)
	@test -f build-small/build.ninja || cmake --preset small
	@cmake --build build-small -j $(JOBS) --target deadheat_live deadheat-cc deadheat-symbolizer
	@test/live_oracle/run
	@DEADHEAT_BIN=$(CURDIR)/build-small/bin test/live_oracle/run

conformance: build oracle  ## the live suite with every compiler and level, LLVM's tests of the interface, real programs, pairs of features (hours)
	@scripts/setup conformance
	@test/programs/run --matrix
	@test/pairs/run --times 100 --jobs $$((2 * $(JOBS)))
	@scripts/llvm-tests
	@scripts/real-programs

bench-live: build  ## CPU time and memory of live detection beside Clang 19's ThreadSanitizer, into bench/results/live.md
	@scripts/setup bench-live
	@bench/live/run

install: build  ## install into PREFIX (default /usr/local)
	@cmake --install $(BUILD) --prefix $(PREFIX)

golden: build  ## accept what the commands print now as golden transcripts and README table (then read the diff)
	@scripts/update-readme
	@for t in test/golden/*.transcript; do test/golden/run --update $$t; done

mutants: build  ## change rules on purpose and see that a test fails for each
	@scripts/mutants

fuzz:  ## fuzz the trace readers with libFuzzer (SECONDS_EACH=60)
	@scripts/setup build fuzz
	@scripts/fuzz

asan:  ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/setup build
	@scripts/setup --try test
	@test -f build-asan/build.ninja || cmake --preset asan
	@cmake --build build-asan -j $(JOBS)
	@ctest --test-dir build-asan --output-on-failure --no-tests=error -j $(JOBS)

clean:  ## remove everything that was built
	rm -rf build build-dev build-small build-asan build-clang build-fuzz
