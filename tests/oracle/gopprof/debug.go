// Profiles of this program by runtime/pprof, as protobuf and as text with debug=1, of the same
// moment.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/google/pprof/profile"
)

// Called through inlined functions, so that some locations have several lines.
func receive(wait chan int) int { return <-wait }

func receiveOne(wait chan int) int { return receive(wait) + 1 }

func receiveInto(wait chan int, sum *int) { *sum += receiveOne(wait) }

func waitWith(wait chan int, labels ...string) {
	go pprof.Do(context.Background(), pprof.Labels(labels...), func(context.Context) {
		var sum int
		receiveInto(wait, &sum)
	})
}

func goroutines() {
	wait := make(chan int)
	for range 5 {
		go receive(wait)
	}
	for range 3 {
		waitWith(wait, "request", "slow \"one\"\n", "user", "wörker\x00\xff\u00a0")
	}
	waitWith(wait, "user", "alice")
	waitWith(wait)
}

var kept [][]byte

//go:noinline
func allocate(size, count int) {
	for range count {
		kept = append(kept, make([]byte, size))
	}
}

func allocations() {
	allocate(16, 50000)
	allocate(700, 3000)
	allocate(5000, 100)
	allocate(1<<20, 3)
	kept = kept[:20000]
	m := map[int]string{}
	for i := range 10000 {
		m[i] = string(make([]byte, i%100))
	}
	keptMap = m
}

var keptMap map[int]string

func contention() {
	var mutex sync.Mutex
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 20 {
				mutex.Lock()
				time.Sleep(100 * time.Microsecond)
				mutex.Unlock()
			}
		})
	}
	group.Wait()
}

// contended returns what the block and the mutex profile hold: locks of the runtime itself may add to
// them at any time.
func contended() string {
	var records [2][1000]runtime.BlockProfileRecord
	blocks, _ := runtime.BlockProfile(records[0][:])
	mutexes, _ := runtime.MutexProfile(records[1][:])
	return fmt.Sprint(records[0][:blocks], records[1][:mutexes])
}

func writeBoth(folder, name string) {
	for {
		before := contended()
		writeOnce(folder, name)
		if contended() == before {
			return
		}
	}
}

func writeOnce(folder, name string) {
	var files [2]*os.File
	for i := range files {
		file, err := os.Create(filepath.Join(folder, name+[]string{".pb.gz", ".txt"}[i]))
		check(err)
		files[i] = file
	}
	for i, file := range files {
		check(pprof.Lookup(name).WriteTo(file, i))
	}
	for _, file := range files {
		check(file.Close())
	}
}

func debugTexts(folder string) {
	runtime.MemProfileRate = 4096
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	custom := pprof.NewProfile("custom")
	for i := range 7 {
		custom.Add(i, 0)
	}
	custom.Add("other", 0)
	goroutines()
	allocations()
	contention()
	time.Sleep(50 * time.Millisecond)
	names := []string{"heap", "allocs", "goroutine", "block", "mutex", "threadcreate",
		"custom"}
	// The first round makes the buckets that writing itself adds to a heap profile, and
	// the collections publish its counts.
	debug.SetGCPercent(-1)
	for round := range 3 {
		for _, name := range names {
			writeBoth(folder, name)
		}
		if round < 2 {
			runtime.GC()
			runtime.GC()
		}
	}
}

// tabbed checks the columns of a text of ours: formatted again by tabwriter, as runtime/pprof
// does it, they must stay the same.
func tabbed(path string) {
	data, err := os.ReadFile(path)
	check(err)
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 1, 8, 1, '\t', 0)
	_, err = w.Write(regexp.MustCompile("\t+").ReplaceAll(data, []byte("\t")))
	check(err)
	check(w.Flush())
	if !bytes.Equal(b.Bytes(), data) {
		check(fmt.Errorf("%s: columns differ\n--- have\n%s\n--- want\n%s", path, data, &b))
	}
}

// carried returns the parts of a profile that a text can represent, sorted.
func carried(p *profile.Profile) []string {
	var all []string
	for _, s := range p.Sample {
		line := fmt.Sprint(s.Value)
		if bytes := s.NumLabel["bytes"]; len(bytes) > 0 && bytes[0] != 0 {
			line += fmt.Sprint(bytes)
		}
		for _, l := range s.Location {
			line += fmt.Sprintf(" %#x", l.Address)
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}

// carries checks that a text, read by google/pprof, has the samples of the profile.
func carries(text, path string) {
	have, want := carried(parse(text)), carried(parse(path))
	if !slices.Equal(have, want) {
		check(fmt.Errorf("samples differ\n--- have\n%s\n--- want\n%s",
			strings.Join(have, "\n"), strings.Join(want, "\n")))
	}
}
