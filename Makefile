# For OpenBench, which builds every engine by `make EXE=name`: the engine for this machine, in this folder.
# Everything else is cargo's business.

EXE ?= smalt
CARGO_TARGET_DIR ?= target
ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif

.PHONY: all
all:
	cargo build --release --locked --package smalt --bin smalt --target-dir $(CARGO_TARGET_DIR)
	cp $(CARGO_TARGET_DIR)/release/smalt$(SUFFIX) $(EXE)$(SUFFIX)
