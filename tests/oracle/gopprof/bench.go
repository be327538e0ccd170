package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/google/pprof/profile"
)

// pass reads IN, decodes, encodes and writes OUT, with gzip on both sides or without, like
// `pprof raw|gzip IN OUT` of tools/bench/pprof.c.
func pass(mode, in, out string) {
	file, err := os.Open(in)
	check(err)
	p, err := profile.Parse(file)
	check(err)
	check(file.Close())
	file, err = os.Create(out)
	check(err)
	if mode == "gzip" {
		check(p.Write(file))
	} else {
		check(p.WriteUncompressed(file))
	}
	check(file.Close())
}

func cpuSeconds() float64 {
	var ru syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &ru))
	return (time.Duration(ru.Utime.Nano()) + time.Duration(ru.Stime.Nano())).Seconds()
}

// measure prints the average CPU seconds of a round of decode, encode, zip or unzip, including
// the garbage collector's work.
func measure(what, path string, rounds int) {
	data, err := os.ReadFile(path)
	check(err)
	p, err := profile.ParseData(data)
	check(err)
	var zipped bytes.Buffer
	zw := gzip.NewWriter(&zipped)
	_, err = zw.Write(data)
	check(err)
	check(zw.Close())
	start := cpuSeconds()
	for range rounds {
		switch what {
		case "decode":
			_, err = profile.ParseUncompressed(data)
		case "encode":
			err = p.WriteUncompressed(io.Discard)
		case "zip":
			var out bytes.Buffer
			zw := gzip.NewWriter(&out)
			_, err = zw.Write(data)
			check(zw.Close())
		case "unzip":
			zr, e := gzip.NewReader(bytes.NewReader(zipped.Bytes()))
			check(e)
			_, err = io.ReadAll(zr)
		}
		check(err)
	}
	each := (cpuSeconds() - start) / float64(rounds)
	fmt.Printf("%s %.6f %d %d\n", what, each, len(data), zipped.Len())
}

// sum reads all IN, merges and writes OUT, with gzip on both sides or without, like
// tools/bench/merge.c.
func sum(mode, out string, in []string) {
	var ps []*profile.Profile
	for _, path := range in {
		file, err := os.Open(path)
		check(err)
		p, err := profile.Parse(file)
		check(err)
		check(file.Close())
		ps = append(ps, p)
	}
	p, err := profile.Merge(ps)
	check(err)
	file, err := os.Create(out)
	check(err)
	if mode == "gzip" {
		check(p.Write(file))
	} else {
		check(p.WriteUncompressed(file))
	}
	check(file.Close())
}
