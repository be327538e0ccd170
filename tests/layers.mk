# The layers: what a room's files may include besides their own room's headers and base/'s, no more
# and no less. A room is a folder. The Makefile links it with all that it reaches, in the order of
# LAYERS; tests/layers.test compares with the #include lines, and with the table in
# docs/architecture.md.
LAYERS := sampler/cli sampler/cli/top sampler/cli/record sampler/cli/goparse sampler/cli/profiles \
	sampler/cli/rounds sampler/cli/common sampler/rounds sampler/rounds/collect sampler/rounds/push \
	sampler/rounds/catalog sampler/rounds/batch sampler/rounds/source sampler/rounds/metrics \
	sampler sampler/dump sampler/profile sampler/net sampler/tick sampler/capture sampler/recorded sampler/member sampler/account \
	sampler/resource sampler/lock sampler/stop sampler/atrest sampler/thread sampler/child sampler/go/profile sampler/go/session \
	sampler/go/numbers sampler/go/stacks sampler/go sampler/go/find sampler/interp sampler/interp/cpython \
	sampler/interp/ruby sampler/interp/php sampler/interp/hotspot sampler/interp/hotspot/vm \
	sampler/interp/v8 sampler/interp/v8/heap sampler/interp/beam sampler/interp/gdbjit sampler/interp/common sampler/unwind \
	sampler/unwind/code sampler/unwind/table goparse/profile goparse/summary goparse/log goparse/log/lines goparse delta \
	pprof/library pprof/file pprof/legacy pprof/gotext pprof/otlp pprof/flame pprof/wire pprof/report \
	pprof/graph pprof/select pprof symbolize symbolize/dwarf symbolize/jit symbolize/files \
	base/process base/elf base/file base

