/* Which functions are the library's, and which frames of real stacks are selected. */
#include "goparse/summary/telling.h"

#include "tests/unit/goparse/goroutines.h"

Test(telling, the_library_and_others)
{
	static const char *const library[] = {
		"runtime.gopark",
		"internal/runtime/maps.(*Map).getWithKey",
		"sync.(*Mutex).Lock",
		"net/http.(*conn).serve",
		"vendor/golang.org/x/net/http2.f",
		"time.Sleep",
		"slices.SortFunc[go.shape.[]github.com/acme/shop.Item,go.shape.int]",
		"pthread_cond_wait",
		"",
	};
	static const char *const others[] = {
		"main.main",
		"main.(*Pool).Get",
		"golang.org/x/sync/errgroup.(*Group).Wait",
		"github.com/acme/net/http.Serve",
		"acme/shop.f",
		"cmd/go/internal/work.(*Builder).Do",
		"gopkg.in/yaml%2ev3.Unmarshal",
		"command-line-arguments.f",
		"timex.Sleep",
		"example.com/x.Map[go.shape.struct { net/http.A int }]",
	};

	for (size_t i = 0; i < sizeof(library) / sizeof(*library); i++)
		cr_assert(telling_is_library(text_of(library[i])), "%s", library[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		cr_assert_not(telling_is_library(text_of(others[i])), "%s", others[i]);
	cr_assert(telling_is_runtime(text_of("runtime/pprof.writeGoroutine")));
	cr_assert(telling_is_runtime(text_of("internal/runtime/syscall.Syscall6")));
	cr_assert_not(telling_is_runtime(text_of("internal/poll.(*FD).Read")));
}

Test(telling, short_names)
{
	static const struct {
		const char *whole, *name;
	} names[] = {
		{ "net/http.(*Server).Serve", "http.(*Server).Serve" },
		{ "github.com/acme/shop.F[go.shape.struct { a/b.T }]",
		  "shop.F[go.shape.struct { a/b.T }]" },
		{ "main.f", "main.f" },
		{ "", "" },
		{ "a/", "" },
		{ "x.(*T[net/http.A]).f", "x.(*T[net/http.A]).f" },
	};
	static const struct {
		const char *path, *name;
	} files[] = {
		{ "/src/a b/server.go", "server.go" },
		{ "C:/x/y.go", "y.go" },
		{ "C:\\x\\y.go", "y.go" },
		{ "_cgo_gotypes.go", "_cgo_gotypes.go" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct goparse_text t = telling_short_name(text_of(names[i].whole));

		cr_assert(t.len == strlen(names[i].name) && !memcmp(t.at, names[i].name, t.len),
			  "%s", names[i].whole);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct goparse_text t = telling_file_name(text_of(files[i].path));

		cr_assert(t.len == strlen(files[i].name) && !memcmp(t.at, files[i].name, t.len),
			  "%s", files[i].path);
	}
}

/* `expected`: indexes of frames, from 0, as "0 2 3". */
static void assert_frames(const char *state, const char *frames, const char *expected)
{
	struct made_stack m;
	struct goparse_stack s = make_stack(&m, frames, NULL);
	size_t at[4], count = telling_frames(&s, text_of(state), at, 4);
	char text[32] = "";

	for (size_t i = 0; i < count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%zu", i ? " " : "",
			 at[i]);
	cr_assert_str_eq(text, expected, "%s: %s", frames, text);
}

Test(telling, ones_own_code_and_what_it_waits_in)
{
	assert_frames("semacquire",
		      "sync.runtime_Semacquire sync.(*WaitGroup).Wait main.run main.main", "1 2 3");
	assert_frames("sync.WaitGroup.Wait",
		      "sync.runtime_Semacquire sync.(*WaitGroup).Wait main.f", "2");
	assert_frames("sync.Mutex.Lock", "internal/sync.lockSlow sync.(*Mutex).Lock main.f", "2");
	assert_frames("sync.RWMutex.RLock", "sync.(*RWMutex).RLock main.f", "1");
	assert_frames("sync.RWMutex.Lock", "sync.(*RWMutex).RLock main.f", "0 1");
	assert_frames("sync.Mutex.Lock", "sync.(*Mutex).Lock sync.(*Once).doSlow main.f", "1 2");
	assert_frames("sync.Mutex.Lock (leaked)", "sync.(*Mutex).Lock main.f", "1");
	assert_frames("sleep", "time.Sleep main.f", "1");
	assert_frames("select", "runtime.gopark runtime.selectgo main.f", "2");
	assert_frames("IO wait", "internal/poll.Read net.(*conn).Read main.read main.read main.f",
		      "1 2 4");
}

Test(telling, callers_that_are_not_the_librarys)
{
	assert_frames("chan send",
		      "main.send net/http.HandlerFunc.ServeHTTP main.wrap net/http.serve", "0 2");
	assert_frames("running", "main.a main.b main.c main.d main.e", "0 1 2 3");
}

Test(telling, all_the_librarys)
{
	assert_frames("IO wait", "internal/poll.Read net.Read bufio.Peek net/http.serve", "2 3");
	assert_frames("select", "net/http.writeLoop", "0");
	assert_frames("GC worker (idle)", "runtime.gopark runtime.gcBgMarkWorker", "1");
	assert_frames("GC worker (idle)", "runtime.gopark runtime.gcBgMarkWorker runtime.goexit",
		      "1");
	assert_frames("dead", "runtime.goexit", "0");
	assert_frames("syscall", "os/signal.signal_recv os/signal.loop runtime.goexit", "0 1");
	assert_frames("running", "", "");
}
