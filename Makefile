# rocefab: `make demo` and `make test` work as the first command in a fresh clone.
# Needed: Python 3.11 or newer with pip or venv, and make. No root, no virtual environment, no uv.

PYTHON ?= python3
BOOT := .bootstrap
VENV := .venv
BIN := $(VENV)/bin
UV := $(BOOT)/bin/uv
READY := $(VENV)/.ready
COMPILED := $(VENV)/.compiled
KERNEL := /var/cache/rocefab-vm
SCHEMAS := /var/cache/rocefab-schemas
TEMPLATES := $(wildcard templates/*/*.j2)
VERSION ?= 3.13
# One worker more than processors: some tests wait for a device.
WORKERS ?= $(shell expr $$(nproc 2>/dev/null || echo 2) + 1)
PYTEST := $(BIN)/pytest -q --dist worksteal
DURATIONS := build/durations
ROOMS ?= $(addprefix tests/,core intent topology qos placement design render validate cli)

# A command starts in half the time where Python finds its modules compiled.
export UV_COMPILE_BYTECODE := 1
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-rest test-slow test-python durations coverage lint lint-types lint-form format judges bench bench-page bench-devices docs docs-site models release lab-test clean

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

# uv comes from the package index by pip, or, where the system's Python has no pip, by a venv's pip.
$(UV):
	@echo "setting up: uv"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "rocefab needs Python 3.11 or newer; name one with PYTHON=python3.x"; exit 1; }
	@if $(PYTHON) -m pip --version >/dev/null 2>&1; then \
		$(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
			--target $(BOOT) uv; \
	else \
		$(PYTHON) -m venv $(BOOT)/venv && $(BOOT)/venv/bin/pip install --quiet uv && \
		mkdir -p $(BOOT)/bin && ln -sf ../venv/bin/uv $(UV); \
	fi

$(READY): $(UV) pyproject.toml uv.lock
	@echo "setting up: everything that uv.lock names, in $(VENV); up to a minute"
	@$(UV) sync --quiet --frozen --python $(PYTHON)
	@touch $(READY)

demo: $(READY) ## Show the main job on the embedded lab: no hardware, no root
	@$(BIN)/rocefab demo

# pytest rewrites the assertions of a test once: here, and not in each worker.
$(COMPILED): $(READY)
	@echo "setting up: the tests are compiled"
	@$(BIN)/pytest -q -q --collect-only -m "" >/dev/null
	@touch $(COMPILED)

test: $(COMPILED) ## The quick tests: no root, no network; four minutes on two cores
	$(PYTEST) -n $(WORKERS)

# The real lab waits for machines that boot, and runs beside the others.
test-rest: $(COMPILED) ## All other tests: slow ones, judges (make judges), and as root the real lab
	@if [ "$$(id -u)" -eq 0 ]; then lab=lab-test; else echo "skipped: the real lab needs root"; fi; \
	$(MAKE) --no-print-directory --output-sync=none -j 2 test-slow $$lab

# Four workers on two cores: tests of the stand-ins wait more than they work.
test-slow: $(COMPILED) ## The slow tests and the judges
	$(PYTEST) -n 4 -m "slow or judge"

durations: $(COMPILED) ## Measure every test and write tests/slow.txt; 20 minutes
	rm -rf $(DURATIONS)
	ROCEFAB_DURATIONS=$(DURATIONS) $(PYTEST) -n 3 -m "not benchmark and not judge and not lab" || true
	$(BIN)/python -m tests.tools.durations write $(DURATIONS)

coverage: $(COMPILED) ## Lines that the quick tests reach, and those that only the slow ones do, by room
	rm -rf build/coverage
	COVERAGE_FILE=build/coverage/quick $(BIN)/pytest -q -n 2 --cov=fabric --cov-report=
	COVERAGE_FILE=build/coverage/slow $(BIN)/pytest -q -n 4 -m slow --cov=fabric --cov-report= || true
	$(BIN)/python -m tests.tools.coverage_rooms build/coverage/quick build/coverage/slow

# VERSION is what uv finds an interpreter by: a version, or a path. Without one on the machine, uv fetches it.
test-python: $(UV) ## The fast tests of the core under another Python: VERSION=3.13
	UV_PROJECT_ENVIRONMENT=.bootstrap/python-$(VERSION) $(UV) sync --quiet --frozen --python $(VERSION)
	.bootstrap/python-$(VERSION)/bin/python --version
	.bootstrap/python-$(VERSION)/bin/pytest -q -n 2 $(ROOMS)

lab-test: $(READY) ## The real lab (root): namespaces, hosts that boot, virtual machines; 6 minutes
	$(BIN)/pytest -q -n 2 --dist loadfile -m lab tests/reallab

lint: $(READY) ## ruff, mypy, lint-imports, yamllint, ansible-lint, j2lint, codespell, lock file
	@$(MAKE) --no-print-directory --output-sync=target -j 2 lint-types lint-form

lint-types: $(READY)
	$(BIN)/mypy

lint-form: $(READY)
	$(UV) lock --check --quiet
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/yamllint --strict inventory playbooks
	$(BIN)/ansible-lint --offline -q playbooks
	$(BIN)/j2lint $(TEMPLATES)
	$(BIN)/codespell
	@if command -v shellcheck >/dev/null; then shellcheck .ci/run; \
	elif [ "$(ROCEFAB_JUDGES)" = required ]; then echo "shellcheck is missing: run make judges"; exit 1; \
	else echo "skipped: shellcheck is not installed; make judges (root) installs it"; fi

format: $(READY) ## Put the code into form
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

JUDGES := libyang2-tools frr shellcheck netplan.io network-manager slurmctld slurm-client slurm-wlm-plugins lua-socket munge \
	postgresql openmpi-bin mpich curl wrk lldpd fping sudo iputils-ping iputils-arping iproute2 procps util-linux \
	systemd systemd-container dmidecode nftables chromium chromium-driver fonts-dejavu-core graphviz \
	prometheus prometheus-alertmanager rsyslog man-db groff mandoc zsh fish \
	qemu-system-x86 busybox-static kmod udev dbus ethtool openssh-server openssh-client tcpdump \
	kea-dhcp4-server dnsmasq-base isc-dhcp-client dash rdma-core ibverbs-providers ibverbs-utils rdmacm-utils infiniband-diags perftest
INSTALL := DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends

judges: ## Install the outside judges that are missing (root), from Debian packages: yanglint, vtysh, slurmctld, chromium ...
	@missing=; for package in $(JUDGES); do \
		dpkg-query -W -f '$${db:Status-Status}' $$package 2>/dev/null | grep -qx installed || missing="$$missing $$package"; \
	done; \
	command -v kubectl >/dev/null || missing="$$missing kubernetes-client"; \
	command -v go >/dev/null || missing="$$missing golang-go"; \
	if [ -n "$$missing" ]; then echo "installing:$$missing"; apt-get update -qq && $(INSTALL) $$missing >/dev/null; fi
	@if [ ! -d $(KERNEL)/boot ] && [ "$$(dpkg --print-architecture)" = amd64 ]; then \
		echo "unpacking the kernel of Debian for virtual machines into $(KERNEL); it is not installed"; \
		mkdir -p $(KERNEL) && cd $(KERNEL) && \
		apt-get download -qq $$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: //p') && \
		dpkg -x linux-image-*.deb . && rm linux-image-*.deb && \
		for folder in lib/modules/*; do /sbin/depmod -b . "$${folder##*/}" || exit 1; done; \
	fi
	@if [ ! -s $(SCHEMAS)/junit-10.xsd ]; then \
		echo "the JUnit schema of Jenkins into $(SCHEMAS), from the source distribution of pytest"; \
		mkdir -p $(SCHEMAS) && cd $(SCHEMAS) && \
		$(PYTHON) -m pip download --quiet --disable-pip-version-check --no-deps --no-binary pytest pytest==9.1.1 && \
		tar -xzf pytest-*.tar.gz --strip-components=3 --wildcards '*/junit-10.xsd' && rm pytest-*.tar.gz; \
	fi
	@if [ ! -s $(SCHEMAS)/cloud-config.json ]; then \
		echo "the schema of cloud-init into $(SCHEMAS), from the package of Debian, which is not installed"; \
		mkdir -p $(SCHEMAS)/cloud-init && cd $(SCHEMAS)/cloud-init && apt-get download -qq cloud-init && \
		dpkg -x cloud-init_*.deb . && \
		mv usr/lib/python3/dist-packages/cloudinit/config/schemas/schema-cloud-config-v1.json ../cloud-config.json && \
		rm -r ../cloud-init; \
	fi
	@cd tests/judges/gnmi_target && GOTOOLCHAIN=local go build -buildvcs=false -o /dev/null .  # its modules, and a build that starts warm
	@command -v actionlint >/dev/null || GOBIN=/usr/local/bin go install github.com/rhysd/actionlint/cmd/actionlint@v1.6.27

