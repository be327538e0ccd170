# The layers: what a room's files may include besides their own room's headers and base/'s, no more
# and no less. A room is a folder. The Makefile links it with all that it reaches, in the order of
# LAYERS; tests/layers.test compares with the #include lines. docs/architecture.md has the rooms at the top.
LAYERS := cli cli/top cli/dump cli/dump/merge cli/record cli/goparse cli/profiles cli/rounds cli/common rounds \
	rounds/collect rounds/push rounds/catalog rounds/batch rounds/source rounds/metrics sampler \
	sampler/dump sampler/profile base/net sampler/tick sampler/capture sampler/recorded \
	sampler/member sampler/account rounds/resource sampler/awaited sampler/lock sampler/stop \
	sampler/atrest sampler/thread sampler/child runtimes/go/profile runtimes/go/session \
	runtimes/go/numbers \
	runtimes/go/stacks runtimes/go runtimes/go/find runtimes runtimes/cpython runtimes/ruby \
	runtimes/php runtimes/hotspot runtimes/hotspot/vm runtimes/v8 runtimes/v8/heap runtimes/beam \
	runtimes/gdbjit runtimes/common unwind unwind/code unwind/table goparse/profile goparse/summary \
	goparse/log goparse/log/lines goparse delta pprof/library pprof/file pprof/legacy pprof/gotext \
	pprof/otlp pprof/flame pprof/wire pprof/report pprof/graph pprof/select pprof symbolize \
	symbolize/dwarf symbolize/jit symbolize/files base/process base/elf base/file base

