# Reconcile Playground. `make help` lists what there is.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# What a first visit may load, in bytes of gzip: everything, and the WebAssembly alone.
# structured-merge-diff would bring 260 KB more of JSON and YAML libraries: core/managedfields/lean stands in for them.
BUDGET_TOTAL ?= 2900000
BUDGET_WASM ?= 2730000

# What the evaluator of CEL rules may load, when a definition with rules is first used.
BUDGET_RULES ?= 3500000

# What the engine that also runs scripts may load, when one is first used.
BUDGET_SCRIPTS ?= 4050000

ADDR ?= 127.0.0.1:8080

MODULE := github.com/reconcile-playground/reconcile

# What is built on the way, and the folder to publish.
BUILD ?= build
DIST ?= dist

# The packages whose tests run as WebAssembly too, under Node.js: their goldens hold on both sides. The longest first.
WASM_TESTS ?= ./web/engine ./core/script ./core/scenario ./core/report ./core/script/shell

# The packages whose benchmarks `make bench` runs, natively and as WebAssembly.
BENCH ?= ./web/engine ./core/script ./core/explore ./core/grade

# Inlining costs 15 % of what is loaded: copies of code, and what the compiler notes about each, which packs badly.
# So it is on only where the engine spends its time; measured in Node.js, that is as fast as inlining everywhere.
# Without it there too, 50 KB less would be loaded, and a read or a write would take half as long again. Also left
# out: what checks that iterators behave (12 KB), and the second path that looks for room on the stack at every make
# of a variable size (13 KB).
WASM_INLINED ?= runtime runtime/... internal/runtime/... internal/bytealg internal/abi unicode/utf8 math/bits syscall/js \
  $(MODULE)/core/object $(MODULE)/core/tree github.com/tidwall/btree
WASM_LESS := -d=rangefunccheck=0,variablemakethreshold=0
WASM_FLAGS ?= -trimpath -ldflags="-s -w" -gcflags="all=-l $(WASM_LESS)" $(foreach p,$(WASM_INLINED),-gcflags="$(p)=$(WASM_LESS)")

GO ?= go
GOROOT := $(shell $(GO) env GOROOT)
WASM_EXEC := $(firstword $(wildcard $(GOROOT)/lib/wasm/wasm_exec.js $(GOROOT)/misc/wasm/wasm_exec.js))
JS := GOOS=js GOARCH=wasm

# Runs Go tests as WebAssembly under Node.js, whose environment Go wants small.
WASM_TEST = env -i $(COLLECT) PATH="$$PATH" HOME="$$HOME" GOCACHE="$$($(GO) env GOCACHE)" GOFLAGS="$$($(GO) env GOFLAGS)" $(JS) \
  $(GO) test -tags scripts -exec "$(dir $(WASM_EXEC))go_js_wasm_exec"

