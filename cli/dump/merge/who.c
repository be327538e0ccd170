/* A host is named before each of its processes. */
#include "cli/dump/merge/who.h"

#include <stdbool.h>

#include "base/printer.h"
#include "cli/dump/merge/merged.h"

void who_print_frame(const struct merged *m, uint32_t frame, struct printer *p)
{
	const struct strset_entry *e = &m->texts.entries[frame];

	print_foreign_bytes(p, e->text + 1, e->len - 1); /* behind its kind */
}

static void who_print_process(const struct merged *m, uint32_t process, const char *word,
			      struct printer *p)
{
	const struct merged_process *of = &m->processes[process];

	if (of->host) {
		print_foreign(p, strset_get(&m->texts, of->host));
		print_to(p, ": ");
	}
	print_to(p, "%s%d \"", word, of->pid);
	print_foreign(p, strset_get(&m->texts, of->command));
	print_to(p, "\"");
}

static void who_print_thread(const struct merged *m, uint32_t thread, struct printer *p)
{
	const struct merged_thread *t = &m->threads[thread];

	if (!t->is_main) {
		print_to(p, "thread %d \"", t->tid);
		print_foreign(p, strset_get(&m->texts, t->name));
		print_to(p, "\"");
	}
	if (t->is_main || m->process_count > 1) {
		print_to(p, t->is_main ? "" : " of ");
		who_print_process(m, t->process, "process ", p);
	}
}

/* Threads in one stack are in the order of their processes; with several stacks, those of one
 * process may be apart, so that it counts more than once. */
size_t who_count_processes(const struct merged *m, const uint32_t *threads, size_t count)
{
	size_t processes = 0;

	for (size_t i = 0; i < count; i++)
		processes += !i ||
			     m->threads[threads[i]].process != m->threads[threads[i - 1]].process;
	return processes;
}

static void who_print_processes(const struct merged *m, const uint32_t *threads, size_t count,
				struct printer *p)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t process = m->threads[threads[i]].process;

		if (i && process == m->threads[threads[i - 1]].process)
			continue;
		print_to(p, i ? ", " : "");
		who_print_process(m, process, "process ", p);
	}
}

void who_print(const struct merged *m, const uint32_t *threads, size_t count, struct printer *p)
{
	size_t processes = who_count_processes(m, threads, count);

	for (size_t i = 0; count <= WHO_FEW && i < count; i++) {
		print_to(p, i ? ", " : "");
		who_print_thread(m, threads[i], p);
	}
	if (count <= WHO_FEW || m->process_count == 1)
		return;
	if (processes <= WHO_FEW)
		who_print_processes(m, threads, count, p);
	else
		print_to(p, "%zu processes", processes);
}
