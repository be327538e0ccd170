#include "rounds/source.h"

#include "rounds/sourceops.h"

void source_free(struct source *s)
{
	if (s)
		s->ops->free(s);
}

int source_profile(struct source *s, const char *name, bool gc_wait, struct buffer *out,
		   struct source_remark *remark, struct error *err)
{
	*remark = (struct source_remark){ 0 };
	return s->ops->profile(s, name, gc_wait, out, remark, err);
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
	s->ops->finish(s);
}

int source_custom(struct source *s, struct buffer *names, struct error *err)
{
	return s->ops->custom(s, names, err);
}
