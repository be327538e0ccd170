// The reference, fastdelta, as a command. Its package is internal to dd-trace-go's
// profiler, so the path of this module is below the profiler's (go.mod).
//
//	fastdelta delta TYPE/UNIT,… OLD NEW OUT
//		writes the difference by the reference
//	fastdelta pairs FOLDER N SEED
//		writes N pairs of random profiles, 0.old, 0.new, …
//	fastdelta check TYPE/UNIT,… OLD NEW OUT
//		checks that OUT is the difference by google/pprof and by the reference
//	fastdelta checkall TYPE/UNIT,… FOLDER N
//		the same for N pairs and their files 0.out, 1.out, …
//	fastdelta bench fastdelta|pprof|gzip TYPE/UNIT,… OLD NEW N
//		prints CPU ms of a call after the first, peak kB, bytes written
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/DataDog/dd-trace-go/v2/profiler/internal/fastdelta"
	"github.com/DataDog/dd-trace-go/v2/profiler/internal/pprofutils"
	"github.com/google/pprof/profile"
)

func types(text string) (all []pprofutils.ValueType) {
	for _, one := range strings.Split(text, ",") {
		t, u, _ := strings.Cut(one, "/")
		all = append(all, pprofutils.ValueType{Type: t, Unit: u})
	}
	return all
}

func fatal(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func plain(data []byte) []byte {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	fatal(err)
	data, err = io.ReadAll(r)
	fatal(err)
	return data
}

func read(path string) []byte {
	data, err := os.ReadFile(path)
	fatal(err)
	return data
}

func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}

// withGzip does the same as dd-trace-go's fastDeltaProfiler.
func withGzip(dc *fastdelta.DeltaComputer) func([]byte, io.Writer) error {
	var r gzip.Reader
	w, err := gzip.NewWriterLevel(io.Discard, 6)
	fatal(err)
	return func(data []byte, out io.Writer) error {
		fatal(r.Reset(bytes.NewReader(data)))
		data, err := io.ReadAll(&r)
		fatal(err)
		w.Reset(out)
		fatal(dc.Delta(data, w))
		return w.Close()
	}
}

func byPprof(fields []pprofutils.ValueType) func([]byte, io.Writer) error {
	var last *profile.Profile
	return func(data []byte, out io.Writer) error {
		now, err := profile.ParseData(data)
		fatal(err)
		if last != nil {
			ratios := make([]float64, len(last.SampleType))
			for i, t := range last.SampleType {
				for _, f := range fields {
					if f.Type == t.Type {
						ratios[i] = -1
					}
				}
			}
			fatal(last.ScaleN(ratios))
			delta, err := profile.Merge([]*profile.Profile{last, now})
			fatal(err)
			fatal(delta.WriteUncompressed(out))
		}
		last = now
		return nil
	}
}

type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

// peak is the peak memory of this program alone, in kB: getrusage includes that before exec.
func peak() (kb int) {
	for _, line := range strings.Split(string(read("/proc/self/status")), "\n") {
		fmt.Sscanf(line, "VmHWM: %d", &kb)
	}
	return kb
}

func bench(who, fields, before, after, count string) {
	one := fastdelta.NewDeltaComputer(types(fields)...)
	delta := one.Delta
	switch who {
	case "pprof":
		delta = byPprof(types(fields))
	case "gzip":
		delta = withGzip(one)
	}
	var size counter
	var spent float64
	take := func(path string) {
		data := read(path) // not counted
		start := cpu()
		size.n = 0
		fatal(delta(data, &size))
		spent += cpu() - start
	}
	take(before)
	spent = 0
	n, _ := strconv.Atoi(count)
	for i := range n {
		take([]string{after, before}[i&1])
	}
	spent /= float64(n)
	fmt.Printf("%.3f %d %d\n", spent, peak(), size.n)
}

func main() {
	a := append(os.Args[1:], "", "", "", "", "", "")
	switch a[0] {
	case "delta":
		dc := fastdelta.NewDeltaComputer(types(a[1])...)
		fatal(dc.Delta(plain(read(a[2])), io.Discard))
		var out bytes.Buffer
		fatal(dc.Delta(plain(read(a[3])), &out))
		fatal(os.WriteFile(a[4], out.Bytes(), 0o666))
	case "pairs":
		n, _ := strconv.Atoi(a[2])
		seed, _ := strconv.Atoi(a[3])
		writePairs(a[1], n, int64(seed))
	case "check":
		check(a[1], a[2], a[3], a[4])
	case "checkall":
		n, _ := strconv.Atoi(a[3])
		for i := range n {
			base := filepath.Join(a[2], strconv.Itoa(i))
			check(a[1], base+".old", base+".new", base+".out")
		}
	case "bench":
		bench(a[1], a[2], a[3], a[4], a[5])
	default:
		fatal(fmt.Errorf("usage: fastdelta delta|bench …"))
	}
}
