//go:build cgosymbolizer

// Cgosym: C frames with files and lines, by github.com/ianlancetaylor/cgosymbolizer.
package main

/*
#include <unistd.h>
extern void goWait(int);
static int depth(int n) { if (n) return depth(n - 1) + 1; goWait(n); return sleep(1); }
static int c_depth(int n) { return depth(n); }
static int c_crash(volatile int *p) { return *p; }
*/
import "C"

import (
	"os"
	"time"

	_ "github.com/ianlancetaylor/cgosymbolizer"
)

//export goWait
func goWait(n C.int) { <-make(chan int) }

func main() {
	go C.c_depth(3)
	time.Sleep(200 * time.Millisecond)
	if len(os.Args) > 1 {
		C.c_crash((*C.int)(nil))
	}
	panic("beside C")
}
