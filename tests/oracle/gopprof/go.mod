module gopprof

go 1.23

require github.com/google/pprof v0.0.0-20250403155104-27863c87afa6
