module goparse

go 1.26.0

require (
	github.com/DataDog/gostackparse v0.7.0
	github.com/google/pprof v0.0.0-20230817174616-7a8ec2ada47b
	gopkg.in/DataDog/dd-trace-go.v1 v1.70.0
)

require (
	github.com/DataDog/datadog-go/v5 v5.5.0 // indirect
	github.com/Microsoft/go-winio v0.6.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/richardartoul/molecule v1.0.1-0.20240531184615-7ca0df43c0b3 // indirect
	github.com/spaolacci/murmur3 v1.1.0 // indirect
	golang.org/x/mod v0.20.0 // indirect
	golang.org/x/sync v0.8.0 // indirect
	golang.org/x/sys v0.24.0 // indirect
	golang.org/x/tools v0.24.0 // indirect
)
