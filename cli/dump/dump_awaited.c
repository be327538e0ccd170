/* What the threads of a dump wait for, other than a lock, as text and JSON
 * (sampler/dump/dumpwaits.c). */
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/printer.h"
#include "cli/common/cli.h"
#include "cli/dump/dumpfold.h"
#include "cli/dump/dumpformat.h"
#include "sampler/awaited/awaited.h"
#include "sampler/dump/dumping.h"
#include "sampler/thread/syscalls.h"

enum { AWAITED_SHOWN = 8 }; /* lines for a group */

/* `waits on fd 14: tcp`, `sleeps` */
static void dump_awaited_kind(struct printer *p, const struct awaited *w, bool of_one)
{
	switch (w->kind) {
	case AWAITED_SLEEP:
		print_to(p, "sleeps");
		break;
	case AWAITED_CHILD:
		print_to(p, "waits for a child");
		break;
	case AWAITED_FREEZER:
		print_to(p, "is frozen with its cgroup");
		break;
	case AWAITED_PAGE:
		print_to(p, "waits for a page that is read in");
		break;
	case AWAITED_TRACER:
		print_to(p, "is held");
		break;
	case AWAITED_FAULT:
		print_to(p, "waits for a page that another program brings (userfaultfd)");
		break;
	default:
		print_to(p, w->kind == AWAITED_SIGNAL && w->fd < 0 ? "waits for a " : "waits on ");
		if (w->fd >= 0 && of_one)
			print_to(p, "fd %d: ", w->fd);
		print_to(p, "%s", awaited_kind_name(w->kind));
	}
}

static const char *dump_awaited_peer_is(const struct awaited *w)
{
	if (w->kind == AWAITED_FILE_LOCK)
		return ", held by";
	if (w->kind == AWAITED_TRACER)
		return " by";
	return w->kind == AWAITED_CHILD ? ":" : ", at the other end";
}

/* `, at the other end process 12 "psql" and 2 more` */
static void dump_awaited_peer(struct printer *p, const struct awaited *w)
{
	print_to(p, "%s ", dump_awaited_peer_is(w));
	if (w->peer_is_here) {
		print_to(p, "this process");
	} else {
		print_to(p, "process %d \"", w->peer);
		print_foreign(p, w->command);
		print_to(p, "\"");
	}
	if (w->others)
		print_to(p, " and %u more", w->others);
}

/* The name of its call says as much. */
static bool dump_awaited_says_nothing(const struct awaited *w)
{
	return w->kind == AWAITED_NONE || (w->kind == AWAITED_SLEEP && !w->object);
}

static void dump_awaited_line(struct printer *p, const struct awaited *w, bool nested);

/* `, which waits in read`, `, which in flock waits on fd 3: file lock /x, held by …` */
static void dump_awaited_peer_does(struct printer *p, const struct awaited *w)
{
	bool waits = w->peer_state && strchr("SD", w->peer_state) && w->peer_call >= 0;
	char call[SYSCALL_NAME_ROOM];

	if (w->peer_state && !strchr("SD", w->peer_state))
		print_to(p, ", %s", dump_state_name(w->peer_state));
	if (!waits)
		return;
	syscall_name(w->peer_call, call);
	if (w->circle == 2) {
		print_to(p, ", which waits for this one in %s: a deadlock", call);
	} else if (w->circle) {
		print_to(p, ", which waits in %s: a deadlock of %u processes", call, w->circle);
	} else if (w->theirs && !dump_awaited_says_nothing(w->theirs)) {
		print_to(p, ", which in %s ", call);
		dump_awaited_line(p, w->theirs, true);
	} else {
		print_to(p, ", which waits in %s", call);
	}
}

/* `waits for connections on :8080; fd 16: event loop, 3 descriptors` */
static void dump_awaited_idle(struct printer *p, const struct awaited *w, bool nested)
{
	print_to(p, "waits for connections");
	if (w->object) {
		print_to(p, " on ");
		print_foreign(p, w->object);
	}
	if (nested)
		return;
	if (w->fd >= 0)
		print_to(p, "; fd %d: %s", w->fd, awaited_kind_name(w->kind));
	if (w->detail)
		print_to(p, "%s%s", w->fd >= 0 ? ", " : "; ", w->detail);
}

/* `nested`: of a process at another end, within its own line. */
static void dump_awaited_line(struct printer *p, const struct awaited *w, bool nested)
{
	if (w->idle) {
		dump_awaited_idle(p, w, nested);
		return;
	}
	dump_awaited_kind(p, w, true);
	if (w->object) {
		print_to(p, " ");
		print_foreign(p, w->object);
	}
	if (w->peer) {
		dump_awaited_peer(p, w);
		dump_awaited_peer_does(p, w);
	}
	if (w->detail && !nested)
		print_to(p, "; %s", w->detail);
}

