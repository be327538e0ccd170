// links: rounds/push
/*
 * Pushes batches by rounds/push/push.h; it obeys commands on the standard input:
 *
 *   push TARGET [credentials=FILE] [ca=FILE] [rate=N] [queue=N]
 *
 *   add<TAB>PATH<TAB>SEQUENCE<TAB>START<TAB>END<TAB>PID<TAB>COMMAND<TAB>HOST[<TAB>FIELD]…
 *       queues a batch; a field is "tag<US>KEY<US>VALUE", "attribute<US>KEY<US>VALUE",
 *       "file<US>TYPE<US>NAME",
 *       "delta<US>TYPE<US>NAME<US>NOTE" or "skip<US>TYPE<US>WHY", <US> being byte 0x1f
 *   turn MS     works on the queue for so long, or until it is empty
 *   hold MS     the same, but no new push may be started
 *   flush MS
 *   stats       "stats SENT FAILED DROPPED REFUSED WAITING ERROR"
 *   fds         "fds COUNT", "rss KILOBYTES"
 *
 * Each command is answered by lines of news, "news TEXT", then its own lines, and "ok".
 */
#include <dirent.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "rounds/batch/batch.h"
#include "rounds/push/push.h"

enum { MOST = 64 };

static void take(struct push_options *o, const char *word)
{
	const char *value = strchr(word, '=');
	size_t len = value ? (size_t)(value++ - word) : 0;

	if (!strncmp(word, "credentials", len))
		o->credentials_file = value;
	else if (!strncmp(word, "ca", len))
		o->ca_file = value;
	else if (!strncmp(word, "rate", len))
		o->rate = (unsigned)strtoul(value, NULL, 10);
	else if (!strncmp(word, "queue", len))
		o->queue = strtoul(value, NULL, 10);
	else
		exit(2);
}

static char *next(char **rest, const char *by)
{
	char *word = strsep(rest, by);

	return word ? word : (char *)"";
}

static void add_field(struct batch_event *e, struct batch_tag *tags, struct batch_tag *resource,
		      struct batch_entry *entries, char *field)
{
	char *kind = next(&field, "\x1f"), *first = next(&field, "\x1f");
	char *second = next(&field, "\x1f"), *third = next(&field, "\x1f");

	if (!strcmp(kind, "tag") && e->tag_count < MOST)
		tags[e->tag_count++] = (struct batch_tag){ first, second };
	else if (!strcmp(kind, "attribute") && e->resource_count < MOST)
		resource[e->resource_count++] = (struct batch_tag){ first, second };
	else if (!strcmp(kind, "skip") && e->entry_count < MOST)
		entries[e->entry_count++] = (struct batch_entry){ .type = first,
								  .why_not = second };
	else if (e->entry_count < MOST)
		entries[e->entry_count++] = (struct batch_entry){ .type = first,
								  .file = second,
								  .delta = !strcmp(kind, "delta"),
								  .note = *third ? third : NULL };
}

static int add(struct push *p, char *rest, struct error *err)
{
	struct batch_tag tags[MOST], resource[MOST];
	struct batch_entry entries[MOST];
	struct batch_event e = { .tags = tags,
				 .resource = resource,
				 .entries = entries,
				 .version = "1.2.3",
				 .build_id = "",
				 .ended = "time" };
	char *path = next(&rest, "\t");

	e.sequence = strtoull(next(&rest, "\t"), NULL, 10);
	e.start_ns = strtoll(next(&rest, "\t"), NULL, 10);
	e.end_ns = strtoll(next(&rest, "\t"), NULL, 10);
	e.pid = atoi(next(&rest, "\t"));
	e.command = next(&rest, "\t");
	e.host = next(&rest, "\t");
	while (rest)
		add_field(&e, tags, resource, entries, next(&rest, "\t"));
	return push_add(p, path, &e, err);
}

static void turn(struct push *p, uint64_t ms, int may_start)
{
	uint64_t end = monotonic_ns() + ms * NS_PER_MS;

	while (push_turn(p, may_start) >= 0 && monotonic_ns() < end)
		poll(NULL, 0, 5);
}

static void say_own(void)
{
	DIR *d = opendir("/proc/self/fd");
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long count = 0, pages = 0;

	while (d && readdir(d))
		count++;
	if (f && fscanf(f, "%*u %lu", &pages) == 1)
		printf("fds %lu\nrss %lu\n", count, pages * 4);
	if (d)
		closedir(d);
	if (f)
		fclose(f);
}

static void obey(struct push *p, char *line)
{
	const struct push_stats *s = push_stats(p);
	char *word = next(&line, " \t");
	struct error err;

	if (!strcmp(word, "add") && add(p, line, &err))
		printf("error %d %s\n", err.code, err.text);
	else if (!strcmp(word, "turn") || !strcmp(word, "hold"))
		turn(p, strtoull(line, NULL, 10), *word == 't');
	else if (!strcmp(word, "flush"))
		push_flush(p, strtoull(line, NULL, 10) * NS_PER_MS);
	else if (!strcmp(word, "stats"))
		printf("stats %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %zu %s\n", s->sent,
		       s->failed, s->dropped, s->refused, s->waiting, s->last_error);
	else if (!strcmp(word, "fds"))
		say_own();
	for (const char *news; (news = push_news(p));)
		printf("news %s\n", news);
	printf("ok\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct push_options o = { .target = argc > 1 ? argv[1] : "" };
	struct error err;
	struct push *p;
	char *line = NULL;
	size_t room = 0;

	for (int i = 2; i < argc; i++)
		take(&o, argv[i]);
	if (push_new(&p, &o, &err)) {
		printf("error %d %s\n", err.code, err.text);
		return 1;
	}
	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		obey(p, line);
	}
	free(line);
	push_free(p);
	return 0;
}
