// Scan: one goroutine with a very deep stack that the garbage collector scans over and over:
// a SIGQUIT that comes at that time shows it as (scan).
package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

//go:noinline
func deep(n int, p *int, c chan int) int {
	if n == 0 {
		<-c
		return *p
	}
	x := n
	return deep(n-1, &x, c) + x
}

func main() {
	debug.SetMaxStack(1 << 33)
	go deep(3000000, new(int), make(chan int))
	for i := 0; ; i++ {
		if i == 3 {
			fmt.Println("ready -")
		}
		runtime.GC()
	}
}
