module sampler/tests/oracle/pyroscope

go 1.23

require github.com/grafana/pyroscope-go v1.2.7
