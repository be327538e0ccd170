// Stuck: a shop that stopped serving. One handler holds the orders' mutex while it waits for
// the warehouse; the pool of 8 connections to it is exhausted, since each connection waits for
// an answer that is never sent. Handlers pile up behind the mutex and behind the pool. Each
// health check starts a probe; its sender leaks, since the channel is not read after the timeout.
// It looks alive: a metrics loop and a cache cleaner go on. Prints "ready ADDRESS"; make-dumps
// runs the clients.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"runtime"
	"sync"
	"time"
)

type Conn struct {
	net.Conn
	id int
}

type Pool struct {
	free chan *Conn
}

func NewPool(address string, size int) *Pool {
	p := &Pool{make(chan *Conn, size)}
	for i := 0; i < size; i++ {
		c, err := net.Dial("tcp", address)
		if err != nil {
			panic(err)
		}
		p.free <- &Conn{c, i}
	}
	return p
}

func (p *Pool) Get(ctx context.Context) (*Conn, error) {
	select {
	case c := <-p.free:
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *Pool) Put(c *Conn) { p.free <- c }

type Warehouse struct{ pool *Pool }

func (w *Warehouse) Reserve(ctx context.Context, item string) error {
	c, err := w.pool.Get(ctx)
	if err != nil {
		return err
	}
	defer w.pool.Put(c)
	if _, err := fmt.Fprintf(c, "RESERVE %s\n", item); err != nil {
		return err
	}
	_, err = c.Read(make([]byte, 64))
	return err
}

type Orders struct {
	sync.Mutex
	warehouse *Warehouse
	open      map[string]int
}

func (o *Orders) Place(ctx context.Context, item string) error {
	o.Lock()
	defer o.Unlock()
	o.open[item]++
	return o.warehouse.Reserve(ctx, item)
}

func (o *Orders) Count() int {
	o.Lock()
	defer o.Unlock()
	return len(o.open)
}

type Server struct {
	orders    *Orders
	warehouse *Warehouse
}

func (s *Server) HandleOrder(w http.ResponseWriter, r *http.Request) {
	if err := s.orders.Place(context.Background(), r.URL.Query().Get("item")); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (s *Server) HandleStock(w http.ResponseWriter, r *http.Request) {
	if err := s.warehouse.Reserve(context.Background(), "stock"); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (s *Server) probe() error {
	result := make(chan error)
	go func() { result <- s.warehouse.ping() }()
	select {
	case err := <-result:
		return err
	case <-time.After(time.Millisecond):
		return errors.New("the warehouse does not answer")
	}
}

func (w *Warehouse) ping() error {
	time.Sleep(5 * time.Millisecond)
	return nil
}

func (s *Server) HandleHealth(w http.ResponseWriter, r *http.Request) {
	if err := s.probe(); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	}
}

// The warehouse reads what is sent and never answers.
func deafWarehouse() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		var all []net.Conn
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all = append(all, c)
		}
	}()
	return l.Addr().String()
}

func (s *Server) reportMetrics() {
	for range time.Tick(time.Second) {
		_ = runtime.NumGoroutine()
	}
}

func cleanCache() {
	for {
		time.Sleep(3 * time.Second)
		runtime.GC()
	}
}

func main() {
	warehouse := &Warehouse{NewPool(deafWarehouse(), 8)}
	s := &Server{&Orders{warehouse: warehouse, open: map[string]int{}}, warehouse}
	http.HandleFunc("/order", s.HandleOrder)
	http.HandleFunc("/stock", s.HandleStock)
	http.HandleFunc("/health", s.HandleHealth)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(l, nil)
	go s.reportMetrics()
	go cleanCache()
	fmt.Println("ready", l.Addr())
	select {}
}
