// A program with net/http/pprof for the tests of rounds/. It prints the address where it listens.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"sync"
	"syscall"
	"time"
)

var (
	address    = flag.String("listen", "127.0.0.1:0", "address, or a socket's path")
	token      = flag.String("token", "", "answers only who sends it as X-Token")
	goroutines = flag.Int("goroutines", 10, "that wait")
	tracing    = flag.Bool("tracing", false, "traces itself")
	busy       = flag.Int("busy", 0, "goroutines that contend and allocate")

	kept [][]byte // shown by the heap profile
	mu   sync.Mutex
)

//go:noinline
func keep(size int) {
	mu.Lock()
	kept = append(kept, make([]byte, size))
	mu.Unlock()
}

//go:noinline
func contend() {
	for {
		mu.Lock()
		kept[0] = make([]byte, 10000)
		mu.Unlock()
		time.Sleep(20 * time.Microsecond)
	}
}

// Makes entries in the mutex and the block profile.
//
//go:noinline
func holdUp() {
	done := make(chan int)
	mu.Lock()
	go func() {
		mu.Lock()
		mu.Unlock()
		close(done)
	}()
	time.Sleep(20 * time.Millisecond)
	mu.Unlock()
	<-done
}

//go:noinline
func waitForever(c chan int) {
	<-c
}

func listen() net.Listener {
	network := "tcp"
	if strings.HasPrefix(*address, "/") {
		network = "unix"
	}
	l, err := net.Listen(network, *address)
	if err != nil {
		log.Fatal(err)
	}
	return l
}

// Serves only requests with the right token.
func guarded(w http.ResponseWriter, r *http.Request) {
	if *token != "" && r.Header.Get("X-Token") != *token {
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	http.DefaultServeMux.ServeHTTP(w, r)
}

func main() {
	flag.Parse()
	runtime.MemProfileRate = 1
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	keep(1 << 20)
	holdUp()
	holdUp() // on a busy machine the first one's goroutine may come when it is over
	if *tracing {
		trace.Start(io.Discard)
	}
	for _, name := range []string{"example.com/server.queries", "a & <b>", "../../etc/x"} {
		pprof.NewProfile(name).Add(new(int), 0)
	}
	for i := 0; i < *goroutines; i++ {
		go waitForever(make(chan int))
	}
	for i := 0; i < *busy; i++ {
		go contend()
	}
	http.HandleFunc("/gc", func(w http.ResponseWriter, r *http.Request) { runtime.GC() })
	http.HandleFunc("/keep", func(w http.ResponseWriter, r *http.Request) { keep(1 << 20) })
	http.HandleFunc("/hold", func(w http.ResponseWriter, r *http.Request) { holdUp() })
	http.HandleFunc("/exec", func(w http.ResponseWriter, r *http.Request) {
		log.Fatal(syscall.Exec("/proc/self/exe", os.Args, os.Environ()))
	})
	http.HandleFunc("/die", func(w http.ResponseWriter, r *http.Request) { os.Exit(1) })
	l := listen()
	fmt.Println(l.Addr())
	log.Fatal(http.Serve(l, http.HandlerFunc(guarded)))
}
