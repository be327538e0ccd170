package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"runtime"
	"sync"
	"time"
)

// A service that hangs: requests wait for a lock, for a connection of a pool, for a body that
// does not come, for a context, in a queue. Go itself makes the dump.

type request struct {
	ctx  context.Context
	body *bufio.Reader
}

type handler interface {
	handle(s *service, r *request) (int, error)
}

type service struct {
	mutex sync.Mutex
	group sync.WaitGroup
	pool  chan *request
	queue chan func(context.Context) error
}

type (
	locked        struct{ level int }
	pooled        struct{ limits [3]int }
	reading       struct{}
	waiting       struct{}
	queued[T any] struct{ kept []T }
)

//go:noinline
func logged(h handler, s *service, r *request) (int, error) {
	return h.handle(s, r)
}

//go:noinline
func (l *locked) handle(s *service, r *request) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return l.level, nil
}

//go:noinline
func (p pooled) handle(s *service, r *request) (int, error) {
	return (<-s.pool).body.Size() + p.limits[0], nil
}

//go:noinline
func (*reading) handle(s *service, r *request) (int, error) {
	first, err := r.body.Peek(1)
	return cap(first), err
}

//go:noinline
func (waiting) handle(s *service, r *request) (int, error) {
	select {
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	case job := <-s.queue:
		return 1, job(r.ctx)
	}
}

//go:noinline
func (q *queued[T]) handle(s *service, r *request) (int, error) {
	s.group.Wait()
	return cap(q.kept), nil
}

func (s *service) serve(ctx context.Context, n int) {
	body, _ := io.Pipe()
	handlers := []handler{&locked{1}, pooled{}, &reading{}, waiting{},
		&queued[map[string]int]{}}
	for i := range n {
		r := &request{ctx: ctx, body: bufio.NewReaderSize(body, 16)}
		go func() {
			if n, err := logged(handlers[i%5], s, r); err != nil {
				panic(n)
			}
		}()
	}
}

func makeDump(n int, out *os.File) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &service{pool: make(chan *request), queue: make(chan func(context.Context) error)}
	s.mutex.Lock()
	s.group.Add(1)
	s.serve(ctx, n)
	time.Sleep(500 * time.Millisecond)
	text := make([]byte, n<<10+1<<20)
	_, err := out.Write(text[:runtime.Stack(text, true)])
	fatal(err)
	fatal(out.Close())
	os.Exit(0) // because goroutines that wait may never end
}
