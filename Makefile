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
# 1: all that a program links is in it (`make static`), in a folder of its own.
STATIC  ?=
# One name for one folder: a dependency file has it as its target.
override BUILD := $(patsubst $(CURDIR)/%,%,$(BUILD))
# With sanitizers, -O2 -g takes nearly three times as long to compile. xxhash.h insists on inlining,
# which -Og does not do.
OPT     ?= $(if $(SANITIZE),-Og -g1 -DXXH_NO_INLINE_HINTS=1,-O2 -g)

ARCH := $(shell $(CC) -dumpmachine | sed 's/-.*//')
WARN := -Wall -Wextra -Wshadow -Wvla -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes \
        -Wwrite-strings -Wundef
# The names of this folder, the build's and SYSROOT are replaced, so that another folder gives the same bytes.
STATIC_CFLAGS = -DSAMPLER_STATIC -DCURL_STATICLIB -I$(BUILD)/curl/include -fPIE -ffunction-sections -fdata-sections \
        -fstack-protector-strong -fstack-clash-protection $(if $(findstring -O0,$(OPT)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2) \
        $(if $(filter x86_64,$(ARCH)),-fcf-protection,-mbranch-protection=standard) \
        -ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(BUILD)=build $(if $(SYSROOT),-ffile-prefix-map=$(SYSROOT)=)
STATIC_LDFLAGS = -static-pie -Wl,-z,relro,-z,now,--gc-sections,--build-id=sha1,--fatal-warnings,--wrap=dlopen
ALL_CFLAGS := $(if $(SYSROOT),--sysroot=$(SYSROOT)) -std=gnu17 $(OPT) $(WARN) -D_GNU_SOURCE -DSAMPLER_VERSION='"$(VERSION)"' -I. \
        -fno-strict-aliasing -pthread $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer \
        -fno-sanitize-recover=undefined) $(if $(STATIC),$(STATIC_CFLAGS)) $(CPPFLAGS) $(CFLAGS)
# A cross compiler takes the libc of its own packages first, which are older than the folder's.
ALL_LDFLAGS := $(if $(SYSROOT),--sysroot=$(SYSROOT) -B$(SYSROOT)/usr/lib/$(shell $(CC) -dumpmachine)) -pthread $(if $(SANITIZE),-fsanitize=$(SANITIZE)) \
        $(if $(STATIC),$(STATIC_LDFLAGS)) $(LDFLAGS)

ifneq ($(V),1)
Q := @
say = @printf '  %-7s %s\n' $(1) $(2)
endif

