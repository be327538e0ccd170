// Names has goroutines in functions and files with names that are hard to parse: spaces,
// brackets, quotes, parentheses, colons. Prints "ready".
package main

import (
	"fmt"
	"time"

	types "example.com/dumps/names/dotted.name.v2"
)

var never = make(chan int)

type waiter interface{ Wait() }

var global = func() { <-never }

func größe()             { <-never }
func 世界()                { <-never }
func in(f func())        { f() }
func (h hidden) Wait()   { <-never }
func (h *hidden) Point() { <-never }

type hidden struct{ x [3]int }

// The wrappers that the compiler makes for unnamed struct types are named after the whole
// type, including its tags. GOTRACEBACK=system shows them.
func wrappers() {
	go callWait(struct {
		*types.Keeper
		N int `json:"n) [x]: (y"`
	}{Keeper: &types.Keeper{Hold: never}})
	go callWait(struct{ hidden }{})
	go callWait(&struct {
		a string
		hidden
	}{})
	go callWait(new(hidden))
}

//go:noinline
func callWait(w waiter) { w.Wait() }

func deferred() {
	defer func(n int) { <-never }(1)
}

// File names in symbols and debug information come from line directives.
func elsewhere() {
	go func() {
//line /tmp/with space/and: colon:12/a b.go:7
		<-never
	}()
	go func() {
//line C:\Users\Jane Doe\src\main.go:152
		<-never
	}()
	go func() {
//line D:/work/x (copy)/main.go:1
		<-never
	}()
	go func() {
//line /tmp/in goroutine 7/created by me +0x1d.go:99
		<-never
	}()
	go func() {
//line x.y:1
		<-never
	}()
	go func() {
//line généré/文件.go:3
		<-never
	}()
	go func() {
//line /tmp/a.go:5 +0x12 fp=0x1 sp=0x2 pc=0x3/b.go:8
		<-never
	}()
}

//line main.go:200
func main() {
	go größe()
	go 世界()
	go global()
	go in(global)
	go func() { func() { func() { <-never }() }() }()
	go in((&hidden{}).Wait)
	go in((&hidden{}).Point)
	go (*hidden).Point(&hidden{})
	go deferred()
	wrappers()
	elsewhere()
	k := types.Keeper{Hold: never}
	k.Start()
	t := types.Tree[struct {
		a int
		b string
	}, map[string][]interface{ M(int) }]{Hold: never}
	t.Start(func(struct {
		a int
		b string
	}, map[string][]interface{ M(int) }) {
	})
	types.Each([]func(int) (string, error){nil}, func(func(int) (string, error)) { <-never })
	time.Sleep(200 * time.Millisecond)
	fmt.Println("ready -")
	time.Sleep(100 * time.Hour) // without a timer the runtime would report a deadlock
}

func init() {
	go func() { <-never }()
	go global()
}

func init() { go in(func() { <-never }) }
