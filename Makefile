# sampler: build, test, measure, install. `make help` lists the targets.
#
# V=1 shows the commands. SANITIZE=address,undefined builds with sanitizers,
# in a folder of its own. CC=clang works as well as gcc. With SYSROOT, the folder of
# another system's headers and libraries, a cross compiler builds for that system
# (tests/cross/aarch64.test).

PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
VERSION := 0.1.0

CC      ?= cc
SANITIZE ?=
BUILD   ?= build$(if $(SANITIZE),-san)$(if $(findstring clang,$(CC)),-clang)
# With sanitizers, -O2 -g takes nearly three times as long to compile. xxhash.h insists on inlining,
# which -Og does not do.
OPT     ?= $(if $(SANITIZE),-Og -g1 -DXXH_NO_INLINE_HINTS=1,-O2 -g)

WARN := -Wall -Wextra -Wshadow -Wvla -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes \
        -Wwrite-strings -Wundef
ALL_CFLAGS := $(if $(SYSROOT),--sysroot=$(SYSROOT)) -std=gnu17 $(OPT) $(WARN) -D_GNU_SOURCE -DSAMPLER_VERSION='"$(VERSION)"' -I. \
        -fno-strict-aliasing -pthread $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer \
        -fno-sanitize-recover=undefined) $(CFLAGS)
ALL_LDFLAGS := $(if $(SYSROOT),--sysroot=$(SYSROOT)) -pthread $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)

ifneq ($(V),1)
Q := @
say = @printf '  %-7s %s\n' $(1) $(2)
endif