# A folder's files, without those named for an architecture that the compiler does not build for.
OTHER_ARCHS := $(filter-out $(ARCH),x86_64 aarch64)
sources = $(filter-out $(foreach a,$(OTHER_ARCHS),$(1)/%_$(a).c),$(wildcard $(1)/*.c))

# A room, which is a folder, is a library of its own, and links with all that it may include,
# directly or not. LAYERS has each room before those that it sees.
include tests/layers.mk
reversed = $(if $(1),$(call reversed,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
$(foreach r,$(call reversed,$(LAYERS)),$(eval REACH_$(r) := $(sort $(r) base $(foreach s,$(SEES_$(r)),$(REACH_$(s))))))
# What several rooms link with.
deps = $(filter $(foreach r,$(1),$(REACH_$(r))),$(LAYERS))

# Tests, fuzz targets and tools: the first line "// links: ROOM…" names the rooms that they link
# with, a unit test's besides its own.
comma := ,
LINKS := $(shell awk 'FNR == 1 && sub("^// links: *", "") { gsub(" ", ","); print FILENAME ":" $$0 }' \
	$$(find tests/unit tests/fuzz tests/tools tools/bench -name '*.c'))
links = $(subst $(comma), ,$(patsubst $(1):%,%,$(filter $(1):%,$(LINKS))))

SYS_base             := -lxxhash -lz
# Without libzstd's header, data compressed by zstd cannot be read. Without libdeflate's, zlib
# is used, which takes twice as long.
COMPRESSION          := -lz $(if $(wildcard $(SYSROOT)/usr/include/libdeflate.h),-ldeflate) $(if $(wildcard $(SYSROOT)/usr/include/zstd.h),-lzstd)
SYS_base/process     := -lelf
SYS_base/elf         := -lelf $(COMPRESSION)
SYS_unwind/table := -ldw -lelf
# libdw depends on liblzma already; only its header may be missing.
SYS_symbolize/files  := -ldw -lelf -lz $(if $(wildcard $(SYSROOT)/usr/include/lzma.h),-llzma)
SYS_symbolize        := -liberty
SYS_pprof            := -lm
SYS_pprof/wire       := $(COMPRESSION)
SYS_pprof/file       := $(COMPRESSION)
SYS_pprof/select     := -lpcre2-8
SYS_sampler/child    := -lcap -lseccomp
SYS_sampler/thread   := -lseccomp
# Without ncurses' header `sampler top` shows tables only.
SYS_cli/top  := $(if $(wildcard $(SYSROOT)/usr/include/curses.h),-lncursesw)
ifneq ($(STATIC),)
# Archives need what shared libraries bring with them. In a group their order does not matter.
SYS_base/net := $(BUILD)/curl/libcurl.a -lnghttp2 -lcares -lssl -lcrypto
SYS_symbolize/files  += -lbz2
SYS_cli/top  := $(if $(wildcard $(SYSROOT)/usr/include/curses.h),-lncursesw -ltinfo)
syslibs = -Wl,--start-group $(call archives,base) $(foreach r,$(1),$(SYS_$(r))) -Wl,--end-group
else
syslibs = $(foreach r,$(1),$(SYS_$(r)))
endif
archives = $(patsubst %,$(BUILD)/lib/%.a,$(1))

all: $(BUILD)/sampler $(BUILD)/libsampler-pprof.a ## build the program and the library (the default)

# Other compiler flags, or another compiler, compile everything anew. Read here, the variables do not
# have what is added below for some objects. Several makes may do this at once (tests install from one
# build), so there is no file in between.
FLAGS := '$(subst ','"'"',$(CC) $(ALL_CFLAGS))'
$(BUILD)/flags: always
	@mkdir -p $(@D)
	@echo $(FLAGS) | cmp -s - $@ || echo $(FLAGS) >$@

$(BUILD)/obj/%.o: %.c Makefile $(BUILD)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# Files that an object contains besides its includes.
$(BUILD)/obj/pprof/flame/page.o: $(wildcard pprof/flame/page/*)

# The folder changes when a file leaves it, whose object must leave the archive.
define room_rule
OBJS_$(1) := $$(patsubst %.c,$$(BUILD)/obj/%.o,$$(call sources,$(1)))
$$(BUILD)/lib/$(1).a: $$(OBJS_$(1)) $(1)
	$$(call say,AR,$$@)
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(Q)ar rcs $$@ $$(OBJS_$(1))
endef
$(foreach r,$(LAYERS),$(eval $(call room_rule,$(r))))

$(BUILD)/sampler: $(call archives,$(LAYERS))
	$(call say,LD,$@)
	$(Q)$(CC) $(call archives,$(LAYERS)) $(ALL_LDFLAGS) $(call syslibs,$(LAYERS)) -o $@

# An update of a library is linked, too: the list of packages is newer then.
ifneq ($(STATIC),)
$(BUILD)/sampler: $(BUILD)/curl/libcurl.a $(wildcard $(SYSROOT)/var/lib/dpkg/status)
endif

# The library for other programs (docs/library.md): pprof/library/ and what it needs, in one object, so that the names in between can be made local and collide with no other names.
# A shared object may link it.
$(BUILD)/obj/pprof/%.o $(BUILD)/obj/base/%.o: ALL_CFLAGS += -fPIC -fvisibility=hidden
OBJCOPY := $(shell $(CC) -print-prog-name=objcopy)
LIBRARY_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard pprof/library/*.c))
$(BUILD)/obj/sampler-pprof.o: $(LIBRARY_OBJS) $(call archives,$(call deps,pprof/library))
	$(call say,LD,$@)
	$(Q)$(CC) -r -nostdlib $^ -o $@
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='pprof_*' $@

$(BUILD)/libsampler-pprof.a: $(BUILD)/obj/sampler-pprof.o
	$(call say,AR,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^

# A library without a .pc file is named in Libs.
LIBRARY_SYS := $(sort $(call syslibs,$(call deps,pprof/library)))
LIBRARY_REQUIRES := $(patsubst libz,zlib,$(patsubst -l%,lib%,$(filter-out -lm,$(LIBRARY_SYS))))
LIBRARY_LIBS := $(filter -lm,$(LIBRARY_SYS))

# Some 400 test programs are linked. If lld is installed, it does that in half the time.
ifeq ($(SYSROOT),)
ifneq ($(shell command -v ld.lld),)
$(BUILD)/tests/%: ALL_LDFLAGS += -fuse-ld=lld -Wl,--threads=1,--build-id=sha1
endif
endif

# Unit tests: tests/unit/ROOM/NAME_test.c links ROOM and what is below it. Some use
# x86-64's register numbers and instructions, some aarch64's.
UNIT_x86_64 := $(patsubst %,tests/unit/%_test.c,runtimes/go/find/places runtimes/beam/depth sampler/thread/interruptible unwind/table/cfi unwind/expr \
        unwind/guess unwind/code/insn unwind/code/emulator unwind/step_go \
        unwind/steps unwind/table/table unwind/walk) \
        $(shell find tests/unit -name '*_x86_64_test.c')
UNIT_aarch64 := $(shell find tests/unit -name '*_aarch64_test.c')
UNIT_SOURCES := $(filter-out $(foreach a,$(OTHER_ARCHS),$(UNIT_$(a))),$(shell find tests/unit -name '*_test.c'))
UNIT := $(patsubst %.c,$(BUILD)/%,$(UNIT_SOURCES))
# Without Criterion, tests/lib/criterion/criterion.h replaces it; it says why.
CRITERION ?= $(if $(SANITIZE),,-lcriterion)
# Optimizing code that runs once would be half of a test's build. Each test is also built with
# sanitizers, and then with optimization, which some of gcc's warnings need.
$(BUILD)/obj/tests/unit/%.o: ALL_CFLAGS += $(if $(SANITIZE),,-O0 -U_FORTIFY_SOURCE) $(if $(CRITERION),,-Itests/lib)
UNIT_VALGRIND := $(patsubst %,$(BUILD)/tests/valgrind/%_test,base/cursor pprof/wire/encode unwind/walk)
unit_room = $(patsubst tests/unit/%/,%,$(dir $(1)))
unit_deps = $(call deps,$(call unit_room,$(1)) $(call links,$(1)))

define unit_rule
$(BUILD)/$(basename $(1)): $(BUILD)/obj/$(basename $(1)).o $(call archives,$(call unit_deps,$(1)))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$^ $$(ALL_LDFLAGS) $(CRITERION) $(call syslibs,$(call unit_deps,$(1))) -o $$@
endef
$(foreach t,$(UNIT_SOURCES),$(eval $(call unit_rule,$(t))))

# valgrind takes a second to start, and Criterion would have it start for each test.
$(BUILD)/obj/tests/valgrind/%.o: tests/unit/%.c tests/lib/criterion/criterion.h Makefile $(BUILD)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests/lib -MMD -MP -c $< -o $@

define valgrind_rule
$(1): $(BUILD)/obj/tests/valgrind/$(2)_test.o $(call archives,$(call deps,$(patsubst %/,%,$(dir $(2)))))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$^ $$(ALL_LDFLAGS) $(call syslibs,$(call deps,$(patsubst %/,%,$(dir $(2))))) -o $$@
endef
$(foreach t,$(UNIT_VALGRIND),$(eval $(call valgrind_rule,$(t),$(patsubst $(BUILD)/tests/valgrind/%_test,%,$(t)))))

# Fuzz targets: tests/fuzz/TARGET.c holds LLVMFuzzerTestOneInput; replay.c
# feeds it the corpus in tests/fuzz/corpus/TARGET/.
FUZZ_x86_64 := beam_chain unwind_guess unwind_prove v8_chain
FUZZ_NAMES := $(filter-out replay $(foreach a,$(OTHER_ARCHS),$(FUZZ_$(a))),$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)))
REPLAY := $(patsubst %,$(BUILD)/tests/fuzz/%-replay,$(FUZZ_NAMES))
fuzz_deps = $(call deps,$(call links,tests/fuzz/$(1).c))

define fuzz_rule
$(BUILD)/tests/fuzz/$(1)-replay: $(BUILD)/obj/tests/fuzz/$(1).o $(BUILD)/obj/tests/fuzz/replay.o $(call archives,$(call fuzz_deps,$(1)))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$^ $$(ALL_LDFLAGS) $(call syslibs,$(call fuzz_deps,$(1))) -o $$@
build-fuzz/$(1): tests/fuzz/$(1).c $(foreach r,$(call fuzz_deps,$(1)),$(call sources,$(r)))
	@mkdir -p $$(@D)
	clang $$(filter-out -O2,$$(ALL_CFLAGS)) -O1 -g -fsanitize=fuzzer,address,undefined $$^ -o $$@ $(call syslibs,$(call fuzz_deps,$(1)))
endef
$(foreach f,$(FUZZ_NAMES),$(eval $(call fuzz_rule,$(f))))

# Programs of the tests and the bench. Their second line, "// libs: …", names other libraries.
TOOLS_x86_64 := tests/tools/insnlens.c tests/tools/stepcheck.c tools/bench/unwind.c
TOOLS := $(patsubst %.c,$(BUILD)/%,$(filter-out $(foreach a,$(OTHER_ARCHS),$(TOOLS_$(a))),$(wildcard tests/tools/*.c tools/bench/*.c)))
tool_links = $(call deps,$(call links,$(1)))
tool_libs = $(shell sed -n '2s,^// libs: *,,p' $(1))

define tool_rule
$(BUILD)/$(basename $(1)): $(BUILD)/obj/$(basename $(1)).o $(call archives,$(call tool_links,$(1)))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$^ $$(ALL_LDFLAGS) $(call tool_libs,$(1)) $(call syslibs,$(call tool_links,$(1))) -o $$@
endef
$(foreach t,$(wildcard tests/tools/*.c tools/bench/*.c),$(eval $(call tool_rule,$(t))))

$(BUILD)/demo: tools/demo.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -g -Wall -Wextra -D_GNU_SOURCE -pthread $< -o $@

# One file for any Linux of this architecture (docs/production.md). Its debug information stands beside
# it; gdb finds that by .gnu_debuglink there, and by build ID in /usr/lib/debug/.build-id/.
STATIC_BUILD := $(BUILD)/static
static: $(BUILD)/sampler-static ## one file without shared libraries, build/sampler-static (after tools/packages static)
$(BUILD)/sampler-static: $(STATIC_BUILD)/sampler
	$(call say,STRIP,$@)
	$(Q)$(OBJCOPY) --only-keep-debug $(STATIC_BUILD)/sampler $@.debug
	$(Q)$(OBJCOPY) --strip-all --add-gnu-debuglink=$@.debug $(STATIC_BUILD)/sampler $@

static-program: $(STATIC_BUILD)/curl/libcurl.a
	+$(Q)$(MAKE) --no-print-directory STATIC=1 BUILD=$(STATIC_BUILD) SANITIZE= $(STATIC_BUILD)/sampler

$(STATIC_BUILD)/sampler: static-program
	@:

$(STATIC_BUILD)/curl/libcurl.a: tools/static/libcurl $(wildcard /var/lib/dpkg/status)
	$(call say,CURL,$@)
	$(Q)tools/static/libcurl build $(@D) "$(CC)" "$(SYSROOT)"

wheel: $(BUILD)/sampler-static ## the same as a package for pip, build/wheel/
	$(Q)tools/static/wheel $(VERSION) $(ARCH) $(BUILD)/sampler-static $(BUILD)/wheel

include tests/fixtures/build.mk

SAN := SANITIZE=address,undefined BUILD=$(BUILD)-san

check-build: $(BUILD)/sampler $(BUILD)/libsampler-pprof.a $(BUILD)/demo $(UNIT) $(UNIT_VALGRIND) $(REPLAY) fixtures \
		$(filter $(BUILD)/tests/tools/% $(BUILD)/tools/bench/delta,$(TOOLS)) # all that `make check` runs
	+$(Q)$(MAKE) --no-print-directory $(SAN) check-san-build

check-san-build: $(BUILD)/sampler $(BUILD)/libsampler-pprof.a $(UNIT) $(REPLAY) $(BUILD)/tests/tools/goprofile

check: check-build ## run every test suite
	$(Q)BUILD=$(BUILD) tests/run-suites

# As tests/run-suites names the suites: those whose name holds one of the words. Which of the programs a
# script runs is not known here, so for one all of them are built.
held = $(if $(T),$(foreach t,$(1),$(if $(strip $(foreach w,$(T),$(findstring $(w),$(patsubst $(2),$(3),$(t))))),$(t))),$(1))
for_scripts = $(if $(strip $(call held,$(wildcard tests/*.test tests/*/*.test),tests/%.test,%)),$(1))

