/* A dump for programs. All keys are always present; an unknown value is null. */
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/process/image.h"
#include "base/process/process.h"
#include "sampler/cli/record/dumpformat.h"
#include "sampler/dump/dumping.h"
#include "sampler/thread/syscalls.h"
#include "symbolize/symbolizer.h"

/* ,"KEY":TEXT */
static int add_text(struct buffer *b, const char *key, const char *text)
{
	int rc = buffer_addf(b, ",\"%s\":", key);

	return rc ? rc : json_add_text(b, text);
}

/* ,"KEY":NUMBER */
static int add_number(struct buffer *b, const char *key, uint64_t n, bool known)
{
	return known ? buffer_addf(b, ",\"%s\":%lu", key, n) : buffer_addf(b, ",\"%s\":null", key);
}

/* ,"KEY":"0x…": a string, because readers may take numbers as doubles (RFC 8259, section 6). */
static int add_address(struct buffer *b, const char *key, uint64_t n, bool known)
{
	return known ? buffer_addf(b, ",\"%s\":\"0x%lx\"", key, n) :
		       buffer_addf(b, ",\"%s\":null", key);
}

/* One of the calls at a frame: the last is the function itself, the others are inlined calls.
 * `call` is NULL if it is unknown. */
static int add_call(struct buffer *b, const struct dump_frame *f, const struct symbol_frame *call,
		    bool last)
{
	static const struct symbol_frame nobody = { 0 };
	const struct symbol_frame *c = call ? call : &nobody;
	const char *build_id = f->image ? image_build_id(f->image) : "";

	return buffer_addf(b, "    {\"pc\":\"0x%lx\"", f->pc) ||
	       add_text(b, "function", c->name) ||
	       add_address(b, "offset", f->addr - f->function, last && f->function) ||
	       add_text(b, "file", c->file) || add_number(b, "line", c->line, c->line) ||
	       add_number(b, "column", c->column, c->column) ||
	       add_text(b, "module", f->image ? image_path(f->image) : NULL) ||
	       add_address(b, "module_offset", f->addr, f->image) ||
	       add_text(b, "build_id", *build_id ? build_id : NULL) ||
	       buffer_addf(b, ",\"inlined\":%s}", last ? "false" : "true") ? ERR_NOMEM : 0;
}

static int add_frame(struct buffer *b, const struct dump_frame *f)
{
	int rc = 0;

	if (!f->call_count)
		return add_call(b, f, NULL, true);
	for (size_t i = 0; !rc && i < f->call_count; i++) {
		if (i)
			rc = buffer_add(b, ",\n", 2);
		if (!rc)
			rc = add_call(b, f, &f->calls[i], i == f->call_count - 1);
	}
	return rc;
}

static int add_thread(struct buffer *b, const struct dump_thread *t, bool first)
{
	char call[SYSCALL_NAME_ROOM];
	const char *end = t->walked ? stack_end_name(t->end) : NULL;
	int rc = buffer_addf(b, "%s\n  {\"tid\":%d", first ? "" : ",", t->tid) ||
		 add_text(b, "name", t->name) || add_text(b, "state", dump_state_name(t->state)) ||
		 add_text(b, "syscall", t->syscall < 0 ? NULL : syscall_name(t->syscall, call)) ||
		 add_text(b, "end", end) || buffer_addf(b, ",\"frames\":[");

	for (size_t i = 0; !rc && i < t->count; i++)
		rc = buffer_addf(b, "%s\n", i ? "," : "") || add_frame(b, &t->frames[i]);
	return rc || buffer_addf(b, "]}") ? ERR_NOMEM : 0;
}

static int add_heading(struct buffer *b, const struct dump_process *p)
{
	time_t seconds = (time_t)(p->time_ns / NS_PER_S);
	char when[32];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	return buffer_addf(b, "{\"pid\":%d", p->process->pid) ||
	       add_text(b, "command", p->process->comm) ||
	       buffer_addf(b, ",\"time\":\"%s.%09luZ\",\"threads\":[", when,
			   (uint64_t)(p->time_ns % NS_PER_S)) ? ERR_NOMEM : 0;
}

static int add_process(struct buffer *b, const struct dump_process *p, struct outfile *file,
		       struct error *err)
{
	int rc = dump_flush(b, file, add_heading(b, p), false, err);

	for (size_t i = 0; !rc && i < p->count; i++)
		rc = dump_flush(b, file, add_thread(b, &p->threads[i], !i), false, err);
	return rc ? rc : dump_flush(b, file, buffer_add(b, "]}\n", 3), false, err);
}

int dump_json(const struct dump *d, struct outfile *file, struct error *err)
{
	struct buffer b = { 0 };
	size_t count;
	const struct dump_process *processes = dump_processes(d, &count);
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		if (processes[i].count)
			rc = add_process(&b, &processes[i], file, err);
	if (!rc)
		rc = dump_flush(&b, file, 0, true, err);
	buffer_release(&b);
	return rc;
}
