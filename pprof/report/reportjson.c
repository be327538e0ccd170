/* Rows stand on lines of their own, so that JSON can be read and compared by line, too. */
#include "pprof/report/reportjson.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printer.h"
#include "pprof/graph/nodes.h"
#include "pprof/profile.h"
#include "pprof/report/heading.h"
#include "pprof/view.h"

/* By enum report_by. */
static const char *const granularities[] = { "function", "line",   "file",
					     "address",	 "module", "thread" };

void reportjson_number(struct json *j, const char *key, int64_t number, bool known)
{
	json_addf(j, known ? ",\"%s\":%" PRId64 : ",\"%s\":null", key, number);
}

/* ,"KEY":TEXT, or null where it is empty. */
static void reportjson_string(struct json *j, const char *key, const char *text, size_t len)
{
	json_addf(j, ",\"%s\":", key);
	if (len)
		json_add_string(j, text, len);
	else
		json_add(j, "null");
}

static void reportjson_entry(struct json *j, const char *key, const struct strset *set, uint32_t i)
{
	reportjson_string(j, key, set->entries[i].text, set->entries[i].len);
}

void reportjson_open(struct json *j, const char *report)
{
	json_addf(j, "{\"format\":\"sampler-report\",\"version\":1,\"report\":\"%s\"", report);
}

void reportjson_times(struct json *j, int64_t time_nanos, int64_t duration_nanos)
{
	json_add(j, "\"time\":");
	if (time_nanos)
		json_add_time(j, time_nanos, 9);
	else
		json_add(j, "null");
	reportjson_number(j, "duration_ns", duration_nanos, duration_nanos != 0);
}

void reportjson_type(struct json *j, const struct profile *p, const struct report_view *v)
{
	reportjson_entry(j, "sample_type", &p->strings, p->types[v->type].type);
	reportjson_entry(j, "unit", &p->strings, p->types[v->type].unit);
}

void reportjson_profile(struct json *j, const struct profile *p, const struct report_view *v,
			int64_t total)
{
	int64_t samples = v->samples ? v->samples : heading_samples(p);
	size_t len;
	const char *program = heading_program_name(p, &len);

	json_add(j, ",\n\"profile\":{\"file\":");
	json_add_text(j, v->selection->file);
	reportjson_string(j, "program", program, len);
	reportjson_entry(j, "build_id", &p->strings,
			 p->mapping_count ? p->mappings[0].build_id : 0);
	json_add(j, ",");
	reportjson_times(j, p->time_nanos, p->duration_nanos);
	reportjson_type(j, p, v);
	reportjson_number(j, "total", total, true);
	reportjson_number(j, "samples", samples, samples != 0);
	json_add(j, "}");
}

static void reportjson_options(struct json *j, const struct report_choice *choices)
{
	json_add(j, ",\"options\":{");
	for (size_t i = 0; choices && choices[i].option; i++) {
		json_addf(j, "%s\"%s\":", i ? "," : "", choices[i].option);
		json_add_text(j, choices[i].value);
	}
	json_add(j, "}");
}

void reportjson_selection(struct json *j, const struct report_view *v)
{
	json_addf(j, ",\n\"selection\":{\"by\":\"%s\",\"sort\":\"%s\",\"nodecount\":%zu",
		  granularities[v->by], v->cum ? "cum" : "flat", v->nodecount);
	json_addf(j, ",\"nodefraction\":%.15g,\"edgefraction\":%.15g", v->node_fraction,
		  v->edge_fraction);
	json_addf(j, ",\"no_inline\":%s,\"no_native\":%s",
		  v->selection->no_inline ? "true" : "false",
		  v->selection->no_native ? "true" : "false");
	reportjson_options(j, v->selection->choices);
	json_add(j, "}");
}

bool reportjson_row(struct json *j, size_t i)
{
	if (!j->rc && j->out->len > PRINTER_MAX)
		j->rc = ERR_LIMIT;
	json_add(j, i ? ",\n" : "\n");
	return !j->rc;
}

/* A string: readers may take numbers as doubles (RFC 8259, section 6). */
static void reportjson_address(struct json *j, uint64_t address)
{
	json_addf(j, address ? ",\"address\":\"0x%" PRIx64 "\"" : ",\"address\":null", address);
}

void reportjson_node(struct json *j, const struct nodes *nodes, uint32_t node)
{
	const struct node *n = &nodes->list[node];
	const struct node_key *k = &n->key;
	const struct strset *strings = &nodes->p->strings;
	bool module = nodes->by == REPORT_BY_MODULE, thread = nodes->by == REPORT_BY_THREAD;

	json_add(j, "\"name\":");
	json_add_string(j, n->label, n->label_len);
	reportjson_entry(j, "function", strings, thread ? 0 : k->name);
	reportjson_entry(j, "file", &nodes->files, module ? 0 : k->file);
	reportjson_number(j, "line", k->line, k->line != 0);
	reportjson_number(j, "column", k->column, k->column != 0);
	reportjson_address(j, k->address);
	reportjson_entry(j, "module", module ? &nodes->files : strings,
			 module ? k->file : k->objfile);
	reportjson_entry(j, "thread", strings, thread ? k->name : 0);
}

void reportjson_frames(struct json *j, const char *stack, bool known)
{
	const char *end = stack + strlen(stack), *start;

	json_add(j, known ? ",\"frames\":[" : ",\"frames\":null");
	for (; known && end > stack; end = start > stack ? start - 1 : stack) {
		for (start = end; start > stack && start[-1] != ';';)
			start--;
		json_add_string(j, start, (size_t)(end - start));
		json_add(j, start > stack ? "," : "");
	}
	json_add(j, known ? "]" : "");
}

int reportjson_close(struct json *j, struct error *err)
{
	struct printer p = { .out = j->out };

	json_add(j, "\n]}\n");
	printer_fail(&p, j->rc);
	return printer_result(&p, err);
}