# A folder's files, without those named for an architecture that the compiler does not build for.
ARCH := $(shell $(CC) -dumpmachine | sed 's/-.*//')
OTHER_ARCHS := $(filter-out $(ARCH),x86_64 aarch64)
sources = $(filter-out $(foreach a,$(OTHER_ARCHS),$(1)/%_$(a).c),$(wildcard $(1)/*.c))

# A folder is a library of its own, and links with all that it may include, directly or not.
include tests/layers.mk
FOLDERS := $(filter-out cli,$(LAYERS))
reach = $(sort $(1) base $(foreach f,$(SEES_$(1)),$(call reach,$(f))))
$(foreach f,$(LAYERS),$(eval DEPS_$(f) := $(filter $(call reach,$(f)),$(LAYERS))))
# It has no library.
DEPS_cli := $(filter-out cli,$(DEPS_cli))

SYS_base      := -lxxhash
# Without libzstd's header, data compressed by zstd cannot be read. Without libdeflate's, zlib
# is used, which takes twice as long.
COMPRESSION   := -lz $(if $(wildcard $(SYSROOT)/usr/include/libdeflate.h),-ldeflate) $(if $(wildcard $(SYSROOT)/usr/include/zstd.h),-lzstd)
SYS_target    := -lelf $(COMPRESSION)
SYS_unwind    := -ldw -lelf
# libdw depends on liblzma already; only its header may be missing.
SYS_symbolize := -ldw -lelf -liberty -lz $(if $(wildcard $(SYSROOT)/usr/include/lzma.h),-llzma)
SYS_pprof     := $(COMPRESSION) -lpcre2-8 -lm
SYS_net       := -lz
SYS_sampler   := -lcap -lseccomp
SYS_report    := -lm
# Without ncurses' header `sampler top` shows tables only.
SYS_cli       := $(if $(wildcard $(SYSROOT)/usr/include/curses.h),-lncursesw)
syslibs = $(foreach f,$(1),$(SYS_$(f)))
archives = $(patsubst %,$(BUILD)/lib%.a,$(1))

all: $(BUILD)/sampler $(BUILD)/libsampler-pprof.a ## build the program and the library (the default)

$(BUILD)/obj/%.o: %.c Makefile
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# Files that an object contains besides its includes.
$(BUILD)/obj/report/page.o: $(wildcard report/page/*)

define folder_rule
OBJS_$(1) := $$(patsubst %.c,$$(BUILD)/obj/%.o,$$(call sources,$(1)))
$$(BUILD)/lib$(1).a: $$(OBJS_$(1))
	$$(call say,AR,$$@)
	@rm -f $$@
	$$(Q)ar rcs $$@ $$^
endef
$(foreach f,$(FOLDERS),$(eval $(call folder_rule,$(f))))

OBJS_cli := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard cli/*.c))
$(BUILD)/sampler: $(OBJS_cli) $(call archives,$(DEPS_cli))
	$(call say,LD,$@)
	$(Q)$(CC) $(OBJS_cli) $(call archives,$(DEPS_cli)) $(ALL_LDFLAGS) $(call syslibs,$(DEPS_cli)) $(SYS_cli) -o $@

# The library for other programs (docs/library.md): what pprof/api*.c needs of pprof/ and base/, in
# one object, so that the names in between can be made local and collide with no other names.
# A shared object may link it.
$(BUILD)/obj/pprof/%.o $(BUILD)/obj/base/%.o: ALL_CFLAGS += -fPIC -fvisibility=hidden
OBJCOPY := $(shell $(CC) -print-prog-name=objcopy)
LIBRARY_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard pprof/api*.c))
$(BUILD)/obj/sampler-pprof.o: $(LIBRARY_OBJS) $(call archives,$(DEPS_pprof))
	$(call say,LD,$@)
	$(Q)$(CC) -r -nostdlib $^ -o $@
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='pprof_*' $@

$(BUILD)/libsampler-pprof.a: $(BUILD)/obj/sampler-pprof.o
	$(call say,AR,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^

# Only the program uses regular expressions. A library without a .pc file is named in Libs.
LIBRARY_SYS := $(sort $(filter-out -lpcre2-8,$(call syslibs,$(DEPS_pprof))))
LIBRARY_REQUIRES := $(patsubst libz,zlib,$(patsubst -l%,lib%,$(filter-out -lm,$(LIBRARY_SYS))))
LIBRARY_LIBS := $(filter -lm,$(LIBRARY_SYS))

# Some 400 test programs are linked. If lld is installed, it does that in half the time.
ifeq ($(SYSROOT),)
ifneq ($(shell command -v ld.lld),)
$(BUILD)/tests/%: ALL_LDFLAGS += -fuse-ld=lld -Wl,--threads=1,--build-id=sha1
endif
endif

# Unit tests: tests/unit/FOLDER/NAME_test.c links FOLDER and what is below it. Some use
# x86-64's register numbers and instructions, some aarch64's.
UNIT_x86_64 := $(patsubst %,tests/unit/%_test.c,goruntime/goplaces sampler/waits unwind/cfi unwind/expr unwind/guess unwind/insn unwind/machine unwind/step_go unwind/steps \
        unwind/table unwind/tablecache unwind/walk)
UNIT_aarch64 := $(wildcard tests/unit/*/*_aarch64_test.c)
UNIT_SOURCES := $(filter-out $(foreach a,$(OTHER_ARCHS),$(UNIT_$(a))),$(wildcard tests/unit/*/*_test.c))
UNIT := $(patsubst %.c,$(BUILD)/%,$(UNIT_SOURCES))
# Without Criterion, tests/lib/criterion/criterion.h replaces it; it says why.
CRITERION ?= $(if $(SANITIZE),,-lcriterion)
# Optimizing code that runs once would be half of a test's build. Each test is also built with
# sanitizers, and then with optimization, which some of gcc's warnings need.
$(BUILD)/obj/tests/unit/%.o: ALL_CFLAGS += $(if $(SANITIZE),,-O0) $(if $(CRITERION),,-Itests/lib)
UNIT_VALGRIND := $(patsubst %,$(BUILD)/tests/valgrind/%_test,base/cursor pprof/encode unwind/walk)
unit_folder = $(word 3,$(subst /, ,$(1)))

# The commands have no library of their own: what they share is tested as objects.
UNIT_OBJS_cli := $(patsubst %,$(BUILD)/obj/cli/%.o,formats goparse_url httpoptions moment types values)

define unit_rule
$(BUILD)/$(basename $(1)): $(BUILD)/obj/$(basename $(1)).o $(UNIT_OBJS_$(call unit_folder,$(1))) $(call archives,$(DEPS_$(call unit_folder,$(1))))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$^ $$(ALL_LDFLAGS) $(CRITERION) $(call syslibs,$(DEPS_$(call unit_folder,$(1)))) -o $$@
endef
$(foreach t,$(UNIT_SOURCES),$(eval $(call unit_rule,$(t))))

# valgrind takes a second to start, and Criterion would have it start for each test.
$(BUILD)/obj/tests/valgrind/%.o: tests/unit/%.c tests/lib/criterion/criterion.h Makefile
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests/lib -MMD -MP -c $< -o $@

define valgrind_rule
$(1): $(BUILD)/obj/tests/valgrind/$(2)_test.o $(call archives,$(DEPS_$(patsubst %/,%,$(dir $(2)))))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$^ $$(ALL_LDFLAGS) $(call syslibs,$(DEPS_$(patsubst %/,%,$(dir $(2))))) -o $$@
endef
$(foreach t,$(UNIT_VALGRIND),$(eval $(call valgrind_rule,$(t),$(patsubst $(BUILD)/tests/valgrind/%_test,%,$(t)))))

# Fuzz targets: tests/fuzz/FOLDER_NAME.c holds LLVMFuzzerTestOneInput; replay.c
# feeds it the corpus in tests/fuzz/corpus/FOLDER_NAME/.
FUZZ_x86_64 := unwind_guess
FUZZ_NAMES := $(filter-out replay $(foreach a,$(OTHER_ARCHS),$(FUZZ_$(a))),$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)))
REPLAY := $(patsubst %,$(BUILD)/tests/fuzz/%-replay,$(FUZZ_NAMES))
fuzz_folder = $(firstword $(subst _, ,$(1)))

define fuzz_rule
$(BUILD)/tests/fuzz/$(1)-replay: $(BUILD)/obj/tests/fuzz/$(1).o $(BUILD)/obj/tests/fuzz/replay.o $(call archives,$(DEPS_$(call fuzz_folder,$(1))))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$^ $$(ALL_LDFLAGS) $(call syslibs,$(DEPS_$(call fuzz_folder,$(1)))) -o $$@
build-fuzz/$(1): tests/fuzz/$(1).c $(foreach f,$(DEPS_$(call fuzz_folder,$(1))),$(call sources,$(f)))
	@mkdir -p $$(@D)
	clang $$(filter-out -O2,$$(ALL_CFLAGS)) -O1 -g -fsanitize=fuzzer,address,undefined $$^ -o $$@ $(call syslibs,$(DEPS_$(call fuzz_folder,$(1))))
endef
$(foreach f,$(FUZZ_NAMES),$(eval $(call fuzz_rule,$(f))))

# Programs of the tests and the bench: the first line "// links: FOLDER" names the
# folder whose libraries they link, the second, "// libs: …", other libraries.
TOOLS_x86_64 := tests/tools/insnlens.c tests/tools/stepcheck.c bench/unwind.c
TOOLS := $(patsubst %.c,$(BUILD)/%,$(filter-out $(foreach a,$(OTHER_ARCHS),$(TOOLS_$(a))),$(wildcard tests/tools/*.c bench/*.c)))
tool_links = $(foreach f,$(shell sed -n '1s,^// links: *,,p' $(1)),$(DEPS_$(f)))
tool_libs = $(shell sed -n '2s,^// libs: *,,p' $(1))

define tool_rule
$(BUILD)/$(basename $(1)): $(BUILD)/obj/$(basename $(1)).o $(call archives,$(call tool_links,$(1)))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$^ $$(ALL_LDFLAGS) $(call tool_libs,$(1)) $(call syslibs,$(call tool_links,$(1))) -o $$@
endef
$(foreach t,$(wildcard tests/tools/*.c bench/*.c),$(eval $(call tool_rule,$(t))))

$(BUILD)/demo: demo/demo.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -g -Wall -Wextra -D_GNU_SOURCE -pthread $< -o $@

include tests/fixtures/build.mk

SAN := SANITIZE=address,undefined BUILD=$(BUILD)-san

check-build: $(BUILD)/sampler $(BUILD)/libsampler-pprof.a $(BUILD)/demo $(UNIT) $(UNIT_VALGRIND) $(REPLAY) fixtures \
		$(filter $(BUILD)/tests/tools/% $(BUILD)/bench/delta,$(TOOLS)) # all that `make check` runs
	+$(Q)$(MAKE) --no-print-directory $(SAN) check-san-build

check-san-build: $(BUILD)/sampler $(BUILD)/libsampler-pprof.a $(UNIT) $(REPLAY) $(BUILD)/tests/tools/goprofile

check: check-build ## run every test suite
	$(Q)BUILD=$(BUILD) tests/run-suites

check-long: check-build ## the same with full counts, each release of Go, half an hour of soak, bare Debians (hours; root)
	$(Q)scripts/packages long
	$(Q)BUILD=$(BUILD) SAMPLER_TEST_LONG=1 SUITE_SECONDS=7200 tests/run-suites attach/ cross/ goparse/ goruntime/ oracle/ profiles/ programs/ rounds/ unit/
	$(Q)tests/fresh bookworm
	$(Q)tests/fresh trixie

accuracy: $(BUILD)/sampler ## stacks and symbols of real programs against gdb and others (half an hour)
	$(Q)BUILD=$(BUILD) tests/accuracy/run

bench: $(BUILD)/sampler $(filter $(BUILD)/bench/%,$(TOOLS)) fixtures ## measure against the peers
	$(Q)BUILD=$(BUILD) bench/run

BASH_COMPLETION = $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sampler
ZSH_COMPLETION = $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sampler
UNIT_DIR = $(DESTDIR)$(PREFIX)/lib/systemd/system
MAN_DIR = $(DESTDIR)$(PREFIX)/share/man/man1
DOC_DIR = $(DESTDIR)$(PREFIX)/share/doc/sampler
INSTALLED_DOCS := README.md LICENSE $(patsubst %,docs/%.md,accuracy architecture bench calls delta \
                  glossary go goparse library metrics production style testing tour transparency)
INSTALLED_EXAMPLES := packaging/systemd/sampler.conf packaging/kubernetes/sidecar.yaml \
                      packaging/kubernetes/debug-container.yaml packaging/Dockerfile
INSTALLED_LIBRARY := $(DESTDIR)$(LIBDIR)/libsampler-pprof.a \
                     $(DESTDIR)$(LIBDIR)/pkgconfig/sampler-pprof.pc \
                     $(DESTDIR)$(PREFIX)/include/sampler-pprof.h

# A .pc file uses ${prefix} where it can: after the tree was moved, only one line changes.
relocatable = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
fill_in = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(call relocatable,$(LIBDIR))|' \
          -e 's|@VERSION@|$(VERSION)|' -e 's|@REQUIRES@|$(LIBRARY_REQUIRES)|' -e 's|@LIBS@|$(LIBRARY_LIBS)|'

install: $(BUILD)/sampler $(BUILD)/libsampler-pprof.a ## install below $(DESTDIR)$(PREFIX)
	install -D -m 755 $(BUILD)/sampler $(DESTDIR)$(PREFIX)/bin/sampler
	install -d -m 755 $(sort $(dir $(INSTALLED_LIBRARY)))
	install -m 644 $(BUILD)/libsampler-pprof.a $(DESTDIR)$(LIBDIR)
	install -m 644 pprof/sampler-pprof.h $(DESTDIR)$(PREFIX)/include
	$(fill_in) pprof/sampler-pprof.pc.in | install -m 644 /dev/stdin \
		$(DESTDIR)$(LIBDIR)/pkgconfig/sampler-pprof.pc
	install -D -m 644 docs/sampler.1 $(MAN_DIR)/sampler.1
	install -D -m 644 packaging/completions/sampler.bash $(BASH_COMPLETION)
	install -D -m 644 packaging/completions/_sampler $(ZSH_COMPLETION)
	install -d -m 755 $(UNIT_DIR)
	$(fill_in) packaging/systemd/sampler@.service.in | install -m 644 /dev/stdin \
		$(UNIT_DIR)/sampler@.service
	install -d -m 755 $(DOC_DIR)
	install -m 644 $(INSTALLED_DOCS) $(INSTALLED_EXAMPLES) $(DOC_DIR)

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/sampler $(MAN_DIR)/sampler.1 $(INSTALLED_LIBRARY)
	rm -f $(BASH_COMPLETION) $(ZSH_COMPLETION) $(UNIT_DIR)/sampler@.service
	rm -f $(addprefix $(DOC_DIR)/,$(notdir $(INSTALLED_DOCS) $(INSTALLED_EXAMPLES)))
	-rmdir $(DOC_DIR)

clean: ## remove everything that was built
	rm -rf build build-san build-clang build-san-clang build-fuzz build-aarch64

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1@\2/p' $(MAKEFILE_LIST) | column -t -s @

.PHONY: all accuracy check check-long check-build check-san-build bench install uninstall clean help fixtures
.DELETE_ON_ERROR:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
