/*
 * Parses the text in which Go prints goroutines, one goroutine at a time.
 *
 * Such text comes from /debug/pprof/goroutine?debug=2, runtime.Stack, SIGQUIT, panics and crashes.
 * src/runtime/traceback.go prints it, slightly different in every release. Other text before,
 * between and behind goroutines is skipped. What cannot be parsed costs one frame rather than its
 * goroutine, and one goroutine rather than the dump. It is counted as an error that says where it
 * is.
 *
 * Nothing is copied: texts point into the input, or into the parser's window of it, and are valid
 * until the callback returns. A parser uses a bounded amount of memory, whatever the length of the
 * input.
 */
#ifndef GOPARSE_GOPARSE_H
#define GOPARSE_GOPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* Bytes of the input; not NUL-terminated. */
struct goparse_text {
	const char *at;
	size_t len; /* 0: the text does not exist */
};

struct goparse_frame {
	struct goparse_text function; /* "net/http.(*Server).Serve", without the arguments */
	struct goparse_text args;     /* as printed: "0x1, {0x2?, _}, ..."; empty: none */
	struct goparse_text file;     /* empty: could not be read, or a C frame without one */
	uint64_t line;
	uint64_t pc_offset; /* of the return address from the function's entry; 0: not printed */
	uint64_t pc;	    /* 0: not printed (needs GOTRACEBACK=system or a C frame) */
};

/* A goroutine's stack, or the stack that an ancestor had when it created its descendant. */
struct goparse_stack {
	uint64_t id;			    /* of the goroutine (goid); 0: the g0 of a thread */
	const struct goparse_frame *frames; /* innermost first, without created_by */
	size_t count;
	bool elided;	       /* Go left out frames: */
	size_t elided_at;      /* behind this many of `frames` */
	uint64_t elided_count; /* how many; 0: not printed (before Go 1.21) */
	bool unavailable;      /* "goroutine running on other thread; stack unavailable" */
	struct goparse_frame created_by; /* the go statement; no function: not printed */
	uint64_t created_in; /* the goroutine that ran it; 0: not printed (before Go 1.21) */
};

struct goparse_label {
	struct goparse_text key, value; /* unescaped */
};

/* Flags that Go prints in parentheses behind the state, but that are not part of it. */
enum goparse_flag {
	GOPARSE_SCAN = 1,     /* the garbage collector was scanning its stack */
	GOPARSE_LEAKED = 2,   /* nothing can wake it any more (Go 1.26, goroutineleak profile) */
	GOPARSE_DURABLE = 4,  /* waits only for others of its bubble (Go 1.25, testing/synctest) */
	GOPARSE_SYNCTEST = 8, /* the same in Go 1.24 */
};

struct goparse_goroutine {
	struct goparse_stack stack;
	struct goparse_text state; /* status or wait reason: "chan receive", "select (no cases)" */
	unsigned flags;		   /* enum goparse_flag */
	uint64_t wait_ns;	   /* as Go prints it, in whole minutes: less than one is 0 */
	struct goparse_text wait_from; /* how wait_ns is known if not from a dump: "gc", "seen" */
	bool locked;		       /* to its thread (runtime.LockOSThread) */
	bool has_m, has_gp;	       /* printed (GOTRACEBACK=system; or it crashed, Go 1.23) */
	int64_t m;		       /* number of the thread (m.id); -1 for "m=nil" */
	uint64_t gp, mp;	       /* addresses of the runtime's g and m; mp 0: nil */
	uint64_t bubble, group;	       /* of synctest, in Go 1.25 and in Go 1.24; 0: none */
	const struct goparse_label *labels; /* GODEBUG=tracebacklabels=1 (Go 1.26) */
	size_t label_count;
	const struct goparse_stack *ancestors; /* the creator first; GODEBUG=tracebackancestors=N */
	size_t ancestor_count;
	uint64_t next; /* the id of the goroutine that follows at once; 0: none */
	bool relayed;  /* a thread of a crashing process printed it, after the dump */
	bool cut;      /* more than GOPARSE_FRAMES_MAX frames or, in a stream, GOPARSE_TEXT_MAX */
	uint64_t line; /* of its header in the input, from 1 */
};

enum {
	GOPARSE_TEXT_MAX = 1 << 20, /* bytes of a goroutine; Go prints at most 100 frames of it */
	GOPARSE_FRAMES_MAX = 8192,  /* frames of a goroutine and its ancestors */
	GOPARSE_ERRORS_KEPT = 100,
};

struct goparse_error {
	uint64_t line;	      /* from 1 */
	const char *expected; /* "a function call"; static */
	char text[80];	      /* the line as printable UTF-8, with … at its end if it was cut; or
			       * "(end of input)" */
};

struct goparse_stats {
	uint64_t lines, bytes, goroutines;
	uint64_t error_count;
	bool cut; /* the input ends within a stack, in a line without its newline */
	struct goparse_error errors[GOPARSE_ERRORS_KEPT]; /* the first ones */
};

struct goparse;

/* Called for each goroutine in the order of the input. A result other than 0 ends the parsing
 * and is returned. */
typedef int goparse_callback(void *ctx, const struct goparse_goroutine *g, struct error *err);

/* Fills up to `len` bytes; *got is 0 at the end. */
typedef int goparse_reader(void *ctx, void *buf, size_t len, size_t *got, struct error *err);

/* Makes a parser, which can read several inputs. The caller calls goparse_free. ERR_NOMEM. */
int goparse_new(struct goparse **p, struct error *err);
void goparse_free(struct goparse *p);

/* Parse an input in memory or from a reader. 0 at the end of the input, whatever it contains; the
 * callback's or the reader's error; ERR_NOMEM. */
int goparse_memory(struct goparse *p, const void *data, size_t len, goparse_callback *each,
		   void *ctx, struct error *err);
int goparse_stream(struct goparse *p, goparse_reader *read, void *read_ctx, goparse_callback *each,
		   void *ctx, struct error *err);

/* Statistics of the last input, also after an error. They belong to the parser and are overwritten
 * by the next input. */
const struct goparse_stats *goparse_stats(const struct goparse *p);

#endif
