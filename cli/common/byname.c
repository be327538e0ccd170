/* A process that ends while it is being opened is looked for again, a few times: a server may be
 * just restarting. */
#include "cli/common/byname.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/named.h"
#include "base/process/process.h"
#include "cli/common/choice.h"

enum { BYNAME_TRIES = 3 };

struct byname_held {
	struct process process;
	char *name; /* owned; NULL: it was chosen by other means */
};

static bool byname_holds(const struct process *p, const char *name)
{
	struct named n;

	return named_read(&n, p->proc_fd, p->pid) && (!name || named_has(&n, p->proc_fd, name)) &&
	       process_alive(p);
}

/* False: it has ended, or the number was another process's already. */
static bool byname_open(struct byname_held *h, pid_t pid, const char *name)
{
	if (process_open(&h->process, pid, NULL))
		return false;
	if (byname_holds(&h->process, name))
		return true;
	process_close(&h->process);
	return false;
}

static int byname_hold(struct byname *b, const struct byname_held *h, const char *name,
		       struct error *err)
{
	struct byname_held *more = realloc(b->held, (b->count + 1) * sizeof(*more));

	if (!more)
		return error_nomem(err);
	b->held = more;
	more[b->count] = *h;
	more[b->count].name = name ? strdup(name) : NULL;
	if (name && !more[b->count].name)
		return error_nomem(err);
	b->count++;
	return 0;
}

/* The one process that a list of them stands for. */
static const struct named *one_of(const struct named_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->of[i].master == l->of[i].pid)
			return &l->of[i];
	return NULL;
}

/* Takes the process of a list with one master. ERR_BUSY: it has ended meanwhile. */
static int byname_take(struct byname *b, const struct named_list *l, const char *name, pid_t *pid,
		       struct error *err)
{
	struct byname_held h;
	int rc;

	*pid = one_of(l)->pid;
	if (!byname_open(&h, *pid, name))
		return ERR_BUSY;
	b->masters |= l->count > 1;
	rc = byname_hold(b, &h, name, err);
	if (rc)
		process_close(&h.process);
	return rc;
}

static int byname_look(struct byname *b, const char *name, pid_t *pid, struct error *err)
{
	struct named_list l;
	int rc = named_find(&l, name, err);

	if (!rc && !l.count)
		rc = choice_none(name, err);
	else if (!rc && l.masters != 1)
		rc = choice_several(&l, name, err);
	else if (!rc)
		rc = byname_take(b, &l, name, pid, err);
	named_release(&l);
	return rc;
}

int byname_find(struct byname *b, const char *name, pid_t *pid, struct error *err)
{
	int rc = ERR_BUSY;

	for (int left = BYNAME_TRIES; left && rc == ERR_BUSY; left--)
		rc = byname_look(b, name, pid, err);
	return rc == ERR_BUSY ?
		       error_set(err, ERR_GONE, "the processes named '%s' end at once", name) :
		       rc;
}

int byname_hold_chosen(struct byname *b, const struct named *n, struct error *err)
{
	struct byname_held h;
	struct named now;
	int rc;

	if (!byname_open(&h, n->pid, NULL))
		return error_set(err, ERR_GONE, "process %d has ended", n->pid);
	if (!named_read(&now, h.process.proc_fd, n->pid) || now.start_ticks != n->start_ticks)
		rc = error_set(err, ERR_GONE, "process %d has ended", n->pid);
	else
		rc = byname_hold(b, &h, NULL, err);
	if (rc)
		process_close(&h.process);
	return rc;
}

static bool lists_pid(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

int byname_check(const struct byname *b, const pid_t *pids, size_t count, struct error *err)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct byname_held *h = &b->held[i];

		if (lists_pid(pids, count, h->process.pid) && !byname_holds(&h->process, h->name))
			return error_set(err, ERR_GONE, "process %d has ended%s%s%s",
					 h->process.pid, h->name ? ", or is no more '" : "",
					 h->name ? h->name : "", h->name ? "'" : "");
	}
	return 0;
}

bool byname_borne(const char *name)
{
	struct named_list l;
	bool borne = !named_find(&l, name, NULL) && l.count;

	named_release(&l);
	return borne;
}

void byname_release(struct byname *b)
{
	for (size_t i = 0; i < b->count; i++) {
		process_close(&b->held[i].process);
		free(b->held[i].name);
	}
	free(b->held);
	*b = (struct byname){ 0 };
}
