//go:build go1.25

package bubbles

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var outside = make(chan int)

func dump() {
	buf := make([]byte, 1<<20)
	os.Stdout.Write(buf[:runtime.Stack(buf, true)])
}

func inside(t *testing.T) {
	receive, send, either := make(chan int), make(chan int), make(chan int)
	var group sync.WaitGroup
	var mutex sync.Mutex
	group.Add(1)
	mutex.Lock()
	go func() { <-receive }()
	go func() { send <- 1 }()
	go func() {
		select {
		case <-either:
		case <-time.After(time.Hour):
		}
	}()
	go group.Wait()
	go time.Sleep(time.Hour)
	go mutex.Lock() // this wait is not durable: a mutex may be released from outside
	go func() { <-outside }()
	go func() {
		m := new(sync.Mutex)
		m.Lock()
		sync.NewCond(m).Wait()
	}()
	go func() { select {} }()
}

func TestDump(t *testing.T) {
	go func() { <-outside }()
	go synctest.Test(t, func(t *testing.T) { inside(t); <-outside })
	time.Sleep(100 * time.Millisecond)
	synctest.Test(t, func(t *testing.T) {
		inside(t)
		for i := 0; i < 20000; i++ {
			runtime.Gosched() // time.Sleep would wait forever, because of the mutex
		}
		dump()
		os.Exit(0)
	})
}

func TestDeadlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inside(t)
		synctest.Wait()
		select {}
	})
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inside(t)
		synctest.Wait()
	})
}

func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		go func() { select {} }()
		time.Sleep(1)
		panic("in the bubble")
	})
}
