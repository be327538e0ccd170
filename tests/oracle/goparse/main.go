// The references as a command: gostackparse, and the conversion of dd-trace-go's profiler.
//
//	goparse json FILE
//		prints gostackparse's goroutines, one JSON object a line; then its errors:
//		{"error":…}
//	goparse framed
//		the same for many dumps on stdin, each after a line with its length: one line
//		{"goroutines":[…],"errors":[…]} for each
//	goparse convert FILE OUT
//		writes the profile that dd-trace-go makes of the dump, with gzip
//	goparse convertraw FILE OUT
//		the same without gzip
//	goparse samples PROFILE
//		prints the contents of a profile: its head, then a sample a line, in JSON
//	goparse count FILE
//		parses, and prints the numbers of goroutines and errors
//	goparse make N FILE
//		writes a dump of this program with N goroutines
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/DataDog/gostackparse"
	"github.com/google/pprof/profile"
	_ "gopkg.in/DataDog/dd-trace-go.v1/profiler"
)

// The conversion itself, which is not exported, rather than a copy: so the reference is
// certainly the original. It needs seven modules besides gostackparse. go:linkname reaches it,
// since the linker protects only the standard library's names; a function without a body needs
// an assembly file in its package (empty.s).
//
//go:linkname goroutineDebug2ToPprof gopkg.in/DataDog/dd-trace-go.v1/profiler.goroutineDebug2ToPprof
func goroutineDebug2ToPprof(r io.Reader, w io.Writer, t time.Time) (err error)

// taken is the time of all profiles, so that two of one dump are equal.
var taken = time.Unix(1700000000, 0)

func fatal(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func open(path string) *os.File {
	file, err := os.Open(path)
	fatal(err)
	return file
}

func create(path string) *os.File {
	file, err := os.Create(path)
	fatal(err)
	return file
}

func printJSON(path string) {
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	goroutines, errs := gostackparse.Parse(open(path))
	for _, g := range goroutines {
		fatal(lines.Encode(g))
	}
	for _, err := range errs {
		fatal(lines.Encode(map[string]string{"error": err.Error()}))
	}
	fatal(out.Flush())
}

func printFramed(in *bufio.Reader) {
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	for {
		head, err := in.ReadString('\n')
		if err == io.EOF {
			break
		}
		fatal(err)
		size, err := strconv.Atoi(strings.TrimSpace(head))
		fatal(err)
		dump := make([]byte, size)
		_, err = io.ReadFull(in, dump)
		fatal(err)
		both := struct {
			Goroutines []*gostackparse.Goroutine `json:"goroutines"`
			Errors     []string                  `json:"errors"`
		}{}
		goroutines, errs := gostackparse.Parse(bytes.NewReader(dump))
		both.Goroutines = goroutines
		for _, err := range errs {
			both.Errors = append(both.Errors, err.Error())
		}
		fatal(lines.Encode(both))
	}
	fatal(out.Flush())
}

type frame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int64  `json:"line"`
}

func stackOf(s *profile.Sample) []frame {
	stack := []frame{}
	for _, location := range s.Location {
		for _, line := range location.Line {
			stack = append(stack, frame{line.Function.Name, line.Function.Filename, line.Line})
		}
	}
	return stack
}

func printSamples(path string) {
	p, err := profile.Parse(open(path))
	fatal(err)
	fatal(p.CheckValid())
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	types := []string{}
	for _, t := range p.SampleType {
		types = append(types, t.Type+"/"+t.Unit)
	}
	fatal(lines.Encode(map[string]any{
		"types": types, "time": p.TimeNanos, "comments": p.Comments,
		"has_functions": len(p.Mapping) == 1 && p.Mapping[0].HasFunctions,
		"tables":        []int{len(p.Location), len(p.Function)},
	}))
	for _, s := range p.Sample {
		fatal(lines.Encode(map[string]any{"stack": stackOf(s), "values": s.Value,
			"labels": s.Label, "numbers": s.NumLabel, "units": s.NumUnit}))
	}
	fatal(out.Flush())
}

func main() {
	a := append(os.Args[1:], "", "", "")
	switch a[0] {
	case "json":
		printJSON(a[1])
	case "framed":
		printFramed(bufio.NewReader(os.Stdin))
	case "convert":
		fatal(goroutineDebug2ToPprof(open(a[1]), create(a[2]), taken))
	case "convertraw":
		fatal(convertRaw(open(a[1]), create(a[2]), taken))
	case "samples":
		printSamples(a[1])
	case "count":
		goroutines, errs := gostackparse.Parse(open(a[1]))
		fmt.Println(len(goroutines), len(errs))
	case "make":
		n, err := strconv.Atoi(a[1])
		fatal(err)
		makeDump(n, create(a[2]))
	default:
		fatal(fmt.Errorf("usage: goparse json|framed|convert|convertraw|samples|count|make …"))
	}
}
