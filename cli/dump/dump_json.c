/* A dump for programs. All keys are always present; an unknown value is null. */
#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/process/image.h"
#include "base/process/process.h"
#include "cli/dump/dumpformat.h"
#include "sampler/dump/dumping.h"
#include "sampler/thread/syscalls.h"
#include "symbolize/symbolizer.h"

/* ,"KEY":TEXT */
static void dump_json_add_text(struct json *j, const char *key, const char *text)
{
	json_addf(j, ",\"%s\":", key);
	json_add_text(j, text);
}

/* ,"KEY":NUMBER */
static void dump_json_add_number(struct json *j, const char *key, uint64_t n, bool known)
{
	json_addf(j, known ? ",\"%s\":%lu" : ",\"%s\":null", key, n);
}

/* ,"KEY":"0x…": a string, because readers may take numbers as doubles (RFC 8259, section 6). */
static void dump_json_add_address(struct json *j, const char *key, uint64_t n, bool known)
{
	json_addf(j, known ? ",\"%s\":\"0x%lx\"" : ",\"%s\":null", key, n);
}

/* One of the calls at a frame: the last is the function itself, the others are inlined calls.
 * `call` is NULL if it is unknown. */
static void dump_json_add_call(struct json *j, const struct dump_frame *f,
			       const struct symbol_frame *call, bool last)
{
	static const struct symbol_frame unnamed = { 0 };
	const struct symbol_frame *c = call ? call : &unnamed;
	const char *build_id = f->image ? image_build_id(f->image) : "";

	json_add(j, "    {");
	json_addf(j, f->interpreted ? "\"pc\":null" : "\"pc\":\"0x%lx\"", f->pc);
	dump_json_add_text(j, "function", c->name);
	dump_json_add_address(j, "offset", f->addr - f->function, last && f->function);
	dump_json_add_text(j, "file", c->file);
	dump_json_add_number(j, "line", c->line, c->line);
	dump_json_add_number(j, "column", c->column, c->column);
	dump_json_add_text(j, "module", f->image ? image_path(f->image) : NULL);
	dump_json_add_address(j, "module_offset", f->addr, f->image && !f->interpreted);
	dump_json_add_text(j, "build_id", *build_id ? build_id : NULL);
	json_addf(j, ",\"inlined\":%s}", last ? "false" : "true");
}

static void dump_json_add_frame(struct json *j, const struct dump_frame *f)
{
	if (!f->call_count)
		dump_json_add_call(j, f, NULL, true);
	for (size_t i = 0; i < f->call_count; i++) {
		if (i)
			json_add(j, ",\n");
		dump_json_add_call(j, f, &f->calls[i], i == f->call_count - 1);
	}
}

static int dump_json_add_thread(struct buffer *b, const struct dump_thread *t, bool first)
{
	struct json j = { b, 0 };
	char call[SYSCALL_NAME_ROOM];

	json_addf(&j, "%s\n  {\"tid\":%d", first ? "" : ",", t->tid);
	dump_json_add_text(&j, "name", t->name);
	dump_json_add_text(&j, "state", dump_state_name(t->state));
	dump_json_add_text(&j, "syscall", t->syscall < 0 ? NULL : syscall_name(t->syscall, call));
	dump_json_awaited(&j, t);
	dump_json_wait(&j, t);
	dump_json_add_text(&j, "end", t->walked ? stack_end_name(t->end) : NULL);
	json_add(&j, ",\"frames\":[");
	for (size_t i = 0; i < t->count; i++) {
		json_add(&j, i ? ",\n" : "\n");
		dump_json_add_frame(&j, &t->frames[i]);
	}
	json_add(&j, "]}");
	return j.rc;
}

static int dump_json_add_heading(struct buffer *b, const struct dump_process *p)
{
	struct json j = { b, 0 };

	json_addf(&j, "{\"pid\":%d", p->process->pid);
	dump_json_add_text(&j, "command", p->process->comm);
	json_add(&j, ",\"time\":");
	json_add_time(&j, (int64_t)p->time_ns, 9);
	json_add(&j, ",\"threads\":[");
	return j.rc;
}

static int dump_json_add_process(struct buffer *b, const struct dump_process *p,
				 struct outfile *file, struct error *err)
{
	int rc = dump_flush(b, file, dump_json_add_heading(b, p), false, err);

	for (size_t i = 0; !rc && i < p->count; i++)
		rc = dump_flush(b, file, dump_json_add_thread(b, &p->threads[i], !i), false, err);
	if (!rc) {
		struct json j = { b, 0 };

		json_add(&j, "]");
		dump_json_deadlocks(&j, p);
		json_add(&j, "}\n");
		rc = dump_flush(b, file, j.rc, false, err);
	}
	return rc;
}

int dump_json(const struct dump *d, struct outfile *file, struct error *err)
{
	struct buffer b = { 0 };
	size_t count;
	const struct dump_process *processes = dump_processes(d, &count);
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		if (processes[i].count)
			rc = dump_json_add_process(&b, &processes[i], file, err);
	if (!rc)
		rc = dump_flush(&b, file, 0, true, err);
	buffer_release(&b);
	return rc;
}
