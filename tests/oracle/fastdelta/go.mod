module github.com/DataDog/dd-trace-go/v2/profiler/oracle

go 1.26.0

require (
	github.com/DataDog/dd-trace-go/v2 v2.12.0
	github.com/google/pprof v0.0.0-20250403155104-27863c87afa6
)

require (
	github.com/richardartoul/molecule v1.0.1-0.20240531184615-7ca0df43c0b3 // indirect
	github.com/spaolacci/murmur3 v1.1.0 // indirect
)
