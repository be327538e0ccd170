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
	"runtime"
	"unsafe"
)

func init() {
	runtime.SetCgoTraceback(0, unsafe.Pointer(C.c_traceback), unsafe.Pointer(C.c_context),
		unsafe.Pointer(C.c_symbolize))
}
