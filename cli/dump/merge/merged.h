/*
 * The threads of several processes, maybe of several hosts, with their stacks: what is merged.
 *
 *   merged_init -> (merged_begin_process -> (merged_begin_thread -> merged_add_frame… ->
 *   merged_end_thread)… -> merged_end_process)… -> merged_finish -> merged_text (mergetext.h)
 *
 * There is no tree in memory: threads are sorted by their stacks, outermost frame first, so those
 * that share outer frames are neighbours, and a node of the tree is a range of them. Two frames are
 * the same if they are printed alike: function, file's name and line, or function and module. With
 * the line, because the same function called from two places may be two barriers.
 *
 * All texts may be any bytes.
 */
#ifndef CLI_DUMP_MERGE_MERGED_H
#define CLI_DUMP_MERGE_MERGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/strset.h"

/* The first byte of a frame's text, which is not shown: what a frame tells of where a thread is. */
enum merged_kind { MERGED_PLUMBING = 'a', MERGED_NATIVE = 'b', MERGED_INTERPRETED = 'c' };

struct merged_process {
	uint32_t host, command; /* texts; host 0: all are of one */
	pid_t pid;
};

struct merged_thread {
	uint32_t process, name, state; /* name, state: texts */
	uint32_t role; /* a text: threads that do the same work in their processes have the same */
	pid_t tid;
	bool is_main;	     /* its process's first thread; set by merged_finish, as role */
	bool is_running;     /* not waiting */
	size_t first, count; /* frames, outermost first */
};

struct merged {
	bool no_native; /* threads with interpreted frames have only these; set by the caller */
	bool no_inline; /* no inlined calls; for those who read files */
	struct strset texts; /* of frames, too */
	struct merged_process *processes;
	struct merged_thread *threads;
	uint32_t *frames; /* texts */
	uint32_t *order;  /* threads by their stacks; set by merged_finish */
	size_t process_count, thread_count, frame_count;
	size_t process_room, thread_room, frame_room;
	uint32_t first_time, last_time; /* texts, RFC 3339, in UTC; 0: not known */
	struct buffer scratch;
	int rc; /* the first failure, ERR_NOMEM; from then on nothing is added */
};

struct merged_frame {
	const char *function, *file, *module; /* NULL or "": not known */
	uint64_t line;			      /* 0: not known */
	bool interpreted;
};

/* {0} may be released, too. Returns 0 or ERR_NOMEM. */
int merged_init(struct merged *m);
void merged_release(struct merged *m);

/* host: NULL if all processes are of one. time: when it was dumped, RFC 3339 with a fraction of the
 * same length for all, or "". */
void merged_begin_process(struct merged *m, const char *host);
void merged_end_process(struct merged *m, pid_t pid, const char *command, const char *time);

/* What a thread is and does. */
struct merged_doing {
	pid_t tid;
	const char *name, *state; /* state: "" if it is not known */
	const char *syscall;	  /* that it waits in; NULL or "": none */
	const char *waits;	  /* the kind of what it waits for: "mutex", "tcp"; NULL or "" */
};

/* Frames come innermost first. */
void merged_begin_thread(struct merged *m);
void merged_add_frame(struct merged *m, const struct merged_frame *f);
void merged_end_thread(struct merged *m, const struct merged_doing *doing);

/* Sorts all. Returns m->rc. */
int merged_finish(struct merged *m);

/* Compares threads by their stacks, then by process and number. */
int merged_compare(const struct merged *m, uint32_t a, uint32_t b);

#endif
