// Cgo: goroutines in C, called by C, and on threads that C made. Prints "ready -", or crashes in C
// or in a callback: cgo [WORD]. With -tags traced the traceback and the symbolizer in trace.c
// supply the C frames.
package main

/*
void c_sleep(void);
void c_callback(int);
void c_threads(void);
int c_crash(void);
*/
import "C"

import (
	"fmt"
	"os"
	"time"
)

var never = make(chan int)

//export goWait
func goWait(n C.int) {
	if n == 100 {
		panic("in a callback")
	}
	<-never
}

func main() {
	go C.c_sleep()
	go C.c_callback(1)
	C.c_threads()
	time.Sleep(200 * time.Millisecond)
	switch fmt.Sprint(os.Args[1:]) {
	case "[crash]":
		C.c_crash()
	case "[callback]":
		C.c_callback(99)
	}
	fmt.Println("ready -")
	C.c_sleep()
}
