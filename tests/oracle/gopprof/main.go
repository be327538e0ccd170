// gopprof checks the pprof layer against google/pprof. Commands, which print nothing and exit
// with 0 if all is well:
//
//	gopprof operations …   see merge.go
//	gopprof sum raw|gzip OUT IN…   for tools/bench/run: reads all IN, merges, writes OUT
//	gopprof made FILE      checks a file written by tests/tools/pprof_make
//	gopprof write FOLDER   writes profiles like Go's runtime and other writers
//	gopprof same A B       checks that two files have the same profile
//	gopprof bench raw|gzip IN OUT                      for tools/bench/run
//	gopprof bench decode|encode|zip|unzip FILE ROUNDS
//	gopprof legacy FOLDER  see legacy.go
//	gopprof debug FOLDER   see debug.go
//	gopprof broken FOLDER TESTDATA COUNT SEED
//	                       writes broken profiles, and prints its verdict on each
//	gopprof convert IN OUT writes IN, in any form that google/pprof reads, as .pb.gz
//	gopprof valid FILE...  checks that the files are profiles
//	gopprof pprof ARG...   runs the command pprof
//	gopprof patterns TOOL COUNT SEED
//	                       compares the tool pprof_pattern with Go's regexp
//	gopprof random FOLDER COUNT SEED
//	                       writes random profiles
//	gopprof filtered TOOL SEED FILE...
//	                       compares the filters of the tool pprof_filter with its own
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/google/pprof/profile"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "gopprof:", err)
		os.Exit(1)
	}
}

func parse(path string) *profile.Profile {
	data, err := os.ReadFile(path)
	check(err)
	p, err := profile.ParseData(data)
	check(err)
	check(p.CheckValid())
	return p
}

// encoded returns all fields of the profile in a comparable form.
func encoded(p *profile.Profile) []byte {
	var b bytes.Buffer
	check(p.WriteUncompressed(&b))
	return b.Bytes()
}

func compare(have, want *profile.Profile) {
	if !bytes.Equal(encoded(have), encoded(want)) {
		check(fmt.Errorf("profiles differ\n--- have\n%s\n--- want\n%s", have, want))
	}
}

// made returns the profile that tests/tools/pprof_make.c writes.
func made() *profile.Profile {
	const frames = 300
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"},
			{Type: "cpu", Unit: "nanoseconds"}},
		DefaultSampleType: "cpu",
		Comments:          []string{"first comment", "second comment"},
		DropFrames:        "dropped.*",
		KeepFrames:        "kept",
		DocURL:            "https://example.org/doc",
		PeriodType:        &profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:            10101010,
		TimeNanos:         1700000000123456789,
		DurationNanos:     30000000001,
		Mapping: []*profile.Mapping{
			{ID: 1, Start: 0x400000, Limit: 0x500000, Offset: 0x1000, File: "/bin/program",
				BuildID: "abcdef", HasFunctions: true, HasFilenames: true,
				HasLineNumbers: true, HasInlineFrames: true},
			{ID: 2, Start: 0x7f0000000000, Limit: 0x7f0000001000, File: "/lib/libc.so.6",
				HasFunctions: true},
			{ID: 3, Start: 0xffffffffff600000, Limit: 0xffffffffff601000,
				File: "[vsyscall]"},
		},
		Function: []*profile.Function{
			{ID: 1, Name: "ns::inner<int>", SystemName: "_ZN2ns5innerIiEEv",
				Filename: "/src/a.cc", StartLine: 10},
			{ID: 2, Name: "outer", SystemName: "_Z5outerv", Filename: "/src/a.cc",
				StartLine: 20},
			{ID: 3, Name: "write", SystemName: "write"},
			{ID: 4, Name: "recurse", SystemName: "recurse", Filename: "/src/b.c",
				StartLine: -1},
		},
	}
	m, f := p.Mapping, p.Function
	p.Location = []*profile.Location{
		{ID: 1, Mapping: m[0], Address: 0x401234, IsFolded: true, Line: []profile.Line{
			{Function: f[0], Line: 12, Column: 5}, {Function: f[1], Line: 1000000}}},
		{ID: 2, Mapping: m[1], Address: 0x7f0000000123, Line: []profile.Line{{Function: f[2]}}},
		{ID: 3, Mapping: m[2], Address: 0xffffffffff600007},
	}
	for i := range frames {
		p.Location = append(p.Location, &profile.Location{ID: uint64(i) + 4, Mapping: m[0],
			Address: 0x402000 + uint64(i),
			Line:    []profile.Line{{Function: f[3], Line: int64(i) + 1}}})
	}
	l := p.Location
	p.Sample = []*profile.Sample{
		{Location: []*profile.Location{l[0], l[3]}, Value: []int64{1, 10000000},
			Label:    map[string][]string{"thread": {"wörker"}},
			NumLabel: map[string][]int64{"tid": {4711}, "size": {-64}},
			NumUnit:  map[string][]string{"size": {"bytes"}}},
		{Location: []*profile.Location{l[1], l[0], l[3]},
			Value: []int64{1<<63 - 1, -1 << 63}},
		{Location: []*profile.Location{l[2]}, Value: []int64{0, 0},
			Label: map[string][]string{"thread": {"wörker"}}},
		{Location: l[3:], Value: []int64{1, 10000000},
			NumLabel: map[string][]int64{"tid": {4711}}},
	}
	return p
}