test-build: $(call held,$(UNIT),$(BUILD)/tests/unit/%,unit/%) \
		$(call held,$(UNIT_VALGRIND),$(BUILD)/tests/valgrind/%,valgrind/%) \
		$(call held,$(REPLAY),$(BUILD)/tests/fuzz/%-replay,fuzz/%) \
		$(call for_scripts,$(BUILD)/sampler $(BUILD)/libsampler-pprof.a $(BUILD)/demo fixtures \
			$(filter $(BUILD)/tests/tools/% $(BUILD)/tools/bench/delta,$(TOOLS)))

test-san-build: $(call held,$(UNIT),$(BUILD)/tests/unit/%,sanitized/%) \
		$(call held,$(REPLAY),$(BUILD)/tests/fuzz/%-replay,fuzz-sanitized/%) \
		$(call for_scripts,$(BUILD)/sampler $(BUILD)/libsampler-pprof.a $(BUILD)/tests/tools/goprofile)
	@:

test: test-build ## run the suites whose names hold one of the words T, and build only what these need
	+$(Q)$(MAKE) --no-print-directory $(SAN) test-san-build
	$(Q)BUILD=$(BUILD) tests/run-suites $(T)

# These rooms deal with bytes, so that a package's build needs nothing but Criterion for their tests.
BYTES := base delta goparse pprof
check-bytes: $(filter $(addprefix $(BUILD)/tests/unit/,$(addsuffix /%,$(BYTES))),$(UNIT)) ## unit tests that need only Criterion
	$(Q)BUILD=$(BUILD) tests/run-suites $(addprefix unit/,$(BYTES))