bench: $(READY) ## Print timings and memory; nothing is asserted. ROCEFAB_PREVIOUS= names a revision to compare with
	$(BIN)/pytest -q -s -m benchmark tests/bench

bench-page: $(READY) ## Measure the figures of docs/reference/speed.md again, and write them
	ROCEFAB_FIGURES=tests/bench/figures.json $(BIN)/pytest -q -s -m benchmark tests/bench/test_scale.py tests/bench/test_plans.py tests/bench/test_judge.py tests/bench/test_anchors.py
	$(BIN)/pytest -q -m "" tests/docs/test_speed.py --update-golden

bench-devices: $(READY) ## Measure the table of devices in docs/reference/speed.md again, and write it; 20 minutes
	ROCEFAB_FIGURES=tests/bench/figures.json $(BIN)/pytest -q -s -m benchmark tests/bench/test_devices.py -k "sonic or eos or junos or nxos"
	$(BIN)/pytest -q -m "" tests/docs/test_speed.py --update-golden

docs: $(READY) ## Write the generated parts of the docs again
	$(BIN)/pytest -q -m "" --update-golden tests/docs tests/validate/test_catalogue.py tests/workflow/test_schemas.py \
		tests/reliability/test_page.py --ignore tests/docs/test_commands.py --ignore tests/docs/test_site.py

