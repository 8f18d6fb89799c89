# The checks, for people; .ci/run calls the same tools in a fresh environment.
PYTHON ?= python3

.PHONY: check golden

check:
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy
	lint-imports
	$(PYTHON) -m pytest --cov

# Rewrites the transcripts and the generated parts of the documentation: read the diff before you commit it.
golden:
	-$(PYTHON) -m pytest --update-golden -q tests/golden tests/docs
	git diff --stat tests docs README.md
