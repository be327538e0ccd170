// Large prints the stacks of 100,000 goroutines: some 56 MB.
package main

import (
	"context"
	"net"
	"os"
	"runtime"
	"sync"
	"time"
)

type worker struct {
	in, out chan []byte
	mutex   *sync.Mutex
}

func (w *worker) run(ctx context.Context, n int)    { w.loop(ctx, n, 2) }
func (w *worker) receive(b []byte, n int, s string) { <-w.in }
func (w *worker) send(b []byte, n int)              { w.out <- b }
func (w *worker) lock(names ...string)              { w.mutex.Lock() }

//go:noinline
func (w *worker) loop(ctx context.Context, n, depth int) {
	if depth > 0 {
		w.loop(ctx, n, depth-1)
		return
	}
	switch n % 4 {
	case 0:
		w.receive(make([]byte, 8), n, "receive")
	case 1:
		w.send(nil, n)
	case 2:
		w.lock("a", "b")
	case 3:
		select {
		case <-ctx.Done():
		case <-w.in:
		case w.out <- nil:
		}
	}
}

func main() {
	var mutex sync.Mutex
	mutex.Lock()
	for i := 0; i < 100000; i++ {
		w := &worker{make(chan []byte), make(chan []byte), &mutex}
		go w.run(context.Background(), i)
	}
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	go l.Accept()
	time.Sleep(time.Second)
	buf := make([]byte, 256<<20)
	os.Stdout.Write(buf[:runtime.Stack(buf, true)])
}