// sparse is the same profile with ids that no runtime would use.
func sparse() *profile.Profile {
	p := made()
	for i, m := range p.Mapping {
		m.ID = 1<<63 - uint64(i)
	}
	for i, f := range p.Function {
		f.ID = uint64(i+1) << 40
	}
	for i, l := range p.Location {
		l.ID = ^uint64(0) - uint64(i)*0x9e3779b97f4a7c15
	}
	return p
}

func spin(n int) (sum int) {
	for i := range n {
		sum += i * i
	}
	return sum
}

func writeRuntime(folder string) {
	runtime.MemProfileRate = 1
	runtime.SetBlockProfileRate(1)
	file, err := os.Create(filepath.Join(folder, "cpu.pb.gz"))
	check(err)
	check(pprof.StartCPUProfile(file))
	wait := make(chan int)
	go func() { wait <- spin(1) }()
	for start := time.Now(); time.Since(start) < 300*time.Millisecond; {
		spin(1000000)
	}
	<-wait
	pprof.StopCPUProfile()
	check(file.Close())
	for _, name := range []string{"heap", "goroutine", "block", "threadcreate"} {
		file, err := os.Create(filepath.Join(folder, name+".pb.gz"))
		check(err)
		check(pprof.Lookup(name).WriteTo(file, 0))
		check(file.Close())
	}
}

func write(folder string) {
	check(os.WriteFile(filepath.Join(folder, "sparse.pb"), encoded(sparse()), 0o644))
	twice := append(encoded(made()), encoded(&profile.Profile{})...)
	check(os.WriteFile(filepath.Join(folder, "concatenated.pb"), twice, 0o644))
	writeRuntime(folder)
}

func main() {
	arguments := append(os.Args[1:], "", "", "", "")
	switch arguments[0] {
	case "sum":
		sum(arguments[1], arguments[2], os.Args[4:])
	case "valid":
		allValid(os.Args[2:])
	case "operations":
		operations(os.Args[2:])
	case "made":
		compare(parse(arguments[1]), made())
	case "write":
		write(arguments[1])
	case "same":
		// Compact assigns new ids, and keeps equal functions and locations only once,
		// like our decoder.
		compare(parse(arguments[2]).Compact(), parse(arguments[1]).Compact())
	case "bench":
		if rounds, err := strconv.Atoi(arguments[3]); err == nil {
			measure(arguments[1], arguments[2], rounds)
		} else {
			pass(arguments[1], arguments[2], arguments[3])
		}
	case "broken":
		broken(arguments[1], arguments[2], arguments[3], arguments[4])
	case "convert":
		convert(arguments[1], arguments[2])
	case "legacy":
		legacy(arguments[1])
	case "debug":
		debugTexts(arguments[1])
	case "tabbed":
		tabbed(arguments[1])
	case "carries":
		carries(arguments[1], arguments[2])
	case "pprof":
		drive(os.Args[2:])
	case "patterns":
		patterns(arguments[1], arguments[2], arguments[3])
	case "random":
		randomFiles(arguments[1], arguments[2], arguments[3])
	case "filtered":
		filtered(arguments[1], arguments[2], os.Args[4:])
	default:
		check(fmt.Errorf("usage: gopprof made FILE | write FOLDER | same A B"))
	}
}