check-long: check-build ## the same with full counts, each release of Go, half an hour of soak, bare Debians (hours; root)
	$(Q)tools/packages long
	$(Q)failed=0; \
	BUILD=$(BUILD) SAMPLER_TEST_LONG=1 SUITE_SECONDS=7200 tests/run-suites attach/ cross/ goparse/ goruntime/ oracle/ packaging/ profiles/ programs/ rounds/ servers/ static/ unit/ || failed=1; \
	for debian in bookworm trixie sid; do tests/fresh $$debian || failed=1; done; \
	exit $$failed

# tests/format.test is the check.
CLANG_FORMAT = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/sampler-tests/clang-format-$(shell sed -n 's/^CLANG_FORMAT=\([0-9.]*\).*/\1/p' tools/pins)
format: ## lay out the C code as .clang-format says (after tools/packages test)
	$(Q)git ls-files '*.c' '*.h' | xargs $(CLANG_FORMAT)/clang_format/data/bin/clang-format -i

accuracy: $(BUILD)/sampler ## stacks and symbols of real programs against gdb and others (half an hour)
	$(Q)BUILD=$(BUILD) tests/accuracy/run

# Said in words: without them the compiler's errors are a page long.
bench-needs:
	$(Q)echo '#include <libunwind-ptrace.h>' | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 || \
		{ echo "make bench needs libunwind's headers (Debian: libunwind-dev): tools/packages test installs them" >&2; exit 1; }

