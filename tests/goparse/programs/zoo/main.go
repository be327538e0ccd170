// Zoo keeps one goroutine, or a few, in every state that Go can print.
//
//	zoo WORD...	busy: two goroutines that run;  stack: prints runtime.Stack(all) and ends;
//			http: serves net/http/pprof;  trace: runs the execution tracer
//
// Prints "ready ADDRESS" once every goroutine has reached its final state.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
)

var (
	never   = make(chan int)
	full    = make(chan int, 1)
	nilChan chan int
	mutex   sync.Mutex
	rw      sync.RWMutex
	group   sync.WaitGroup
	once    sync.Once
	sink    int
	extra   []func() // ways to wait that only later releases have
)

func chanReceive()    { <-never }
func chanSend()       { full <- 1; full <- 2 }
func chanReceiveNil() { <-nilChan }
func chanSendNil()    { nilChan <- 1 }
func selectTwo() {
	select {
	case <-never:
	case <-time.After(100 * time.Hour):
	}
}
func selectNone() { select {} }
func sleep()      { time.Sleep(100 * time.Hour) }
func mutexLock()  { mutex.Lock() }
func rwLock()     { rw.Lock() }
func rwRLock()    { rw.RLock() }
func groupWait()  { group.Wait() }
func condWait()   { m := new(sync.Mutex); m.Lock(); sync.NewCond(m).Wait() }
func onceDo()     { once.Do(func() { <-never }) }
func rangeChan() {
	for range never {
		sink++
	}
}
func ioWait()      { l, _ := net.Listen("tcp", "127.0.0.1:0"); l.Accept() }
func lockedSleep() { runtime.LockOSThread(); sleep() }
func lockedChan()  { runtime.LockOSThread(); <-never }

func pipeRead() {
	var p [2]int
	syscall.Pipe(p[:])
	syscall.Read(p[0], make([]byte, 1))
}

func spin() {
	for i := 0; ; i++ {
		sink += i & 1
	}
}

// For a stack with a method, a method value, a closure, and a deferred call.
type keeper struct {
	name string
	hold chan int
}

func (k *keeper) keep(names ...string)     { k.wait(func() { <-k.hold }) }
func (k keeper) wait(f func())             { defer f(); sink++ }
func (k *keeper) each(f func(string, int)) { f(k.name, 7) }
func (k *keeper) start()                   { go k.keep("a", "b", "c") }

type pair[A, B any] struct {
	a A
	b B
}

//go:noinline
func (p *pair[A, B]) hold(c chan A) { <-c }

//go:noinline
func hold[T any](c chan T, v struct{ a, b int }) T { return <-c }

type waiter interface{ Wait() }

type finalized struct{ x [64]int }

func startAll() {
	go chanReceive()
	go chanSend()
	go chanReceiveNil()
	go chanSendNil()
	go selectTwo()
	go selectNone()
	go sleep()
	mutex.Lock()
	go mutexLock()
	go mutexLock()
	rw.RLock()
	go rwLock()
	time.Sleep(20 * time.Millisecond)
	go rwRLock()
	group.Add(1)
	go groupWait()
	go condWait()
	go onceDo()
	time.Sleep(20 * time.Millisecond)
	go onceDo()
	go rangeChan()
	go ioWait()
	go lockedSleep()
	go lockedChan()
	go pipeRead()
	k := &keeper{"k", never}
	k.start()
	go k.each(func(s string, n int) { <-never })
	go func() { func() { <-never }() }()
	go (&pair[struct{ x, y int }, map[string]int]{}).hold(make(chan struct{ x, y int }))
	go hold(make(chan [3]string), struct{ a, b int }{1, 2})
	go waiter.Wait(&group)
	for i := 0; i < 3; i++ {
		go func(n int) {
			defer recoverAll()
			panicAndWait(n)
		}(i)
	}
	for _, f := range extra {
		f()
	}
	runtime.SetFinalizer(&finalized{}, func(*finalized) { <-never })
	runtime.GC() // the finalizer runs, and Go notes since when goroutines wait
	time.AfterFunc(time.Millisecond, func() { <-never })
}

func recoverAll()        { recover(); <-never }
func panicAndWait(n int) { panic(n) }

func main() {
	startAll()
	words := map[string]bool{}
	for _, w := range os.Args[1:] {
		words[w] = true
	}
	if words["trace"] {
		if err := trace.Start(io.Discard); err != nil {
			panic(err)
		}
	}
	address := "-"
	if words["http"] {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		address = l.Addr().String()
		go http.Serve(l, nil)
	}
	time.Sleep(200 * time.Millisecond)
	runtime.GC()
	if words["stack"] {
		buf := make([]byte, 1<<20)
		os.Stdout.Write(buf[:runtime.Stack(buf, true)])
		return
	}
	if words["busy"] {
		go spin()
		go spin()
		time.Sleep(50 * time.Millisecond)
	}
	fmt.Println("ready", address)
	for {
		time.Sleep(10 * time.Second)
		runtime.GC()
	}
}
