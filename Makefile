# What people do with the tree. `go test ./...` needs none of it.
GO ?= go
TOOLS ?= .tools
VSCODE := editors/vscode

.PHONY: check test race e2e bench bench-lsp bench-dap vsix vsix-only vsix-all vsix-parts bin pictures clean

check: ## format, vet, lint
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

test: ## all tests
	$(GO) test ./...

# The JavaScript engine is C in Go, whose arithmetic with pointers is not that of Go.
NOCHECKPTR := -gcflags=modernc.org/...=-d=checkptr=0 -gcflags=stackscope/vm/host/js/...=-d=checkptr=0

race: ## the tests of what runs concurrently, with the race detector
	$(GO) test -race $(NOCHECKPTR) ./lsp/... ./dap/... ./vm/debugger/... ./analysis

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

vsix-only: vsix-parts
	cd $(VSCODE) && node package.mjs --out ../../out/stackscope.vsix

vsix-all: ## the extension for each of seven platforms: out/stackscope-PLATFORM.vsix
	cd $(VSCODE) && npm ci --ignore-scripts --no-audit --no-fund
	$(MAKE) vsix-parts
	cd $(VSCODE) && node package.mjs --all --out ../../out
	$(GO) run ./internal/gen/vsixcheck out/stackscope-*.vsix

vsix-parts: # what all packages have in common
	mkdir -p out $(VSCODE)/syntaxes $(VSCODE)/examples
	$(GO) run ./internal/gen/grammar > $(VSCODE)/syntaxes/wat.tmLanguage.json
	cp LICENSE CHANGELOG.md $(VSCODE)/
	cp testdata/examples/cont/generator.wat testdata/examples/cont/generator.wast $(VSCODE)/examples/
	cd $(VSCODE) && npm run build

e2e: vsix ## the extension in a real VS Code
	editors/e2e/setup.sh $(TOOLS)
	. $(TOOLS)/env.sh && VSIX=$(CURDIR)/out/stackscope.vsix OUT=$(CURDIR)/out/e2e node editors/e2e/run.mjs
	editors/e2e/clients/run.sh $(TOOLS)

pictures: vsix-only ## the pictures of the guide, from a real VS Code: docs/images; after `make vsix` and editors/e2e/setup.sh
	. $(TOOLS)/env.sh && VSIX=$(CURDIR)/out/stackscope.vsix OUT=$(CURDIR)/out/e2e node editors/e2e/pictures.mjs

clean:
	rm -rf bin out $(VSCODE)/dist $(VSCODE)/bin $(VSCODE)/syntaxes $(VSCODE)/examples
