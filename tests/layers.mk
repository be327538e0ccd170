# The layers: what a folder's files may include besides their own folder's headers and base/'s, no
# more and no less. The Makefile links a folder with all that it reaches, in the order of LAYERS;
# tests/layers.test compares with the #include lines, and with the table in docs/architecture.md.
LAYERS := cli rounds sampler goprofile goruntime delta goparse net report unwind symbolize pprof target base

SEES_cli       := rounds sampler delta goparse net report unwind symbolize pprof target
SEES_rounds    := sampler goprofile goruntime delta goparse net pprof target
SEES_sampler   := goruntime unwind symbolize pprof target
SEES_goprofile := goruntime goparse pprof target
SEES_goruntime := unwind target
SEES_delta     := pprof
SEES_goparse   := pprof
SEES_net       :=
SEES_report    := pprof
SEES_unwind    := target
SEES_symbolize := target
SEES_pprof     :=
SEES_target    :=
SEES_base      :=
