/* Each function calls that of the source's table, where there is one; what a source has no function
 * for has the answer that changes nothing. */
#include "rounds/source/source.h"

#include "rounds/source/sourceops.h"

void source_free(struct source *s)
{
	if (s)
		s->ops->free(s);
}

int source_profile(struct source *s, const struct goprofile_id *id, bool gc_wait,
		   struct buffer *out, struct source_remark *remark, struct error *err)
{
	*remark = (struct source_remark){ 0 };
	return s->ops->profile(s, id, gc_wait, out, remark, err);
}

int source_goroutine_waits(struct source *s, struct buffer *out, struct error *err)
{
	return s->ops->goroutine_waits(s, out, err);
}

int source_trace(struct source *s, uint64_t duration_ns, struct buffer *out,
		 struct source_remark *remark, struct error *err)
{
	*remark = (struct source_remark){ 0 };
	return s->ops->trace(s, duration_ns, out, remark, err);
}

void source_finish(struct source *s)
{
	if (s->ops->finish)
		s->ops->finish(s);
}

int source_custom(struct source *s, struct buffer *names, struct error *err)
{
	return s->ops->custom(s, names, err);
}

void source_about(struct source *s, struct process *process)
{
	if (s->ops->about)
		s->ops->about(s, process);
}

void source_needs(struct source *s, struct source_needs *needs)
{
	*needs = (struct source_needs){ .tracing = 0 };
	if (s->ops->needs)
		s->ops->needs(s, needs);
}

void source_together(struct source *s, unsigned types, bool gc_wait)
{
	if (s->ops->together)
		s->ops->together(s, types, gc_wait);
}

bool source_by_address(const struct source *s)
{
	return s->ops->by_address;
}

int source_save(const struct source *s, struct buffer *out)
{
	return s->ops->save ? s->ops->save(s, out) : 0;
}

void source_load(struct source *s, const void *data, size_t len)
{
	if (s->ops->load)
		s->ops->load(s, data, len);
}