docs-site: $(READY) ## The docs as a site in build/site: links checked, no network
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

models: $(READY) ## Write the data files of switch models again: IMAGE=, EDGECORE=, HEDGEHOG= are copies of their repositories
	$(BIN)/python -m tests.platforms.remake "$(IMAGE)" "$(EDGECORE)" "$(HEDGEHOG)"

# The time of the commit is the time of every file: two builds of one commit have the same bytes.
release: export UV_COMPILE_BYTECODE := 0
release: $(READY) ## Wheel and sdist in dist/, judged, with a bill of materials and the licences of dependencies
	rm -rf dist build/runtime
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(UV) build --quiet --out-dir dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(UV) export --quiet --frozen --no-dev --all-extras --no-emit-project --output-file dist/requirements.txt >/dev/null
	UV_PROJECT_ENVIRONMENT=build/runtime $(UV) sync --quiet --frozen --no-dev --all-extras --no-install-project --python $(BIN)/python
	$(BIN)/cyclonedx-py environment build/runtime/bin/python --pyproject pyproject.toml --output-reproducible \
		--output-file dist/rocefab.cdx.json
	$(BIN)/pip-licenses --python build/runtime/bin/python --with-urls --format markdown --output-file dist/licences.md
	cd dist && sha256sum *.whl *.tar.gz requirements.txt rocefab.cdx.json licences.md > SHA256SUMS

clean: ## Remove everything that make made
	rm -rf $(BOOT) $(VENV) dist build out .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