void dump_print_awaited_kind(struct printer *p, const struct dump_thread *t)
{
	if (t->awaited.kind == AWAITED_NONE || t->awaited.kind == AWAITED_SLEEP)
		return;
	print_to(p, "     ");
	if (t->awaited.idle)
		print_to(p, "idle: waits for connections");
	else
		dump_awaited_kind(p, &t->awaited, false);
	print_to(p, "\n");
}

/* Of several threads that wait for one server, each by a connection of its own. */
static void dump_awaited_server(struct printer *p, const struct awaited *w)
{
	dump_awaited_kind(p, w, false);
	print_to(p, " ");
	print_foreign(p, w->server);
}

/* Equal lines are one. */
static int dump_awaited_fold(const struct dump_thread *const *threads, size_t count,
			     struct dumpfold *lines)
{
	struct buffer text = { 0 };
	int rc = 0;

	for (uint32_t i = 0; !rc && i < count; i++) {
		struct printer line = { &text, 0 };

		if (dump_awaited_says_nothing(&threads[i]->awaited))
			continue;
		text.len = 0;
		if (count > 1 && threads[i]->awaited.server)
			dump_awaited_server(&line, &threads[i]->awaited);
		else
			dump_awaited_line(&line, &threads[i]->awaited, false);
		rc = line.rc ? line.rc : dumpfold_add(lines, i, text.data, text.len);
	}
	buffer_release(&text);
	return rc;
}

void dump_print_awaited(struct printer *p, const struct dump_thread *const *threads, size_t count)
{
	struct dumpfold lines = { 0 };

	printer_fail(p, dump_awaited_fold(threads, count, &lines));
	for (size_t i = 0; i < lines.count && i < AWAITED_SHOWN; i++) {
		const struct dumpfold_group *g = &lines.groups[i];

		print_to(p, "     %s", threads[g->first]->awaited.idle ? "idle: " : "");
		if (g->count < count)
			print_to(p, "%u: ", g->count);
		print_bytes(p, g->text, g->len);
		print_to(p, "\n");
	}
	if (lines.count > AWAITED_SHOWN)
		print_to(p, "     and %zu other such waits: --all shows each\n",
			 lines.count - AWAITED_SHOWN);
	dumpfold_release(&lines);
}

void dump_print_off_cpu(struct printer *p, const struct dump_thread *const *threads, size_t count)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t ns = threads[i]->off_cpu_ns;

		least = ns < least ? ns : least;
		most = ns > most ? ns : most;
	}
	if (!count || !least)
		return;
	print_to(p, ", for %s", shown_duration(least));
	if (count > 1)
		print_to(p, " to %s", shown_duration(most));
}

static void dump_awaited_json_text(struct json *j, const char *key, const char *text)
{
	json_addf(j, ",\"%s\":", key);
	json_add_text(j, text);
}

static void dump_awaited_json(struct json *j, const struct awaited *w);

static void dump_awaited_json_peer(struct json *j, const struct awaited *w)
{
	char call[SYSCALL_NAME_ROOM];

	json_add(j, ",\"peer\":");
	if (!w->peer) {
		json_add(j, "null");
		return;
	}
	json_addf(j, "{\"pid\":%d,\"others\":%u,\"same_process\":%s", w->peer, w->others,
		  w->peer_is_here ? "true" : "false");
	dump_awaited_json_text(j, "command", w->command);
	dump_awaited_json_text(j, "state", w->peer_state ? dump_state_name(w->peer_state) : NULL);
	dump_awaited_json_text(j, "syscall",
			       w->peer_call < 0 ? NULL : syscall_name(w->peer_call, call));
	json_addf(j, ",\"deadlock\":%u,\"awaits\":", w->circle);
	dump_awaited_json(j, w->theirs);
	json_add(j, "}");
}

/* `w`: NULL: not known. */
static void dump_awaited_json(struct json *j, const struct awaited *w)
{
	if (!w || w->kind == AWAITED_NONE) {
		json_add(j, "null");
		return;
	}
	json_add(j, "{\"kind\":");
	json_add_text(j, awaited_kind_name(w->kind));
	json_addf(j, w->fd < 0 ? ",\"fd\":null" : ",\"fd\":%d", w->fd);
	dump_awaited_json_text(j, "object", w->object);
	dump_awaited_json_text(j, "detail", w->detail);
	json_addf(j, ",\"idle\":%s", w->idle ? "true" : "false");
	dump_awaited_json_peer(j, w);
	json_add(j, "}");
}

void dump_json_awaited(struct json *j, const struct dump_thread *t)
{
	json_addf(j, t->off_cpu_ns ? ",\"off_cpu_ns\":%lu" : ",\"off_cpu_ns\":null", t->off_cpu_ns);
	json_add(j, ",\"awaits\":");
	dump_awaited_json(j, &t->awaited);
}
