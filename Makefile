# What people do with the tree. `go test ./...` needs none of it.
GO ?= go
TOOLS ?= .tools
VSCODE := editors/vscode
EPOCH := 1700000000

.PHONY: check test race e2e bench bench-lsp bench-dap vsix vsix-only bin clean

check: ## format, vet, lint
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

test: ## all tests
	$(GO) test ./...

race: ## the tests of what runs concurrently, with the race detector
	$(GO) test -race ./lsp/... ./dap/... ./vm/debug/... ./analysis

bench: ## the benchmarks; docs in bench/README.md
	$(GO) test -run '^$$' -bench . -count 10 ./bench/...

bench-lsp: bin ## the language server beside its peer; needs `cargo install wat_server --version 0.11.0`
	$(GO) run ./bench/lsp -ours "bin/wasm-ls serve" -peer wat_server

bench-dap: bin ## the debug adapter beside its peer; needs `go install github.com/go-delve/delve/cmd/dlv@v1.27.1`
	$(GO) run ./bench/dap -ours bin/wasm-dap -peer dlv

bin: ## the two programs
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/ ./cmd/wasm-ls ./cmd/wasm-dap

vsix: ## the VS Code extension for this machine's platform, with the programs inside: out/stackscope.vsix
	cd $(VSCODE) && npm ci --ignore-scripts --no-audit --no-fund
	$(MAKE) vsix-only

vsix-only:
	mkdir -p out $(VSCODE)/syntaxes $(VSCODE)/bin
	$(GO) run ./internal/gen/grammar > $(VSCODE)/syntaxes/wat.tmLanguage.json
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o $(VSCODE)/bin/ ./cmd/wasm-ls ./cmd/wasm-dap
	cp LICENSE $(VSCODE)/LICENSE
	cd $(VSCODE) && npm run build && \
	  SOURCE_DATE_EPOCH=$(EPOCH) npx --no-install vsce package --no-dependencies --allow-missing-repository --no-rewrite-relative-links -o ../../out/stackscope.vsix </dev/null

e2e: vsix ## the extension in a real VS Code
	editors/e2e/setup.sh $(TOOLS)
	. $(TOOLS)/env.sh && VSIX=$(CURDIR)/out/stackscope.vsix OUT=$(CURDIR)/out/e2e node editors/e2e/run.mjs
	editors/e2e/clients/run.sh $(TOOLS)

clean:
	rm -rf bin out $(VSCODE)/dist $(VSCODE)/bin $(VSCODE)/syntaxes
