// Server: net/http with net/http/pprof, and its own clients, which keep it busy.
// Prints "ready ADDRESS".
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"sync"
	"time"
)

type store struct {
	sync.RWMutex
	sums map[string][32]byte
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Query().Get("key")
	s.RLock()
	sum, ok := s.sums[key]
	s.RUnlock()
	if !ok {
		sum = sha256.Sum256([]byte(key))
		s.Lock()
		s.sums[key] = sum
		s.Unlock()
	}
	time.Sleep(5 * time.Millisecond)
	fmt.Fprintf(w, "%x\n", sum)
}

func slow(w http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-time.After(time.Hour):
	}
}

func client(url string, n int) {
	for i := 0; ; i++ {
		r, err := http.Get(fmt.Sprintf("%s?key=%d", url, i%97*n))
		if err == nil {
			io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
	}
}

func main() {
	http.Handle("/sum", &store{sums: map[string][32]byte{}})
	http.HandleFunc("/slow", slow)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	base := "http://" + l.Addr().String()
	for i := 0; i < 3; i++ {
		go client(base+"/sum", i)
	}
	for i := 0; i < 2; i++ {
		go client(base+"/slow", i)
	}
	go func() {
		time.Sleep(300 * time.Millisecond)
		fmt.Println("ready", l.Addr())
	}()
	panic(http.Serve(l, nil))
}
