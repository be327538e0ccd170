/* A value that the dump does not contain has no key, except for the keys that every goroutine and
 * every frame has. */
#include "sampler/cli/goparse/json.h"

#include <stdbool.h>

#include "base/buffer.h"
#include "base/json.h"
#include "goparse/goparse.h"

static int add(struct buffer *b, const char *text)
{
	return buffer_add(b, text, strlen(text));
}

static int add_text(struct buffer *b, const char *key, struct goparse_text text)
{
	return add(b, key) || json_add_string(b, text.at, text.len) ? ERR_NOMEM : 0;
}

/* A string, because readers may take numbers as doubles (RFC 8259, section 6). */
static int add_address(struct buffer *b, const char *key, uint64_t address)
{
	return buffer_addf(b, "%s\"0x%lx\"", key, address);
}

/* The keys of all frames, that of the creator included. */
static int add_place(struct buffer *b, const struct goparse_frame *f)
{
	int rc = add_text(b, "{\"function\":", f->function);

	if (!rc && f->file.len)
		rc = add_text(b, ",\"file\":", f->file) || buffer_addf(b, ",\"line\":%lu", f->line);
	else if (!rc)
		rc = add(b, ",\"file\":null,\"line\":null");
	if (!rc && f->args.len)
		rc = add_text(b, ",\"args\":", f->args);
	if (!rc && f->pc_offset)
		rc = buffer_addf(b, ",\"pc_offset\":%lu", f->pc_offset);
	if (!rc && f->pc)
		rc = add_address(b, ",\"pc\":", f->pc);
	return rc ? ERR_NOMEM : 0;
}

static int add_elided(struct buffer *b, const struct goparse_stack *s)
{
	int rc = buffer_addf(b, ",\"elided\":{\"at\":%zu,\"count\":", s->elided_at);

	if (!rc)
		rc = s->elided_count ? buffer_addf(b, "%lu}", s->elided_count) : add(b, "null}");
	return rc;
}

static int add_creator(struct buffer *b, const struct goparse_stack *s)
{
	int rc = add(b, ",\"created_by\":") || add_place(b, &s->created_by);

	if (!rc && s->created_in)
		rc = buffer_addf(b, ",\"goroutine\":%lu", s->created_in);
	return rc || add(b, "}") ? ERR_NOMEM : 0;
}

static int add_stack(struct buffer *b, const struct goparse_stack *s)
{
	int rc = add(b, ",\"frames\":[");

	for (size_t i = 0; !rc && i < s->count; i++)
		rc = add(b, i ? "," : "") || add_place(b, &s->frames[i]) || add(b, "}");
	rc = rc || add(b, "]");
	if (!rc && s->elided)
		rc = add_elided(b, s);
	if (!rc && s->unavailable)
		rc = add(b, ",\"unavailable\":true");
	if (!rc && s->created_by.function.len)
		rc = add_creator(b, s);
	return rc ? ERR_NOMEM : 0;
}

static int add_ancestors(struct buffer *b, const struct goparse_goroutine *g)
{
	int rc = add(b, ",\"ancestors\":[");

	for (size_t i = 0; !rc && i < g->ancestor_count; i++)
		rc = buffer_addf(b, "%s{\"id\":%lu", i ? "," : "", g->ancestors[i].id) ||
		     add_stack(b, &g->ancestors[i]) || add(b, "}");
	return rc || add(b, "]") ? ERR_NOMEM : 0;
}

static int add_flags(struct buffer *b, unsigned flags)
{
	static const struct {
		enum goparse_flag flag;
		const char *name;
	} names[] = { { GOPARSE_SCAN, "scan" }, { GOPARSE_LEAKED, "leaked" },
		      { GOPARSE_DURABLE, "durable" }, { GOPARSE_SYNCTEST, "synctest" } };
	const char *before = ",\"flags\":[";
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(names) / sizeof(*names); i++) {
		if (!(flags & names[i].flag))
			continue;
		rc = buffer_addf(b, "%s\"%s\"", before, names[i].name);
		before = ",";
	}
	return rc || add(b, "]") ? ERR_NOMEM : 0;
}

/* What is printed with GOTRACEBACK=system, or for the goroutine that crashed. */
static int add_runtime(struct buffer *b, const struct goparse_goroutine *g)
{
	int rc = 0;

	if (g->has_gp)
		rc = add_address(b, ",\"gp\":", g->gp);
	if (!rc && g->has_m)
		rc = g->m < 0 ? add(b, ",\"m\":null") : buffer_addf(b, ",\"m\":%ld", g->m);
	if (!rc && g->mp)
		rc = add_address(b, ",\"mp\":", g->mp);
	if (!rc && g->bubble)
		rc = buffer_addf(b, ",\"bubble\":%lu", g->bubble);
	if (!rc && g->group)
		rc = buffer_addf(b, ",\"group\":%lu", g->group);
	return rc;
}

/* Go prints a key once. If a dump contains it twice nevertheless, it is written twice. */
static int add_labels(struct buffer *b, const struct goparse_goroutine *g)
{
	int rc = add(b, ",\"labels\":{");

	for (size_t i = 0; !rc && i < g->label_count; i++)
		rc = add_text(b, i ? "," : "", g->labels[i].key) ||
		     add_text(b, ":", g->labels[i].value);
	return rc || add(b, "}") ? ERR_NOMEM : 0;
}

static int add_head(struct buffer *b, const struct goparse_goroutine *g, const char *dump)
{
	int rc = add(b, "{");

	if (!rc && dump)
		rc = add(b, "\"dump\":") || json_add_text(b, dump) || add(b, ",");
	rc = rc || buffer_addf(b, "\"id\":%lu", g->stack.id) ||
	     add_text(b, ",\"state\":", g->state) ||
	     buffer_addf(b, ",\"wait_ns\":%lu,\"locked\":%s", g->wait_ns,
			 g->locked ? "true" : "false");
	if (!rc && g->flags)
		rc = add_flags(b, g->flags);
	return rc || add_runtime(b, g) || add_labels(b, g) ? ERR_NOMEM : 0;
}

int goparse_json(struct buffer *b, const struct goparse_goroutine *g, const char *dump)
{
	int rc = add_head(b, g, dump) || add_stack(b, &g->stack);

	if (!rc && g->ancestor_count)
		rc = add_ancestors(b, g);
	if (!rc && g->cut)
		rc = add(b, ",\"cut\":true");
	return rc || buffer_addf(b, ",\"line\":%lu}\n", g->line) ? ERR_NOMEM : 0;
}
