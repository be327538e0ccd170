// Leaks: goroutines that nothing can wake any more, for /debug/pprof/goroutineleak of Go 1.26
// (GOEXPERIMENT=goroutineleakprofile). Prints "ready ADDRESS".
package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"sync"
	"time"
)

var reachable = make(chan int)

func first(n int) int {
	results := make(chan int)
	for i := 0; i < n; i++ {
		go func() { results <- i }()
	}
	return <-results
}

func main() {
	go func() { <-reachable }()
	first(4)
	go func() { <-make(chan int) }()
	go func() { var m sync.Mutex; m.Lock(); m.Lock() }()
	go func() { var g sync.WaitGroup; g.Add(1); g.Wait() }()
	go func() { select {} }()
	go func() {
		a, b := make(chan int), make(chan int)
		select {
		case <-a:
		case b <- 1:
		}
	}()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() { time.Sleep(100 * time.Millisecond); fmt.Println("ready", l.Addr()) }()
	http.Serve(l, nil)
	<-reachable
}
