/* A value that the dump does not contain has no key, except for the keys that every goroutine and
 * every frame has. */
#include "cli/goparse/json.h"

#include "base/json.h"
#include "goparse/goparse.h"

static void goparse_json_add_text(struct json *j, const char *key, struct goparse_text text)
{
	json_add(j, key);
	json_add_string(j, text.at, text.len);
}

/* A string, because readers may take numbers as doubles (RFC 8259, section 6). */
static void goparse_json_add_address(struct json *j, const char *key, uint64_t address)
{
	json_addf(j, "%s\"0x%lx\"", key, address);
}

/* The keys of all frames, the creator's included. */
static void goparse_json_add_place(struct json *j, const struct goparse_frame *f)
{
	goparse_json_add_text(j, "{\"function\":", f->function);
	if (f->file.len) {
		goparse_json_add_text(j, ",\"file\":", f->file);
		json_addf(j, ",\"line\":%lu", f->line);
	} else {
		json_add(j, ",\"file\":null,\"line\":null");
	}
	if (f->args.len)
		goparse_json_add_text(j, ",\"args\":", f->args);
	if (f->pc_offset)
		json_addf(j, ",\"pc_offset\":%lu", f->pc_offset);
	if (f->pc)
		goparse_json_add_address(j, ",\"pc\":", f->pc);
}

static void json_add_elided(struct json *j, const struct goparse_stack *s)
{
	json_addf(j, ",\"elided\":{\"at\":%zu,\"count\":", s->elided_at);
	if (s->elided_count)
		json_addf(j, "%lu}", s->elided_count);
	else
		json_add(j, "null}");
}

static void goparse_json_add_stack(struct json *j, const struct goparse_stack *s)
{
	json_add(j, ",\"frames\":[");
	for (size_t i = 0; i < s->count; i++) {
		json_add(j, i ? "," : "");
		goparse_json_add_place(j, &s->frames[i]);
		json_add(j, "}");
	}
	json_add(j, "]");
	if (s->elided)
		json_add_elided(j, s);
	if (s->unavailable)
		json_add(j, ",\"unavailable\":true");
	if (!s->created_by.function.len)
		return;
	json_add(j, ",\"created_by\":");
	goparse_json_add_place(j, &s->created_by);
	if (s->created_in)
		json_addf(j, ",\"goroutine\":%lu", s->created_in);
	json_add(j, "}");
}

static void goparse_json_add_ancestors(struct json *j, const struct goparse_goroutine *g)
{
	json_add(j, ",\"ancestors\":[");
	for (size_t i = 0; i < g->ancestor_count; i++) {
		json_addf(j, "%s{\"id\":%lu", i ? "," : "", g->ancestors[i].id);
		goparse_json_add_stack(j, &g->ancestors[i]);
		json_add(j, "}");
	}
	json_add(j, "]");
}

static void add_flags(struct json *j, unsigned flags)
{
	static const struct {
		enum goparse_flag flag;
		const char *name;
	} names[] = { { GOPARSE_SCAN, "scan" },
		      { GOPARSE_LEAKED, "leaked" },
		      { GOPARSE_DURABLE, "durable" },
		      { GOPARSE_SYNCTEST, "synctest" } };
	const char *before = ",\"flags\":[";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!(flags & names[i].flag))
			continue;
		json_addf(j, "%s\"%s\"", before, names[i].name);
		before = ",";
	}
	json_add(j, "]");
}

/* What is printed with GOTRACEBACK=system, or for the goroutine that crashed. */
static void goparse_json_add_runtime(struct json *j, const struct goparse_goroutine *g)
{
	if (g->has_gp)
		goparse_json_add_address(j, ",\"gp\":", g->gp);
	if (g->has_m && g->m < 0)
		json_add(j, ",\"m\":null");
	else if (g->has_m)
		json_addf(j, ",\"m\":%ld", g->m);
	if (g->mp)
		goparse_json_add_address(j, ",\"mp\":", g->mp);
	if (g->bubble)
		json_addf(j, ",\"bubble\":%lu", g->bubble);
	if (g->group)
		json_addf(j, ",\"group\":%lu", g->group);
}

/* Go prints a key once. If a dump contains it twice nevertheless, it is written twice. */
static void goparse_json_add_labels(struct json *j, const struct goparse_goroutine *g)
{
	json_add(j, ",\"labels\":{");
	for (size_t i = 0; i < g->label_count; i++) {
		goparse_json_add_text(j, i ? "," : "", g->labels[i].key);
		goparse_json_add_text(j, ":", g->labels[i].value);
	}
	json_add(j, "}");
}

static void goparse_json_add_head(struct json *j, const struct goparse_goroutine *g,
				  const char *dump)
{
	json_add(j, "{");
	if (dump) {
		json_add(j, "\"dump\":");
		json_add_text(j, dump);
		json_add(j, ",");
	}
	json_addf(j, "\"id\":%lu", g->stack.id);
	goparse_json_add_text(j, ",\"state\":", g->state);
	json_addf(j, ",\"wait_ns\":%lu,\"locked\":%s", g->wait_ns, g->locked ? "true" : "false");
	if (g->flags)
		add_flags(j, g->flags);
	goparse_json_add_runtime(j, g);
	goparse_json_add_labels(j, g);
}

int goparse_json(struct buffer *b, const struct goparse_goroutine *g, const char *dump)
{
	struct json j = { b, 0 };

	goparse_json_add_head(&j, g, dump);
	goparse_json_add_stack(&j, &g->stack);
	if (g->ancestor_count)
		goparse_json_add_ancestors(&j, g);
	if (g->cut)
		json_add(&j, ",\"cut\":true");
	json_addf(&j, ",\"line\":%lu}\n", g->line);
	return j.rc;
}
