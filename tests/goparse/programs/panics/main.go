// Panics: handlers that panic, which net/http logs, and debug.PrintStack among the lines of
// a log: stacks that follow each other without a blank line. Ends by itself.
package main

import (
	"log"
	"net"
	"net/http"
	"runtime/debug"
	"time"
)

type api struct{ users map[string]*user }

type user struct{ name string }

func (a *api) user(w http.ResponseWriter, r *http.Request) {
	log.Printf("user %q asked for", r.URL.Query().Get("id"))
	w.Write([]byte(a.users[r.URL.Query().Get("id")].name))
}

func audit(w http.ResponseWriter, r *http.Request) {
	log.Print("goroutine that audits:")
	debug.PrintStack()
	log.Print("audited")
}

func main() {
	a := &api{}
	http.HandleFunc("/user", a.user)
	http.HandleFunc("/audit", audit)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go http.Serve(l, nil)
	for _, path := range []string{"/user?id=1", "/audit", "/audit", "/user?id=2"} {
		http.Get("http://" + l.Addr().String() + path)
		time.Sleep(20 * time.Millisecond)
	}
	log.Print("done")
	debug.PrintStack()
}
