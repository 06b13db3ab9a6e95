# Everything is set up on first use inside this folder, and reused until what it was made from changes.
# Needed on the machine: Python 3.11, JDK 17, make, git.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help quick watch one coverage mutants mutants-python mutants-scala jar wheel dist publish-local-repo setup test simulate-all test-long test-spark-lines test-pythons test-dist test-reproducible licences release-check servers demo demo-hdfs demo-s3 bench bench-quick bench-scale bench-growth bench-peers fmt lint lint-python docs clean clean-all accept-jar accept-test-bed installed-wheel FORCE

PYTHON ?= $(shell command -v python3.11 || command -v python3)
export JAVA ?= $(if $(JAVA_HOME),$(JAVA_HOME)/bin/java,java)
# Where Python keeps no compiled modules, each run compiles all tests anew, and each process that they start the package.
unexport PYTHONDONTWRITEBYTECODE

# To force a file to disk costs a millisecond, and tests do it all the time.
IN_MEMORY := $(if $(wildcard /dev/shm/.),/dev/shm,/tmp)

VERSION     := $(shell sed -n 's/.*val stoplog *= "\(.*\)"$$/\1/p' project/Versions.scala)
SBT_VERSION := $(shell sed -n 's/^sbt.version=//p' project/build.properties)

JAR   := scala-core/target/scala-2.13/stoplog_2.13-$(VERSION).jar
POM   := build/repo/io/github/stoplog/stoplog_2.13/$(VERSION)/stoplog_2.13-$(VERSION).pom
BOM   := $(POM:.pom=-cyclonedx.json)
WHEEL := dist/stoplog-$(VERSION)-py3-none-any.whl

VENV     := .venv
PY       := $(VENV)/bin/python
PIP      := $(PY) -m pip install --quiet --disable-pip-version-check
BUILD_PY := .venv-build/bin/python
LAUNCHER := .cache/sbt/sbt-launch-$(SBT_VERSION).jar
STAMPS   := .cache/stamps

CONNECTORS := $(shell sed '/^\#/d' connectors/list.txt)

# The sbt projects with an artifact of their own.
PUBLISHED := core laws $(CONNECTORS)

# What writes pages of docs/ from code.
GENERATED := "core/Test/runMain stoplog.docs.GenerateDocs $(CURDIR)/docs"
OPTIONS_PAGE = $(wildcard connectors/$(1)/src/test/scala/stoplog/$(1)/docs/OptionsPage.scala)
GENERATED += $(foreach id,$(CONNECTORS),$(if $(call OPTIONS_PAGE,$(id)),"$(id)/Test/runMain stoplog.$(id).docs.OptionsPage"))

