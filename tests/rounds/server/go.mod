module sampler/tests/rounds/server

go 1.18
