// Crash ends in one of Go's ways to crash, with some other goroutines: crash WAY.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

type thing struct {
	next *thing
	name string
}

func (t *thing) length() int { return len(t.next.name) }

//go:noinline
func descend(n int, t thing) int {
	if n == 0 {
		panic(fmt.Errorf("at the bottom of %d", n))
	}
	return descend(n-1, t) + 1
}

//go:noinline
func forever(n int) int { return forever(n+1) + 1 }

func waiting(c chan int) { <-c }

type pair[A, B any] struct {
	a A
	b B
}

//go:noinline
func (p pair[A, B]) wait(c chan int) { func() { <-c }() }

//go:noinline
func (p pair[A, B]) start(c chan int) { go p.wait(c) }

//go:noinline
func generic[T any](v T, c chan int) { go func() { waiting(c); _ = v }() }

func locked() { runtime.LockOSThread(); time.Sleep(10 * time.Second) }

func clean(step int) {
	if step > 0 {
		defer clean(step - 1)
	}
	if r := recover(); r != nil {
		panic(fmt.Sprintf("cleaning %d after: %v", step, r))
	}
	panic(errors.New("nothing to clean"))
}

func deferred() {
	defer func() {
		var m map[string]int
		m["x"] = 1
	}()
	panic("first")
}

func repanic() {
	defer func() {
		r := recover()
		panic(r)
	}()
	var a []int
	_ = a[len(os.Args)+3]
}

func mapWrites() {
	m := map[int]int{}
	for i := 0; i < 4; i++ {
		go func() {
			for j := 0; ; j++ {
				m[j%8] = j
			}
		}()
	}
	time.Sleep(10 * time.Second)
}

var ways = map[string]func(){
	"panic":     func() { panic("a plain panic") },
	"lines":     func() { panic("first line\nsecond line\n\nfourth line\tand a tab") },
	"error":     func() { panic(fmt.Errorf("an error: %w", os.ErrNotExist)) },
	"struct":    func() { panic(thing{nil, "x"}) },
	"nil":       func() { fmt.Println((&thing{}).length()) },
	"overflow":  func() { forever(0) },
	"overflowg": func() { go forever(0); time.Sleep(10 * time.Second) },
	"deep":      func() { descend(300, thing{nil, "deep"}) },
	"deep100":   func() { descend(97, thing{nil, "as many as are printed"}) },
	"deep101":   func() { descend(98, thing{nil, "one more"}) },
	"deadlock":  func() { waiting(make(chan int)) },
	"goexit":    func() { runtime.Goexit() },
	"maps":      mapWrites,
	"unlock":    func() { new(sync.Mutex).Unlock() },
	"deferred":  deferred,
	"repanic":   repanic,
	"recovered": func() { defer clean(2); panic("spilled") },
	"divide":    func() { fmt.Println(1 / (len(os.Args) - 2)) },
	"threads": func() {
		debug.SetMaxThreads(3)
		for i := 0; i < 9; i++ {
			go locked()
		}
		locked()
	},
	"all":     all,
	"inother": func() { go func() { panic("in another goroutine") }(); time.Sleep(10 * time.Second) },
}

// Several goroutines with stacks of some depth, for a dump of some length.
func all() {
	for i := 0; i < 15; i++ {
		go forever100(i % 7)
	}
	time.Sleep(100 * time.Millisecond)
	panic("all")
}

//go:noinline
func forever100(n int) int {
	if n == 0 {
		select {}
	}
	return forever100(n-1) + 1
}

func main() {
	c := make(chan int)
	if os.Args[1] != "deadlock" && os.Args[1] != "goexit" {
		go time.Sleep(100 * time.Hour)
	}
	go waiting(c)
	pair[struct{ a int }, []string]{}.start(c)
	generic(struct {
		a int
		b map[string][]byte
	}{}, c)
	time.Sleep(50 * time.Millisecond)
	ways[os.Args[1]]()
}

func init() {
	go func() { select {} }()
}