GO_SOURCES := go.mod $(wildcard go.sum) $(shell find core wasm web -name node_modules -prune -o -type f \( -name '*.go' -o -path '*/library/*' \) ! -name '*_test.go' -print)
WEB_SOURCES := web/build.mjs web/document.mjs web/later.mjs web/link.mjs web/load.mjs web/pack.mjs web/plots.mjs web/whole.mjs docs/fidelity.md docs/scripts.md $(wildcard web/bundle/* web/panels/* web/words/*.json web/editor/*.mjs) $(wildcard static/*)

.PHONY: help
help: ## lists the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.PHONY: run
run: dist ## builds everything and serves the page on ADDR (127.0.0.1:8080)
	@echo "core/cmd/reconcile: what serves $(DIST); the first time this takes a while"
	@$(GO) run ./core/cmd/reconcile serve --addr $(ADDR) --dir $(DIST)

.PHONY: dist
dist: $(DIST)/index.html ## builds dist/, a folder for any static host

# The longest Go tests, which begin first, so that nothing is waited for alone at the end.
LONGEST := ./core/grade ./core/explore ./core/cmd/reconcile

# Tests make much garbage and hold little: collected as often as by default it takes two fifths of their time.
check peers soak: COLLECT := GOGC=400

# The page is built beside the Go tests, and then the peers' are run: they leave a core idle at times.
.PHONY: test
test: ## vet, unit tests, and the page in a real Chromium
	@$(MAKE) --no-print-directory -j2 check dist peers
	@$(MAKE) --no-print-directory size e2e

# What is vetted whole before is not vetted again by go test.
.PHONY: check
check: lint ## gofmt, vet and the Go tests
	$(COLLECT) $(GO) test -vet=off -timeout 40m $(LONGEST) ./...
ifneq ($(strip $(WASM_TESTS)),)
	$(WASM_TEST) $(WASM_TESTS)
endif

.PHONY: peers
peers: ## the same behaviour held against the original libraries, in a module of its own
	cd core/peers && $(GO) vet ./... && $(COLLECT) $(GO) test -vet=off -timeout 40m ./...

.PHONY: e2e
e2e: dist chromium ## the page in a real Chromium; ONLY=word runs the specs whose name has it
	DIST=$(DIST) BUILD=$(BUILD) node web/e2e/run.mjs $(ONLY)

.PHONY: size
size: dist ## what a first visit loads, against its budget
	@node web/size.mjs $(DIST) $(BUDGET_TOTAL) $(BUDGET_WASM) $(BUDGET_RULES) $(BUDGET_SCRIPTS)

.PHONY: weigh
weigh: ## what each library weighs in the modules, by the names of their functions
	@mkdir -p $(BUILD)/named
	$(JS) $(GO) build $(subst -s -w,,$(WASM_FLAGS)) -o $(BUILD)/named/app.wasm ./wasm
	$(JS) $(GO) build -tags scripts $(subst -s -w,,$(WASM_FLAGS)) -o $(BUILD)/named/scripts.wasm ./wasm
	@node web/weigh.mjs $(BUILD)/named/app.wasm $(BUILD)/named/scripts.wasm

.PHONY: bench
bench: dist chromium ## sizes with brotli, times in a real Chromium, and times beside the fake client
	@node web/size.mjs $(DIST) $(BUDGET_TOTAL) $(BUDGET_WASM) $(BUDGET_RULES) $(BUDGET_SCRIPTS) --brotli
	DIST=$(DIST) BUILD=$(BUILD) node web/e2e/run.mjs --bench $(ONLY)
	$(GO) test -run '^$$' -bench . -benchtime 1s $(BENCH)
	$(WASM_TEST) -run '^$$' -bench . -benchtime 1s $(BENCH)
	cd core/peers && $(GO) run ./cmd/compare

.PHONY: screenshot
screenshot: dist chromium ## the README's picture, docs/screenshot.png, anew
	DIST=$(DIST) node web/e2e/screenshot.mjs

# How long `make fuzz` gives to each of the fuzzed functions.
FUZZTIME ?= 30s

.PHONY: fuzz
fuzz: ## random input for each parser, and for the server, bash and kubectl, FUZZTIME (30s) each
	@grep -rn --include='*_test.go' '^func Fuzz' core web | sed -E 's|^(.*)/[^/]*_test.go:.*func (Fuzz[A-Za-z0-9]*).*|\1 \2|' | sort | \
	  while read -r dir name; do \
	    echo "$$dir $$name"; \
	    case "$$dir" in core/peers*) module=core/peers;; *) module=.;; esac; \
	    $(GO) -C $$module test "$(MODULE)/$$dir" -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) || exit 1; \
	  done

.PHONY: soak
soak: fuzz dist chromium ## the long tests: fuzzing, correct scripts with every fault, pairs of faults, 500 kills of the storage
	SOAK=1 $(COLLECT) $(GO) test ./core/explore ./core/grade ./core/cmd/reconcile -timeout 120m -count 1
	SOAK=1 DIST=$(DIST) BUILD=$(BUILD) node web/e2e/run.mjs $(ONLY)

.PHONY: race
race: ## the API server's tests with the detector of data races, which needs a C compiler; minutes
	$(GO) test -race -short ./core/apiserver ./core/managedfields

.PHONY: lint
lint: ## gofmt and vet alone
	@unformatted=$$(gofmt -l core wasm web); \
	  if [ -n "$$unformatted" ]; then echo "gofmt is needed on:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(JS) $(GO) vet ./wasm/... ./web/...
	$(JS) $(GO) vet -tags scripts ./wasm ./web/engine

.PHONY: clean
clean: ## removes what was built
	rm -rf $(BUILD) $(DIST) web/e2e/out

$(BUILD)/app.wasm: $(GO_SOURCES)
	@mkdir -p $(BUILD)
	@echo "$@: the page and its engine; the first time this takes a few minutes"
	@$(JS) $(GO) build $(WASM_FLAGS) -o $@ ./wasm

# One after another: they share most of what is compiled.
$(BUILD)/scripts.wasm: $(GO_SOURCES) | $(BUILD)/app.wasm
	@mkdir -p $(BUILD)
	@echo "$@: the engine that also runs scripts"
	@$(JS) $(GO) build -tags scripts $(WASM_FLAGS) -o $@ ./wasm

$(BUILD)/rules.wasm: $(GO_SOURCES) | $(BUILD)/scripts.wasm
	@mkdir -p $(BUILD)
	@echo "$@: the evaluator of CEL rules"
	@$(JS) $(GO) build $(WASM_FLAGS) -o $@ ./wasm/rules

node_modules/.package-lock.json: package-lock.json package.json
	npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

$(DIST)/index.html: $(BUILD)/app.wasm $(BUILD)/scripts.wasm $(BUILD)/rules.wasm node_modules/.package-lock.json $(WEB_SOURCES)
	@node web/build.mjs $(BUILD)/app.wasm $(BUILD)/scripts.wasm $(BUILD)/rules.wasm "$(WASM_EXEC)" $(DIST)

# The browser of the tests: CHROMIUM, or one on PATH, or Debian's, installed where that is allowed.
.PHONY: chromium
chromium: node_modules/.package-lock.json
	@node web/e2e/chromium.mjs --install