SEES_cli                 := cli/common
SEES_cli/top             := cli/record cli/common sampler sampler/account sampler/child pprof/report pprof/graph pprof base/process base/file
SEES_cli/dump            := cli/dump/merge cli/record cli/common sampler/dump sampler/awaited sampler/lock sampler/thread sampler/child symbolize base/process base/file
SEES_cli/dump/merge      :=
SEES_cli/record          := cli/rounds cli/common rounds rounds/collect rounds/source sampler sampler/profile sampler/account rounds/resource sampler/child unwind pprof/file pprof symbolize base/process base/file
SEES_cli/goparse         := cli/common goparse/profile goparse/summary goparse/log goparse pprof/file pprof/wire pprof/report pprof/graph pprof base/file
SEES_cli/profiles        := cli/rounds cli/common delta pprof/file pprof/flame pprof/wire pprof/report pprof/graph pprof/select pprof base/file
SEES_cli/rounds          := cli/common rounds rounds/push rounds/catalog rounds/batch rounds/source sampler sampler/child delta pprof/file pprof base/process base/file
SEES_cli/common          := rounds/source sampler base/net sampler/member sampler/stop pprof/file pprof/gotext pprof/otlp pprof/flame pprof/wire pprof/report pprof/graph pprof base/process base/file
SEES_rounds              := rounds/collect rounds/push rounds/batch rounds/source rounds/metrics sampler rounds/resource delta pprof/file pprof/wire pprof base/process base/file
SEES_rounds/collect      := rounds/source sampler/child
SEES_rounds/push         := rounds/batch rounds/source base/net sampler/child pprof/file pprof/otlp pprof/wire pprof
SEES_rounds/catalog      := rounds/batch
SEES_rounds/batch        := base/file
SEES_rounds/source       := rounds/metrics base/net sampler/stop runtimes/go/profile runtimes/go/session goparse/profile pprof/wire pprof
SEES_rounds/metrics      := rounds/resource runtimes/go/numbers runtimes/go/find base/process
SEES_sampler             := sampler/profile sampler/tick sampler/recorded sampler/member sampler/thread sampler/child base/process base/file
SEES_sampler/dump        := sampler/profile sampler/member sampler/awaited sampler/lock sampler/stop sampler/atrest sampler/thread sampler/child runtimes runtimes/common unwind unwind/table symbolize base/process base/file
SEES_sampler/profile     := base/net sampler/tick sampler/recorded sampler/member sampler/account sampler/awaited sampler/lock sampler/thread sampler/child runtimes/go runtimes unwind/table pprof/wire pprof/select pprof symbolize symbolize/files base/process base/file
SEES_base/net            :=
SEES_sampler/tick        := sampler/capture sampler/recorded sampler/member sampler/account sampler/awaited sampler/stop sampler/atrest sampler/thread sampler/child runtimes runtimes/common unwind base/process
SEES_sampler/capture     := sampler/member sampler/account sampler/stop sampler/atrest sampler/thread sampler/child runtimes unwind/table base/process
SEES_sampler/recorded    := sampler/member sampler/account sampler/awaited sampler/lock sampler/thread runtimes base/process
SEES_sampler/member      := sampler/thread runtimes/go runtimes/go/find runtimes unwind/table symbolize symbolize/jit base/process
SEES_sampler/account     := unwind base/process
SEES_rounds/resource     := pprof/wire base/process
SEES_sampler/awaited     := sampler/thread base/process
SEES_sampler/lock        := sampler/thread base/process
SEES_sampler/stop        := sampler/thread sampler/child runtimes/go/stacks base/process
SEES_sampler/atrest      := sampler/thread
SEES_sampler/thread      := runtimes/go runtimes/common unwind unwind/table symbolize base/process
SEES_sampler/child       := symbolize base/process base/file
SEES_runtimes/go/profile := runtimes/go/session runtimes/go/numbers runtimes/go/stacks runtimes/go goparse/profile goparse pprof/gotext pprof base/process
SEES_runtimes/go/session := runtimes/go/numbers runtimes/go/stacks runtimes/go runtimes/go/find goparse pprof/gotext pprof base/process
SEES_runtimes/go/numbers := runtimes/go/stacks runtimes/go runtimes/go/find base/process
SEES_runtimes/go/stacks  := runtimes/go runtimes/go/find base/process
SEES_runtimes/go         := runtimes/go/find unwind unwind/table base/process
SEES_runtimes/go/find    := unwind/code base/process base/elf
SEES_runtimes            := runtimes/cpython runtimes/ruby runtimes/php runtimes/hotspot runtimes/v8 runtimes/beam runtimes/gdbjit runtimes/common unwind base/process
SEES_runtimes/cpython    := runtimes/common unwind unwind/table base/process
SEES_runtimes/ruby       := runtimes/common unwind unwind/code unwind/table base/process
SEES_runtimes/php        := runtimes/common unwind unwind/table base/process
SEES_runtimes/hotspot    := runtimes/hotspot/vm runtimes/common unwind unwind/code base/process
SEES_runtimes/hotspot/vm := runtimes/common base/process
SEES_runtimes/v8         := runtimes/v8/heap runtimes/common unwind unwind/code unwind/table base/process
SEES_runtimes/v8/heap    := runtimes/common unwind/code base/process
SEES_runtimes/beam       := runtimes/common unwind/code unwind/table base/process
SEES_runtimes/gdbjit     := runtimes/common unwind unwind/table base/process
SEES_runtimes/common     := unwind base/process
SEES_unwind              := unwind/code unwind/table base/process
SEES_unwind/code         := unwind/table base/process
SEES_unwind/table        := base/process base/elf
SEES_goparse/profile     := goparse pprof
SEES_goparse/summary     := goparse
SEES_goparse/log         := goparse/log/lines goparse
SEES_goparse/log/lines   := goparse
SEES_goparse             :=
SEES_delta               := pprof/wire
SEES_pprof/library       := pprof/file pprof/wire pprof base/file
SEES_pprof/file          := pprof/legacy pprof/wire pprof
SEES_pprof/legacy        := pprof/gotext pprof
SEES_pprof/gotext        := pprof
SEES_pprof/otlp          := pprof/wire pprof
SEES_pprof/flame         := pprof/wire pprof/graph pprof
SEES_pprof/wire          := pprof base/file
SEES_pprof/report        := pprof/graph pprof/select pprof
SEES_pprof/graph         := pprof
SEES_pprof/select        := pprof
SEES_pprof               :=
SEES_symbolize           := symbolize/dwarf symbolize/jit symbolize/files base/process
SEES_symbolize/dwarf     := symbolize/files base/process base/elf
SEES_symbolize/jit       := base/process
SEES_symbolize/files     := base/process base/elf
SEES_base/process        := base/elf base/file
SEES_base/elf            :=
SEES_base/file           :=
SEES_base                :=
