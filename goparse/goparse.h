/*
 * The text in which Go prints goroutines, read goroutine by goroutine.
 *
 * Such text comes from /debug/pprof/goroutine?debug=2, runtime.Stack, SIGQUIT, panics and
 * crashes; src/runtime/traceback.go prints it, a little different in every release. Whatever
 * else stands before, between and behind is passed over. What cannot be understood costs a
 * frame rather than its goroutine, a goroutine rather than the dump, and is counted as an
 * error that tells where it is.
 *
 * Nothing is copied: texts point into the input, or into the parser's window of it, and are
 * good until the callback returns. A parser needs the same memory for any length of input.
 */
#ifndef GOPARSE_GOPARSE_H
#define GOPARSE_GOPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* Bytes of the input: no NUL behind them, none within that were not printed. */
struct goparse_text {
	const char *at;
	size_t len; /* 0: there is none */
};

struct goparse_frame {
	struct goparse_text function; /* "net/http.(*Server).Serve", without the arguments */
	struct goparse_text args;     /* as printed: "0x1, {0x2?, _}, ..."; empty for none */
	struct goparse_text file;     /* empty when the line could not be read, or for C */
	uint64_t line;
	uint64_t pc_offset; /* of the return address from the function's entry; 0: not printed */
	uint64_t pc;	    /* 0: not printed (that takes GOTRACEBACK=system, or a frame of C) */
};

/* A goroutine's stack, or what an ancestor's was when it created its descendant. */
struct goparse_stack {
	uint64_t id; /* the goroutine's (goid); 0 is a thread's g0 */
	const struct goparse_frame *frames; /* innermost first, without the creating one */
	size_t count;
	bool elided;	       /* Go left frames out: */
	size_t elided_at;      /* behind this many of `frames` */
	uint64_t elided_count; /* so many; 0: not printed (before Go 1.21) */
	bool unavailable;      /* "goroutine running on other thread; stack unavailable" */
	struct goparse_frame created_by; /* the go statement; no function: not printed */
	uint64_t created_in;   /* the goroutine that ran it; 0: not printed (before Go 1.21) */
};

struct goparse_label {
	struct goparse_text key, value; /* escapes undone */
};

/* What stands in parentheses behind the state, but is none. */
enum goparse_flag {
	GOPARSE_SCAN = 1,     /* its stack was being scanned by the garbage collector */
	GOPARSE_LEAKED = 2,   /* nobody can wake it any more (Go 1.26, goroutineleak profile) */
	GOPARSE_DURABLE = 4,  /* waits for others of its bubble only (Go 1.25, testing/synctest) */
	GOPARSE_SYNCTEST = 8, /* the same in Go 1.24 */
};

struct goparse_goroutine {
	struct goparse_stack stack;
	struct goparse_text state; /* status or wait reason: "chan receive", "select (no cases)" */
	unsigned flags;	     /* enum goparse_flag */
	uint64_t wait_ns;    /* whole minutes, which is all that Go prints: less than one is 0 */
	struct goparse_text wait_from; /* how it is known, where it is not from a text: "gc", "seen" */
	bool locked;	     /* to its thread (runtime.LockOSThread) */
	bool has_m, has_gp;  /* printed? GOTRACEBACK=system, or the one that crashed (Go 1.23) */
	int64_t m;	     /* the thread's number (m.id), -1 for "m=nil" */
	uint64_t gp, mp;     /* addresses of the runtime's g and m; mp 0 for nil */
	uint64_t bubble, group; /* synctest's, 0 for none; Go 1.25 and Go 1.24 */
	const struct goparse_label *labels; /* GODEBUG=tracebacklabels=1 (Go 1.26) */
	size_t label_count;
	const struct goparse_stack *ancestors; /* the creator first; GODEBUG=tracebackancestors=N */
	size_t ancestor_count;
	bool cut;	     /* had more than GOPARSE_TEXT_MAX bytes or GOPARSE_FRAMES_MAX frames */
	uint64_t line;	     /* of its header in the input, from 1 */
};

enum {
	GOPARSE_TEXT_MAX = 1 << 20, /* bytes of a goroutine; Go prints 100 frames each at most */
	GOPARSE_FRAMES_MAX = 8192,  /* of a goroutine with its ancestors */
	GOPARSE_ERRORS_KEPT = 100,
};

struct goparse_error {
	uint64_t line;	      /* from 1 */
	const char *expected; /* "a function call"; static */
	char text[80];	      /* the line, shortened (… at its end), printable UTF-8; or
			       * "(end of input)" */
};

struct goparse_stats {
	uint64_t lines, bytes, goroutines;
	uint64_t error_count;
	struct goparse_error errors[GOPARSE_ERRORS_KEPT]; /* the first of them */
};

struct goparse;

/* Gets each goroutine in the order of the input. What it returns other than 0 ends the
 * parsing and is returned there. */
typedef int goparse_callback(void *ctx, const struct goparse_goroutine *g, struct error *err);

/* Fills up to `len` bytes; *got 0 is the end. */
typedef int goparse_reader(void *ctx, void *buf, size_t len, size_t *got, struct error *err);

/* ERR_NOMEM. A parser may read one input after another. */
int goparse_new(struct goparse **p, struct error *err);
void goparse_free(struct goparse *p);

/* Both: 0 at the end of the input, whatever it held; the callback's or the reader's error,
 * ERR_NOMEM. */
int goparse_memory(struct goparse *p, const void *data, size_t len, goparse_callback *each,
		   void *ctx, struct error *err);
int goparse_stream(struct goparse *p, goparse_reader *read, void *read_ctx, goparse_callback *each,
		   void *ctx, struct error *err);

/* Of the last input, also after an error. */
const struct goparse_stats *goparse_stats(const struct goparse *p);

#endif
