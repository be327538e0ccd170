// Ancestors: goroutines that were started by goroutines, for GODEBUG=tracebackancestors=N.
// "ancestors dump" prints runtime.Stack(all), "ancestors panic" panics in the last one.
package main

import (
	"os"
	"runtime"
	"time"
)

var never = make(chan int)

//go:noinline
func first(last func())  { go second(last); <-never }
func second(last func()) { go third(last); <-never }
func third(last func())  { go func() { last(); <-never }(); <-never }

// Ancestors keep at most 100 frames.
//
//go:noinline
func deep(n int) {
	if n > 0 {
		deep(n - 1)
		return
	}
	go func() { <-never }()
	<-never
}

func dump() {
	time.Sleep(100 * time.Millisecond)
	buf := make([]byte, 1<<20)
	os.Stderr.Write(buf[:runtime.Stack(buf, true)])
	os.Exit(0)
}

func main() {
	go deep(60)
	go deep(150)
	last := dump
	if os.Args[1] == "panic" {
		last = func() { time.Sleep(100 * time.Millisecond); panic("with ancestors") }
	}
	go first(last)
	<-never
}
