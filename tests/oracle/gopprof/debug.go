// Profiles of this program as runtime/pprof writes them, as protobuf and as text with
// debug=1, of the same moment.
package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"time"
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

func writeBoth(folder, name string) {
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
	runtime.GC()
	runtime.GC()
	debug.SetGCPercent(-1)
	for _, name := range []string{"heap", "allocs", "goroutine", "block", "mutex",
		"threadcreate", "custom"} {
		writeBoth(folder, name)
	}
}
