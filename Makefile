# The two commands that matter need no make: go run ./cmd/bench, go test ./...
REGRET_TIME ?= 60s

.PHONY: regret soak help bench quick full publish peers-c docs test race fuzz gobench lint ci

FUZZTIME ?= 60s

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

bench: ## measure, draw charts, print what to take (about three minutes)
	go run ./cmd/bench

quick: ## the same on tiny sizes
	go run ./cmd/bench --quick

full: ## every cell, every workload (about two and a half hours)
	go run ./cmd/bench --full

publish: ## all of results/published anew, in one go (about forty minutes; goes on where it was interrupted)
	go run ./cmd/bench --published --out results/published-new
	rm -rf results/published && mv results/published-new results/published

peers-c: ## hierwheel beside a timing wheel in C, if there is a C compiler (about a minute)
	go -C peers run ./metal

regret: ## tune's pick against all candidates, for each profile, into docs/regret.md (about an hour)
	.ci/regret $(REGRET_TIME) >docs/regret.md

docs: ## samples of output in README.md and docs anew (CI checks them)
	go run ./internal/docs

test: ## all tests
	go test ./...

race: ## the tests of concurrent code under the race detector
	go test -race -short ./driver ./harness/... ./live ./record ./workload/trace $$(go list ./internal/... | grep -vE 'internal/(judge|replay|report|compare|tune)') ./heapsched ./listsched ./singlewheel ./roundswheel ./hierwheel ./fifosched

soak: ## durable timers: 300 processes killed at random instants, alone and sharing a server, and 100 servers; failover; how long Close takes (about a quarter of an hour)
	DURABLE_KILLS=300 go -C durable test -v -timeout 2h -run 'Killed|Cancelled|CloseKeeps|Failover' .

fuzz: ## every fuzz target for FUZZTIME each
	.ci/fuzz $(FUZZTIME)

gobench: ## benchmarks for benchstat
	go test -run '^$$' -bench . -count 6 ./schedulers ./driver

lint: ## gofmt, vet, staticcheck
	.ci/lint

ci: ## all that a change must pass
	.ci/run
