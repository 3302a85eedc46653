# The short way in. CMake and the presets do the work; `make help` lists what there is.

JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local

.DEFAULT_GOAL := build
.PHONY: help setup setup-build build demo demo-cluster test test-long bench asan tsan cov clang format install clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install the Debian packages that are missing (or say which)
	@scripts/setup

setup-build:
	@scripts/setup --build

build: setup ## build/ : gcc -O2 -g
	@scripts/build dev

demo: setup-build ## find, explain and replay a bug
	@scripts/build install demo
	@scripts/demo build/install

demo-cluster: setup ## share an exploration over a Redis server, kill an agent, compare totals
	@scripts/build dev rehearse-tool example_scheduler
	@scripts/demo-cluster build

test: setup ## everything that must hold before a commit; ends with "N passed, N failed"
	@scripts/test

test-long: setup ## the same, and the tests that take long
	@scripts/test --long

bench: setup ## build/release, then every benchmark; OUT=file to name the result
	@scripts/build release
	@scripts/bench $(OUT)

asan: setup ## build/asan and its tests: address and undefined behaviour sanitizers
	@scripts/test asan

tsan: setup ## build/tsan and its tests: thread sanitizer, production runtime
	@scripts/test tsan

cov: setup ## build/cov, its tests, and line coverage per file of src/
	@scripts/coverage

clang: setup ## build/clang and the header tests
	@scripts/test clang

format: ## bring all C files into the form of .clang-format
	@scripts/format

install: setup-build ## libraries, headers, the command and documents under PREFIX (DESTDIR is respected)
	@scripts/build install product
	@cmake --install build/install --prefix $(PREFIX)

clean: ## remove build/
	@rm -rf build

export JOBS
