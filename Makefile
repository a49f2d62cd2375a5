# SPDX-License-Identifier: GPL-2.0-only
# Every target sets up what it needs; `make help` lists them.

PYTHON := .venv/bin/python

.PHONY: help demo test nightly prove mutants check format bench docs site browser deb wheels artifact lock clean setup setup-dev

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do \
		printf '  make %-8s %s\n' "$$name" "$$text"; done

demo: setup ## install into .venv, run scenario 1 of the EWT paper, write a report
	@.venv/bin/penstock demo

test: ## set up what the tests need, run all of them and the checks; ROOM=core/law only those of a room
	@tools/install-test-deps
	@tools/setup --dev
	@$(if $(ROOM),$(PYTHON) tools/room_tests.py $(ROOM),tools/install-test-deps ns-3 && $(PYTHON) tools/run_tests.py)

nightly: test ## all tests, then those that run for hours: steadiness, fuzzing, agreement, live grid
	@tools/install-test-deps nightly
	@$(PYTHON) tools/nightly.py

prove: setup-dev ## prove the rules of the window field for all inputs
	@tools/install-test-deps
	@$(PYTHON) tools/prove.py

mutants: setup-dev ## break a copy of the tree and demand that this is caught; RULE=R3 only that
	@tools/install-test-deps
	@$(PYTHON) tools/mutants.py $(RULE)

check: setup-dev ## format, lint, types, import rules, file rules; no tests
	@$(PYTHON) tools/check.py

format: setup-dev ## rewrite Python and C++ (not core/) in the project's style
	@.venv/bin/ruff check --quiet --fix .; .venv/bin/ruff format --quiet .
	@$(PYTHON) tools/tree.py | xargs .venv/bin/clang-format -i

bench: setup-dev ## measure speed and memory, beside other simulators
	@$(PYTHON) bench/report.py

docs: setup-dev browser ## write into the documents what their commands print
	@$(PYTHON) tools/rules_page.py
	@$(PYTHON) tools/figures.py
	@$(PYTHON) tools/downloads_picture.py
	@$(PYTHON) tools/doc_commands.py --update
	@$(PYTHON) tools/play_notebooks.py --update
	@$(PYTHON) tools/security_table.py
	@$(PYTHON) tools/browser_picture.py

site: ## build a site of the documents, with search and the Python API, in build/site
	@tools/site

browser: setup ## build the lab in a browser, one page that needs no server, in build/browser
	@tools/install-test-deps browser
	@$(PYTHON) browser/build.py

deb: ## build penstock-gw and its Debian package, in build/
	@cmake -S . -B build/gateway -G Ninja -DPENSTOCK_GATEWAY=ON -DPENSTOCK_PYTHON=OFF >/dev/null
	@cmake --build build/gateway --target penstock-gw
	@linux/gateway/packaging/make-deb build/gateway/linux/gateway/penstock-gw build

wheels: setup-dev ## build the sdist and wheels (x86-64, arm64), try each in a clean environment
	@$(PYTHON) tools/make_wheels.py

artifact: setup-dev ## reproduce PAPER with OPTIONS and pack it for an archive, in build/artifact/
	@$(PYTHON) tools/make_artifact.py $(PAPER) $(OPTIONS)

lock: ## resolve the Python dependencies again
	@tools/lock

clean: ## remove everything that the other targets made
	rm -rf .venv build out .pytest_cache .mypy_cache .ruff_cache .hypothesis

setup:
	@tools/setup

setup-dev:
	@tools/setup --dev