BUILD_FILES    := LICENSE build.sbt connectors/list.txt $(wildcard python/stoplog/shared/*.json) $(wildcard project/*.scala project/*.sbt project/build.properties)
SCALA_SOURCES  := $(shell find scala-core/src/main -type f | sort)
SERVER_SOURCES := $(shell find tests/servers -path '*/src/*' -type f | sort) $(shell find connectors -path '*/src/main/*' -type f | sort)
PEER_SOURCES   := $(shell find bench/flink/src -type f | sort)
PYTHON_SOURCES := $(shell find python/stoplog python/pytest_stoplog.py -type f -not -path '*/jars/*' -not -name '*.pyc' | sort)

##@ Use stoplog

help: ## Show this list.
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z0-9-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' \
	  $(firstword $(MAKEFILE_LIST))

demo: $(STAMPS)/installed ## Stream real flights, kill the job twice, and find every row exactly once (6 minutes on an empty machine, later 2).
	@$(PY) demo/run.py

demo-hdfs: $(STAMPS)/installed $(STAMPS)/servers ## Run the demo on an HDFS server, which the target starts.
	@$(PY) demo/run.py hdfs

demo-s3: $(STAMPS)/installed $(STAMPS)/servers ## Run the demo on an S3 server, which the target starts.
	@$(PY) demo/run.py s3

jar: $(STAMPS)/jar ## Build the jar, and check its size, version and POM.
	@echo $(JAR)

wheel: $(STAMPS)/wheel ## Build the wheel that carries the jar.
	@echo $(WHEEL)

publish-local-repo: $(STAMPS)/jar ## Publish all jars to build/repo, for spark-submit --packages --repositories.
	scripts/sbt $(patsubst %,%/publish,$(filter-out core laws,$(PUBLISHED)))
	@echo "--packages io.github.stoplog:stoplog_2.13:$(VERSION) --repositories file://$(CURDIR)/build/repo"

##@ Develop

setup: $(STAMPS)/editable $(STAMPS)/build-tools $(LAUNCHER) ## Make the Python environment and fetch sbt. Other targets do this themselves.

test: setup $(STAMPS)/docs ## Run all checks and tests: Scala, Python, end to end (about 40 minutes on an empty machine with two cores, later 25 to 35).
	@$(PY) scripts/run_tests.py

quick: setup ## Run all tests without Spark and servers, in an sbt server that keeps running (`scripts/sbt-client shutdown` ends it).
	@scripts/sbt-client quick/Quick/test & scala=$$!; \
	TMPDIR=$${TMPDIR:-$(IN_MEMORY)} $(PY) -m pytest -q -o faulthandler_timeout=0 python/tests || python=$$?; \
	wait $$scala && exit $${python:-0}

watch: setup ## Run the quick Scala tests of the changed code after each edit; T="core/testOnly *TaskWriter*" for others.
	@scripts/sbt-client "~$(or $(T),core/Quick/testQuick)"

one: setup ## Run one test: T=stoplog.commit.TaskWriterSuite, T=tests/e2e/test_batch.py::test_x, T=python/tests/test_check.py.
	@scripts/one $(T)

lint: lint-python $(LAUNCHER) ## Check formats, prose, compile with -Xlint -Werror, ruff, mypy --strict (`make test` does it too).
	scripts/sbt scalafmtCheckAll scalafmtSbtCheck core/Test/compile

lint-python: $(STAMPS)/venv
	$(PY) scripts/licence_headers.py --check
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy $(wildcard python/stoplog python/pytest_stoplog.py python/tests scripts demo bench)
	$(PY) scripts/prose.py

fmt: $(STAMPS)/venv $(LAUNCHER) ## Format all sources.
	scripts/sbt scalafmtAll scalafmtSbt
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix-only --quiet .

docs: $(LAUNCHER) $(STAMPS)/docs ## Write the generated pages of docs/ anew, and build the guide in build/guide.
	scripts/sbt $(GENERATED)
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict --quiet
	@echo build/guide/index.html

##@ Test more

test-long: setup $(STAMPS)/docs ## Run all checks and tests with many more crash rounds and simulated schedules.
	@STOPLOG_LONG=1 $(PY) scripts/run_tests.py

simulate-all: setup ## Walk every schedule of the simulator's small worlds, and count the schedules (an hour on one core).
	@STOPLOG_SIM_ALL=1 scripts/sbt "core/testOnly stoplog.sim.SmallWorldsSuite"

test-spark-lines: $(STAMPS)/wheel $(STAMPS)/servers ## Run the end-to-end tests of these jars on every Spark line (SPARK_LINES="4.0.5 4.3.0" for some).
	@$(BUILD_PY) scripts/spark_lines.py $(WHEEL) $(SPARK_LINES)

test-pythons: $(STAMPS)/wheel $(STAMPS)/venv ## Try the wheel on every line of Python that is on this machine (PYTHONS="3.14" for some).
	@$(PY) scripts/python_lines.py $(WHEEL) $(PYTHONS)

servers: $(STAMPS)/servers ## Fetch the servers that tests and demos start, and package the connectors.

coverage: setup ## Run the Scala tests of the core and the Python tests with coverage; reports in build/coverage.
	@mkdir -p build/coverage
	$(PY) -m pytest -q python/tests --cov=stoplog --cov-report=html:build/coverage/python --cov-report=term | tail -n 20
	@rm -f scala-core/target/jacoco.exec
	STOPLOG_COVERAGE=1 scripts/sbt core/coverage
	@echo build/coverage/python/index.html build/coverage/scala/index.html

mutants: mutants-python mutants-scala ## Change the code in small steps, and report whether the tests fail: a score for each package (an hour and more).

mutants-python: $(STAMPS)/mutants ## Run mutants of Python only; PACKAGES="log report" for some.
	@$(PY) scripts/mutants.py $(PACKAGES)

mutants-scala: setup ## Run mutants of Scala only; PACKAGES="log rolling" for some.
	@$(PY) scripts/mutants_scala.py $(PACKAGES)

##@ Measure

bench: $(STAMPS)/installed $(STAMPS)/servers ## Measure against Spark's own sinks, and against plain streams on HDFS and S3.
	@$(PY) bench/run.py

bench-quick: $(STAMPS)/installed $(STAMPS)/servers ## Compare the figures that matter with the committed ones, in about five minutes (WRITE=1 commits to them).
	@$(PY) bench/quick/run.py $(if $(WRITE),--write)

bench-scale: setup ## Simulate the driver with up to 10,000,000 open parts on S3 and HDFS, and write a section of docs/reference/benchmarks.md.
	@$(PY) bench/scale.py

bench-growth: setup ## Count the calls of an epoch after many epochs, open parts and files, and write a section of docs/reference/benchmarks.md.
	@$(PY) bench/growth.py

bench-peers: $(STAMPS)/installed $(STAMPS)/servers $(STAMPS)/peers $(STAMPS)/peers-readers $(STAMPS)/peers-iceberg ## Run stoplog beside Flink, Spark's own sink, Delta Lake and Iceberg, and check each run.
	@$(PY) bench/engines/run.py
	@$(PY) bench/engines/small_epochs.py

##@ Release

dist: $(STAMPS)/wheel $(STAMPS)/dist-tools ## Build all of a release in dist/: wheel, jars with sources, scaladoc, POMs and bills of materials, checksums.
	@rm -rf dist/repo
	STOPLOG_RELEASE=1 scripts/sbt "all $(PUBLISHED:%=%/publish)"
	@.venv-dist/bin/python scripts/check_dist.py dist $(VERSION)
	@$(BUILD_PY) scripts/checksums.py dist

test-dist: dist ## Follow the quick start from dist/ in empty environments on every Spark line (SPARK_LINES="4.2.0" for some).
	@$(BUILD_PY) scripts/check_quick_start.py dist $(SPARK_LINES)

licences: dist ## List the licences of everything that the release ships or needs, and refuse those that are not accepted.
	@$(BUILD_PY) scripts/licences.py dist

release-check: ## Check all of a release that a machine can check, and print what a person must do (an hour and more).
	@$(PYTHON) scripts/release_check.py

test-reproducible: dist ## Build the release again from a copy of the sources in another directory, and compare all bytes.
	@$(BUILD_PY) scripts/check_reproducible.py dist

##@ Clean up

clean: ## Remove what was built, keep the environments.
	rm -rf build dist scala-core/target target project/target project/project python/stoplog/jars
	rm -f $(STAMPS)/jar $(STAMPS)/wheel $(STAMPS)/installed $(STAMPS)/servers

clean-all: clean ## Remove the environments and caches in this folder as well.
	rm -rf .venv .venv-build .venv-dist .venv-docs .venv-spark-* .cache .mypy_cache .ruff_cache .pytest_cache

$(STAMPS)/venv: $(addprefix python/requirements/,dev.txt test.txt build.txt notebook.txt)
	@scripts/check-machine $(PYTHON)
	@echo "Setting up $(VENV) with $(PYTHON) ..." >&2
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) -r $<
	@rm -f $(STAMPS)/installed
	@mkdir -p $(@D) && touch $@

# All that jars and the wheel need of Python.
$(STAMPS)/build-tools: python/requirements/build.txt
	@scripts/check-machine $(PYTHON)
	@$(PYTHON) -m venv --clear .venv-build
	@$(BUILD_PY) -m pip install --quiet --disable-pip-version-check -r $<
	@mkdir -p $(@D) && touch $@

$(STAMPS)/mutants: python/requirements/mutants.txt $(STAMPS)/editable
	@rm -rf .cache/mutants/python
	@$(PIP) --no-deps --target .cache/mutants/python -r $<
	@touch $@

$(STAMPS)/docs: python/requirements/docs.txt
	@$(PYTHON) -m venv --clear .venv-docs
	@.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@mkdir -p $(@D) && touch $@

$(STAMPS)/dist-tools: python/requirements/dist.txt
	@$(PYTHON) -m venv --clear .venv-dist
	@.venv-dist/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@mkdir -p $(@D) && touch $@

$(LAUNCHER): project/build.properties | $(STAMPS)/build-tools
	@echo "Fetching sbt $(SBT_VERSION) ..." >&2
	@rm -f $(@D)/sbt-launch-*.jar
	@scripts/fetch-sbt $(BUILD_PY) $(SBT_VERSION) $(@D)
	@touch $@

$(STAMPS)/jar: $(BUILD_FILES) $(SCALA_SOURCES) $(STAMPS)/scala-list | $(LAUNCHER)
	@rm -rf build/repo
	scripts/sbt core/publish
	@$(MAKE) --no-print-directory accept-jar

# The jar lies there, built by sbt: check it, and lay it into the package.
accept-jar:
	@$(BUILD_PY) scripts/check_jar.py $(JAR) $(POM) $(VERSION)
	@rm -rf python/stoplog/jars
	@mkdir -p python/stoplog/jars && cp $(JAR) $(BOM) python/stoplog/jars/
	@touch $(STAMPS)/jar

# The same for all that `scripts/sbt testBed` builds.
accept-test-bed: $(STAMPS)/scala-list accept-jar
	@touch $(STAMPS)/servers

$(STAMPS)/wheel: $(STAMPS)/jar pyproject.toml README.md python/hatch_build.py $(PYTHON_SOURCES) $(STAMPS)/python-list
	@rm -rf dist
	@$(BUILD_PY) -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .
	@touch $@

# The environment imports the package from this checkout, so that a single pytest tests what was just edited.
$(STAMPS)/editable: $(STAMPS)/venv pyproject.toml README.md python/hatch_build.py project/Versions.scala
	@$(PIP) --no-deps --no-index --no-build-isolation --editable .
	@touch $@

# The package with its jar.
$(STAMPS)/installed: $(STAMPS)/editable $(STAMPS)/wheel
	@touch $@

$(STAMPS)/servers: $(BUILD_FILES) $(SERVER_SOURCES) | $(LAUNCHER)
	scripts/sbt servers
	@touch $@

$(STAMPS)/peers: $(BUILD_FILES) $(PEER_SOURCES) | $(LAUNCHER)
	scripts/sbt peers
	@touch $@

$(STAMPS)/peers-readers: python/requirements/peers.txt $(STAMPS)/venv
	@rm -rf .cache/peers/python
	@$(PIP) --no-deps --target .cache/peers/python -r $<
	@touch $@

$(STAMPS)/peers-iceberg: python/requirements/peers-iceberg.txt $(STAMPS)/venv
	@rm -rf .cache/peers/spark-iceberg
	@$(PIP) --no-deps --target .cache/peers/spark-iceberg -r $<
	@touch $@

# The wheel, unpacked where the tests of all (`make test`) import it from, and not from the checkout.
installed-wheel: $(STAMPS)/installed
	@rm -rf build/installed
	@$(PIP) --no-deps --no-index --target build/installed $(WHEEL)

# The lists change when a file is added or removed, which no time stamp of a remaining file shows.
$(STAMPS)/scala-list: FORCE
	@mkdir -p $(@D); cmp -s $@ <(printf '%s\n' $(SCALA_SOURCES)) || printf '%s\n' $(SCALA_SOURCES) > $@

$(STAMPS)/python-list: FORCE
	@mkdir -p $(@D); cmp -s $@ <(printf '%s\n' $(PYTHON_SOURCES)) || printf '%s\n' $(PYTHON_SOURCES) > $@
