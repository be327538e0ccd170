// Labels: goroutines with pprof labels of all kinds, for GODEBUG=tracebacklabels=1.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"
)

var never = make(chan int)

func with(pairs ...string) {
	go pprof.Do(context.Background(), pprof.Labels(pairs...), func(context.Context) { <-never })
}

func main() {
	with("key", "value")
	with("a", "1", "b", "2", "c", "3")
	with("empty", "")
	with("", "no key")
	with("quotes", `say "hi"`, "back\\slash", `C:\dir\`)
	with("brackets", "[x]: {y} (z)", "]:", "}]:")
	with("comma, colon: ", `", "x": "y`)
	with("lines", "one\ntwo\r\nthree\tfour\x00\x1b[31m")
	with("unicode", "größe 世界 \U0001f600", "ключ", "значение")
	with("invalid", "\xff\xfe|\x7f|\u0080")
	with("labels:{", "goroutine 7 [running]:")
	with("long", strings.Repeat("0123456789", 100))
	go pprof.Do(context.Background(), pprof.Labels("outer", "o"), func(ctx context.Context) {
		pprof.Do(ctx, pprof.Labels("inner", "i", "outer", "replaced"), func(context.Context) {
			go func() { // inherits the labels
				runtime.LockOSThread()
				<-never
			}()
			<-never
		})
	})
	go func() { <-never }()
	time.Sleep(100 * time.Millisecond)
	buf := make([]byte, 1<<20)
	os.Stdout.Write(buf[:runtime.Stack(buf, true)])
}
