# For OpenBench, which builds every engine by `make EXE=name`: the engine in this folder, for x86-64-v3 on x86 and for the
# base level of any other processor, its hot paths laid out by a profile of `bench` where the toolchain can
# (`rustup component add llvm-tools`): 4 % (Zen 5) to a sixth faster. `make PGO=no` does without. Everything else is cargo's
# business.

EXE ?= smalt
CARGO_TARGET_DIR ?= target
ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif

TOOLS := $(shell rustc --print target-libdir)/../bin
PROFDATA := $(wildcard $(TOOLS)/llvm-profdata$(SUFFIX))
# A variable RUSTFLAGS of the environment takes the place of all flags that cargo is given, those of a profile included.
PGO ?= $(if $(PROFDATA),$(if $(filter environment,$(origin RUSTFLAGS)),no,yes),no)

# Flags are added where .cargo/config.toml has those of every build. On x86 selections stay selections: the branches that
# the compiler makes of them in loops are guessed wrongly too often.
SELECTIONS := $(if $(findstring x86_64,$(shell rustc -vV)),--config 'target."cfg(all())".rustflags=["-Cllvm-args=-x86-cmov-converter=false"]')

# Profiles and plain builds do not share a folder, so that neither makes the other start afresh.
PROFILED := $(CARGO_TARGET_DIR)/pgo
BUILD := cargo build --release --locked --package smalt --bin smalt

.PHONY: all
ifeq ($(PGO),yes)
all:
	rm -rf $(PROFILED)/profiles
	$(BUILD) --target-dir $(PROFILED) --config 'target."cfg(all())".rustflags=["-Cprofile-generate=$(abspath $(PROFILED))/profiles"]'
	$(PROFILED)/release/smalt$(SUFFIX) bench --depth 16
	$(PROFDATA) merge --output $(PROFILED)/smalt.profdata $(PROFILED)/profiles
	$(BUILD) --target-dir $(PROFILED) --config 'target."cfg(all())".rustflags=["-Cprofile-use=$(abspath $(PROFILED))/smalt.profdata"]' $(SELECTIONS)
	cp $(PROFILED)/release/smalt$(SUFFIX) $(EXE)$(SUFFIX)
else
all:
	$(BUILD) --target-dir $(CARGO_TARGET_DIR)
	cp $(CARGO_TARGET_DIR)/release/smalt$(SUFFIX) $(EXE)$(SUFFIX)
endif
