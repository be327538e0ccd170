//go:build traced

package main

/*
#cgo CFLAGS: -O0 -fno-omit-frame-pointer
#cgo LDFLAGS: -rdynamic -ldl
void c_context(void *);
void c_traceback(void *);
void c_symbolize(void *);
*/
import "C"

import (
	"os"
	"runtime"
	"unsafe"
)

func init() {
	symbolize := unsafe.Pointer(C.c_symbolize)
	if os.Getenv("NAMELESS") != "" {
		symbolize = nil // shows as "non-Go function at pc=0x…"
	}
	runtime.SetCgoTraceback(0, unsafe.Pointer(C.c_traceback), unsafe.Pointer(C.c_context),
		symbolize)
}