$(BUILD)/tools/bench/unwind: | bench-needs

bench: $(BUILD)/sampler $(filter $(BUILD)/tools/bench/%,$(TOOLS)) fixtures ## measure against the peers
	$(Q)BUILD=$(BUILD) tools/bench/run

BASH_COMPLETION = $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sampler
ZSH_COMPLETION = $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sampler
UNIT_DIR = $(DESTDIR)$(PREFIX)/lib/systemd/system
MAN_DIR = $(DESTDIR)$(PREFIX)/share/man/man1
DOC_DIR = $(DESTDIR)$(PREFIX)/share/doc/sampler
INSTALLED_PAGES := $(wildcard docs/*.md) docs/redis.svg docs/report.schema.json
INSTALLED_EXAMPLES := tools/packaging/systemd/sampler.conf tools/packaging/kubernetes/sidecar.yaml \
                      tools/packaging/kubernetes/debug-container.yaml tools/packaging/Dockerfile
INSTALLED_LIBRARY := $(DESTDIR)$(LIBDIR)/libsampler-pprof.a \
                     $(DESTDIR)$(LIBDIR)/pkgconfig/sampler-pprof.pc \
                     $(DESTDIR)$(PREFIX)/include/sampler-pprof.h

# What a page links to that is not installed, files of the tree, is named without a link.
without_links = sed -zE 's!\[([^][]*)\]\((\.\./[^)]*|howto/[^)]*|sampler\.1)\)!\1!g'

# A .pc file uses ${prefix} where it can: after the tree was moved, only one line changes.
relocatable = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
fill_in = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(call relocatable,$(LIBDIR))|' \
          -e 's|@VERSION@|$(VERSION)|' -e 's|@REQUIRES@|$(LIBRARY_REQUIRES)|' -e 's|@LIBS@|$(LIBRARY_LIBS)|'

install: $(BUILD)/sampler $(BUILD)/libsampler-pprof.a ## install below $(DESTDIR)$(PREFIX)
	install -D -m 755 $(BUILD)/sampler $(DESTDIR)$(PREFIX)/bin/sampler
	install -d -m 755 $(sort $(dir $(INSTALLED_LIBRARY)))
	install -m 644 $(BUILD)/libsampler-pprof.a $(DESTDIR)$(LIBDIR)
	install -m 644 pprof/library/sampler-pprof.h $(DESTDIR)$(PREFIX)/include
	$(fill_in) pprof/library/sampler-pprof.pc.in | install -m 644 /dev/stdin \
		$(DESTDIR)$(LIBDIR)/pkgconfig/sampler-pprof.pc
	install -D -m 644 docs/sampler.1 $(MAN_DIR)/sampler.1
	install -D -m 644 tools/packaging/completions/sampler.bash $(BASH_COMPLETION)
	install -D -m 644 tools/packaging/completions/_sampler $(ZSH_COMPLETION)
	install -d -m 755 $(UNIT_DIR)
	$(fill_in) tools/packaging/systemd/sampler@.service.in | install -m 644 /dev/stdin \
		$(UNIT_DIR)/sampler@.service
	install -d -m 755 $(DOC_DIR)/docs
	install -m 644 README.md LICENSE $(INSTALLED_EXAMPLES) $(DOC_DIR)
	for page in $(INSTALLED_PAGES); do \
		$(without_links) $$page | install -m 644 /dev/stdin $(DOC_DIR)/$$page || exit 1; \
	done

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/sampler $(MAN_DIR)/sampler.1 $(INSTALLED_LIBRARY)
	rm -f $(BASH_COMPLETION) $(ZSH_COMPLETION) $(UNIT_DIR)/sampler@.service
	rm -f $(addprefix $(DOC_DIR)/,README.md LICENSE $(INSTALLED_PAGES) $(notdir $(INSTALLED_EXAMPLES)))
	-rmdir $(DOC_DIR)/docs $(DOC_DIR)

include tools/packaging/release.mk

clean: ## remove everything that was built
	rm -rf build build-san build-clang build-san-clang build-fuzz build-aarch64

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1@\2/p' $(MAKEFILE_LIST) | column -t -s @

.PHONY: all always accuracy check check-bytes check-long check-build check-san-build test test-build test-san-build format bench bench-needs install uninstall static static-program wheel clean help fixtures
.DELETE_ON_ERROR:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