SEES_sampler/cli            := sampler/cli/common
SEES_sampler/cli/top        := sampler/cli/record sampler/cli/common sampler sampler/profile sampler/account sampler/child pprof/report pprof/graph pprof base/process base/file
SEES_sampler/cli/record     := sampler/cli/common sampler/rounds sampler/rounds/batch sampler/rounds/collect sampler/rounds/push sampler/rounds/source sampler sampler/resource sampler/dump sampler/profile sampler/account sampler/lock sampler/stop sampler/thread sampler/child sampler/unwind pprof/file pprof symbolize base/process base/file
SEES_sampler/cli/goparse    := sampler/cli/common goparse/profile goparse/summary goparse/log goparse pprof/file pprof/wire pprof/report pprof/graph pprof base/file
SEES_sampler/cli/profiles   := sampler/cli/rounds sampler/cli/common delta pprof/file pprof/wire pprof/report pprof/flame pprof/graph pprof/select pprof base/file
SEES_sampler/cli/rounds     := sampler/cli/common sampler/rounds/catalog sampler/rounds/batch sampler/rounds/source sampler/profile delta pprof/file pprof base/file
SEES_sampler/cli/common     := sampler/rounds/source sampler/net pprof/file pprof/gotext pprof/otlp pprof/wire pprof/report pprof/flame pprof/graph pprof base/process base/file
SEES_sampler/rounds         := sampler/rounds/collect sampler/rounds/push sampler/rounds/batch sampler/rounds/source sampler/rounds/metrics sampler sampler/resource delta pprof/file pprof/wire pprof base/file
SEES_sampler/rounds/collect := sampler/rounds/source sampler/child
SEES_sampler/rounds/push    := sampler/rounds/batch sampler/rounds/source sampler/net sampler/child pprof/file pprof/otlp pprof/wire pprof
SEES_sampler/rounds/catalog := sampler/rounds/batch
SEES_sampler/rounds/batch   := base/file
SEES_sampler/rounds/source  := sampler/net sampler/rounds/metrics sampler/profile sampler/stop sampler/go/profile sampler/go/session goparse/profile pprof/wire pprof
SEES_sampler/net     :=
SEES_sampler/rounds/metrics := sampler/resource sampler/go/numbers sampler/go/find base/process
SEES_sampler                := sampler/profile sampler/tick sampler/recorded sampler/member sampler/thread sampler/child sampler/unwind base/process base/file
SEES_sampler/dump           := sampler/profile sampler/member sampler/interp sampler/interp/common sampler/lock sampler/stop sampler/atrest sampler/thread sampler/child sampler/unwind sampler/unwind/table symbolize base/process base/file
SEES_sampler/profile        := sampler/net sampler/tick sampler/recorded sampler/member sampler/account sampler/interp sampler/lock sampler/thread sampler/child sampler/go sampler/unwind/table pprof/wire pprof/select pprof symbolize symbolize/files base/process base/file
SEES_sampler/tick           := sampler/capture sampler/recorded sampler/member sampler/account sampler/interp sampler/interp/common sampler/stop sampler/atrest sampler/thread sampler/child sampler/unwind base/process
SEES_sampler/recorded       := sampler/member sampler/account sampler/interp sampler/lock sampler/thread base/process
SEES_sampler/capture        := sampler/member sampler/account sampler/interp sampler/stop sampler/atrest sampler/thread sampler/child sampler/unwind/table base/process
SEES_sampler/member         := sampler/thread sampler/go sampler/go/find sampler/interp sampler/unwind/table symbolize symbolize/jit base/process
SEES_sampler/account        := sampler/unwind base/process
SEES_sampler/resource       := base/process
SEES_sampler/lock           := sampler/thread base/process
SEES_sampler/stop           := sampler/thread sampler/child sampler/go/stacks base/process
SEES_sampler/atrest         := sampler/thread
SEES_sampler/thread         := sampler/go sampler/interp/common sampler/unwind sampler/unwind/table symbolize base/process
SEES_sampler/child          := symbolize base/process base/file
SEES_sampler/go/profile     := sampler/go/session sampler/go/numbers sampler/go/stacks sampler/go goparse/profile goparse pprof/gotext pprof base/process
SEES_sampler/go/session     := sampler/go/numbers sampler/go/stacks sampler/go sampler/go/find goparse pprof/gotext pprof base/process
SEES_sampler/go/numbers     := sampler/go/stacks sampler/go sampler/go/find base/process
SEES_sampler/go/stacks      := sampler/go sampler/go/find base/process
SEES_sampler/go             := sampler/go/find sampler/unwind sampler/unwind/table base/process
SEES_sampler/go/find        := sampler/unwind/code base/process base/elf
SEES_sampler/interp         := sampler/interp/cpython sampler/interp/ruby sampler/interp/php sampler/interp/hotspot sampler/interp/v8 sampler/interp/beam sampler/interp/gdbjit sampler/interp/common sampler/unwind base/process
SEES_sampler/interp/cpython := sampler/interp/common sampler/unwind sampler/unwind/table base/process
SEES_sampler/interp/ruby    := sampler/interp/common sampler/unwind sampler/unwind/code sampler/unwind/table base/process
SEES_sampler/interp/php     := sampler/interp/common sampler/unwind sampler/unwind/table base/process
SEES_sampler/interp/hotspot := sampler/interp/hotspot/vm sampler/interp/common sampler/unwind sampler/unwind/code base/process
SEES_sampler/interp/hotspot/vm := base/process
SEES_sampler/interp/v8      := sampler/interp/v8/heap sampler/interp/common sampler/unwind sampler/unwind/code sampler/unwind/table base/process
SEES_sampler/interp/v8/heap := sampler/interp/common sampler/unwind/code base/process
SEES_sampler/interp/beam    := sampler/interp/common sampler/unwind/code sampler/unwind/table base/process
SEES_sampler/interp/gdbjit  := sampler/interp/common sampler/unwind sampler/unwind/table base/process
SEES_sampler/interp/common  := sampler/unwind base/process
SEES_sampler/unwind         := sampler/unwind/code sampler/unwind/table base/process
SEES_sampler/unwind/code    := sampler/unwind/table base/process
SEES_sampler/unwind/table   := base/process base/elf
SEES_goparse/profile        := goparse pprof
SEES_goparse/summary        := goparse
SEES_goparse/log            := goparse/log/lines goparse
SEES_goparse/log/lines      := goparse
SEES_goparse                :=
SEES_delta                  := pprof/wire
SEES_pprof/library          := pprof/file pprof/wire pprof base/file
SEES_pprof/file             := pprof/legacy pprof/wire pprof
SEES_pprof/legacy           := pprof/gotext pprof
SEES_pprof/gotext           := pprof
SEES_pprof/otlp             := pprof/wire pprof
SEES_pprof/wire             := pprof base/file
SEES_pprof/report           := pprof/graph pprof/select pprof
SEES_pprof/flame            := pprof/wire pprof/graph pprof
SEES_pprof/graph            := pprof
SEES_pprof/select           := pprof
SEES_pprof                  :=
SEES_symbolize              := symbolize/dwarf symbolize/jit symbolize/files base/process
SEES_symbolize/dwarf        := symbolize/files base/process base/elf
SEES_symbolize/jit          := base/process
SEES_symbolize/files        := base/process base/elf
SEES_base/process           := base/elf base/file
SEES_base/elf               :=
SEES_base/file              :=
SEES_base                   :=
