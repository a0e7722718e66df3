# make wake-up   read this machine's transcripts and print what an agent would be told
# make test      everything that has to hold before a change goes in
# Also: make bench, docs, client, lock, clean. CONTRIBUTING.md says what each is for.

PY := .venv/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet install
JOBS ?= 2
CLIENT := @anthropic-ai/claude-code@2.1.332
SAMPLE := build/sample-palace
COMPILE := UV_CUSTOM_COMPILE_COMMAND="make lock" build/lock/bin/uv pip compile --no-config --quiet --upgrade \
	--universal --python-version 3.11 --generate-hashes

.PHONY: wake-up test style types arrows site tests smoke bench docs client lock stage clean

wake-up: .venv/.runtime
	@echo "== mining this machine's transcripts"
	@$(PY) -m mempalace mine || true
	@wing="$(WING)"; \
	[ -n "$$wing" ] || wing=$$($(PY) -m mempalace wings 2>/dev/null | head -n 1 | cut -f 1); \
	if [ -n "$$wing" ]; then \
		echo "== the wake-up of $$wing (another: make wake-up WING=name)"; \
		exec $(PY) -m mempalace wake-up --wing "$$wing"; \
	fi; \
	echo "== nothing to tell yet: mining the sample project instead"; \
	$(PY) -m mempalace mine --palace $(SAMPLE) samples/tidetable && \
	echo "== the wake-up of tidetable" && \
	exec $(PY) -m mempalace wake-up --palace $(SAMPLE) --wing tidetable

test: style types arrows site smoke tests

style: .venv/.dev
	@echo "== style"
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --check --quiet .

types: .venv/.dev stage
	@echo "== types, of the package as it installs"
	@cd build/stage && ../../$(PY) -m mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache -p mempalace

arrows: .venv/.dev stage
	@echo "== imports"
	@cd build/stage && ../../.venv/bin/lint-imports --no-logo --no-cache ../../pyproject.toml

site: .venv/.dev
	@echo "== website, strict"
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet --config-file website/mkdocs.yml

smoke: .venv/.dev
	@echo "== benchmarks, each once"
	@$(PY) -m pytest -q tests/benchmarks -o 'python_files=bench_*.py' --benchmark-disable -m "not sweep"

tests: .venv/.dev
	@echo "== tests"
	@$(PY) -m pytest -q -n $(JOBS) --benchmark-disable --ignore tests/benchmarks -m "not sweep and not client"

bench: .venv/.dev
	@echo "== benchmarks, some of them long (fewer: make bench ARGS='-m \"not sweep\"')"
	@$(PY) -m tests.benchmarks.table -q $(ARGS)

docs: .venv/.dev
	@echo "== command reference and README, from the commands themselves"
	@$(PY) website/gen_cli.py
	@$(MAKE) --no-print-directory site
	@echo "open website/site/index.html"

client: .venv/.dev .e2e/.client
	@echo "== the plugin, as the client checks it"
	@mkdir -p .e2e/home && env -i PATH="$$PATH" HOME="$$PWD/.e2e/home" .e2e/node_modules/.bin/claude plugin validate --strict . \
		>.e2e/validate.log 2>&1 || { cat .e2e/validate.log; exit 1; }
	@tail -n 1 .e2e/validate.log
	@echo "== the plugin in the real client"
	@CLAUDE_BIN="$$PWD/.e2e/node_modules/.bin/claude" $(PY) -m pytest -q -m client tests

lock: .venv/.made
	@echo "== locking the dependencies"
	@[ -x build/lock/bin/uv ] || { $(PY) -m venv build/lock && build/lock/bin/python -m pip -q install uv; }
	@printf 'hatchling>=1.25\neditables>=0.5\n' | $(COMPILE) - -o requirements/build.txt
	@$(COMPILE) pyproject.toml -o requirements/runtime.txt
	@$(COMPILE) pyproject.toml --extra dev --extra docs -c requirements/runtime.txt -o requirements/dev.txt
	@$(COMPILE) pyproject.toml --extra mcp -c requirements/dev.txt -o requirements/plugin.txt

# The package as it installs: layers/ inside of mempalace/, instead of the signpost.
stage:
	@rm -rf build/stage && mkdir -p build/stage && cp -r mempalace build/stage/ && \
	rm build/stage/mempalace/layers.py && cp -r layers build/stage/mempalace/layers

clean:
	rm -rf .venv .e2e build website/site

# An environment that is there already is used as it is.
.venv/.made:
	@python=; \
	for one in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
		if "$$one" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$one; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
		echo "mempalace needs Python 3.11 or later; python3 here is: $$(python3 --version 2>/dev/null || echo missing)"; exit 1; \
	fi; \
	if ! $(PY) -c 'import pip' 2>/dev/null; then \
		echo "== making .venv with $$("$$python" --version)"; \
		if ! "$$python" -m venv --clear .venv; then \
			rm -rf .venv; echo "cannot make .venv: install Python's venv module (on Debian and Ubuntu: apt install python3-venv)"; exit 1; \
		fi; \
	fi; \
	touch $@

.venv/.runtime: requirements/build.txt requirements/runtime.txt pyproject.toml .venv/.made
	@echo "== installing mempalace and what it needs, as locked"
	@$(PIP) --require-hashes -r requirements/build.txt -r requirements/runtime.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.dev: requirements/dev.txt .venv/.runtime
	@echo "== installing the tools for testing, as locked"
	@$(PIP) --require-hashes -r requirements/dev.txt
	@touch $@

.e2e/.client: Makefile
	@command -v npm >/dev/null || { echo "make client needs npm"; exit 1; }
	@echo "== installing $(CLIENT) into .e2e"
	@mkdir -p .e2e && npm install --silent --no-audit --no-fund --prefix .e2e $(CLIENT)
	@touch $@
