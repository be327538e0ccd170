/* The methods of a source; rounds/source/source.h says what each has to do. */
#ifndef ROUNDS_SOURCE_SOURCEOPS_H
#define ROUNDS_SOURCE_SOURCEOPS_H

#include "rounds/source/source.h"

struct source_ops {
	int (*profile)(struct source *s, const struct goprofile_id *id, bool gc_wait,
		       struct buffer *out, struct source_remark *remark, struct error *err);
	int (*goroutine_waits)(struct source *s, struct buffer *out, struct error *err);
	int (*trace)(struct source *s, uint64_t duration_ns, struct buffer *out,
		     struct source_remark *remark, struct error *err);
	int (*custom)(struct source *s, struct buffer *names, struct error *err);
	void (*finish)(struct source *s); /* finish to load may be NULL: no effect */
	void (*about)(struct source *s, struct process *process);
	void (*together)(struct source *s, unsigned types, bool gc_wait);
	void (*needs)(struct source *s, struct source_needs *needs);
	int (*save)(const struct source *s, struct buffer *out);
	void (*load)(struct source *s, const void *data, size_t len);
	void (*free)(struct source *s);
	bool by_address;
};

/* The first member of every source's own struct. */
struct source {
	const struct source_ops *ops;
};

#endif
