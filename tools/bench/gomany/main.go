// gomany GOROUTINES BUCKETS: so many goroutines that wait, nine frames deep, and so many places
// of allocation. Serves net/http/pprof, and says "PORT TID". One thread of its own (TID) reads the
// clock again and again; for each line of its input the program says how long the longest time
// between two readings was since the line before, in ns: that long somebody has kept it from
// running. What it waited for a CPU that others had is taken off (schedstat).
package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var longest int64
var tid = make(chan int)

// How long this thread has waited for a CPU until now, in ns.
func waited(schedstat int) int64 {
	var text [64]byte
	n, _ := syscall.Pread(schedstat, text[:], 0)
	fields := strings.Fields(string(text[:n]))
	if len(fields) < 2 {
		return 0
	}
	ns, _ := strconv.ParseInt(fields[1], 10, 64)
	return ns
}

func watch() {
	runtime.LockOSThread()
	schedstat, err := syscall.Open("/proc/thread-self/schedstat", syscall.O_RDONLY, 0)
	if err != nil {
		panic(err)
	}
	tid <- syscall.Gettid()
	before, last := waited(schedstat), time.Now()
	for {
		now := time.Now()
		if gap := now.Sub(last).Nanoseconds(); gap > 20000 {
			after := waited(schedstat)
			if gap -= after - before; gap > atomic.LoadInt64(&longest) {
				atomic.StoreInt64(&longest, gap)
			}
			before = after
		}
		last = now
	}
}

var never = make(chan int)

//go:noinline
func wait(depth int, begun *sync.WaitGroup) int {
	if depth > 0 {
		return wait(depth-1, begun) + 1
	}
	begun.Done()
	return <-never
}

var kept *[64]byte

// Two ways at each level: as many stacks as numbers.
//
//go:noinline
func left(number, depth int) { descend(number>>1, depth-1) }

//go:noinline
func right(number, depth int) { descend(number>>1, depth-1) }

func descend(number, depth int) {
	if depth == 0 {
		kept = new([64]byte)
	} else if number&1 == 0 {
		left(number, depth)
	} else {
		right(number, depth)
	}
}

func main() {
	goroutines, _ := strconv.Atoi(os.Args[1])
	buckets, _ := strconv.Atoi(os.Args[2])
	var begun sync.WaitGroup

	debug.SetGCPercent(400)
	begun.Add(goroutines)
	for i := 0; i < goroutines; i++ {
		go wait(6, &begun)
	}
	begun.Wait()
	runtime.MemProfileRate = 1
	for i := 0; i < buckets; i++ {
		descend(i, 20)
	}
	runtime.MemProfileRate = 512 << 10
	runtime.GC()
	runtime.GC()
	debug.SetGCPercent(-1) // what follows is not about GCs
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go watch()
	fmt.Println(l.Addr().(*net.TCPAddr).Port, <-tid)
	go http.Serve(l, nil)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println(atomic.SwapInt64(&longest, 0))
	}
}
