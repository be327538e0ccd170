// links: rounds/collect
/*
 * Requests profiles from a URL by rounds/collect/collection.h and prints a line for each
 * item: "TYPE NAME LENGTH|- REMARKS", and at the end "rc CODE MESSAGE". Profiles go to files in
 * DIR.
 *
 *   collect URL TYPES DIR [socket=PATH] [ca=FILE] [header=TEXT]… [gc] [wait] [timeout=MS]
 *           [max=BYTES] [trace=MS] [limit=BYTES] [goroutines=N] [finish=MS] [cancel=MS] [kill=MS]
 *
 * It ends early as a round may: `finish` and `cancel` so long after the start; `kill` kills the
 * collecting process.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "rounds/collect/collection.h"
#include "base/net/http.h"
#include "rounds/source/source.h"

static const char *headers[16];
static struct http_request request = { .headers = headers };
static struct source_options options = { .timeout_ns = 10 * NS_PER_S,
					 .max_bytes = 64 << 20,
					 .trace_limit = 5 << 20,
					 .max_goroutines_wait = 100000 };
static struct collection_request wanted = { .trace_ns = NS_PER_S };
static uint64_t finish_ms, cancel_ms, kill_ms;

static void take(const char *word)
{
	const char *value = strchr(word, '=');
	size_t len = value ? (size_t)(value++ - word) : strlen(word);
	uint64_t number = value ? strtoull(value, NULL, 10) : 0;

	if (!strncmp(word, "socket", len))
		request.unix_socket = value;
	else if (!strncmp(word, "ca", len))
		request.ca_file = value;
	else if (!strncmp(word, "header", len) && request.header_count < 16)
		headers[request.header_count++] = value;
	else if (len == 2 && !strncmp(word, "gc", len))
		options.gc = true;
	else if (!strncmp(word, "wait", len))
		wanted.gc = true;
	else if (!strncmp(word, "timeout", len))
		options.timeout_ns = number * NS_PER_MS;
	else if (!strncmp(word, "max", len))
		options.max_bytes = number;
	else if (!strncmp(word, "trace", len))
		wanted.trace_ns = number * NS_PER_MS;
	else if (!strncmp(word, "limit", len))
		options.trace_limit = number;
	else if (!strncmp(word, "goroutines", len))
		options.max_goroutines_wait = number;
	else if (!strncmp(word, "finish", len))
		finish_ms = number;
	else if (!strncmp(word, "cancel", len))
		cancel_ms = number;
	else if (!strncmp(word, "kill", len))
		kill_ms = number;
	else
		exit(2);
}

static void kill_children(void)
{
	char path[64];
	FILE *f;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1)
		kill(pid, SIGKILL);
	if (f)
		fclose(f);
}

/* Has that time passed since `began`? True only once: sets *ms to 0. */
static bool due(uint64_t *ms, uint64_t began)
{
	if (!*ms || monotonic_ns() - began < *ms * NS_PER_MS)
		return false;
	*ms = 0;
	return true;
}

static void wait_for_end(struct collection *c)
{
	uint64_t began = monotonic_ns();

	while (!collection_over(c)) {
		struct pollfd pf = { .fd = collection_fd(c), .events = POLLIN };

		poll(&pf, 1, 10);
		if (due(&finish_ms, began))
			collection_finish(c);
		if (due(&cancel_ms, began))
			collection_cancel(c, "the round was given up");
		if (due(&kill_ms, began))
			kill_children();
	}
}

static void save(const struct collection_item *item, const char *folder)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s%s%s", folder, captures[item->type].name,
		 *item->name ? "-" : "", item->name);
	f = fopen(path, "we");
	if (!f || fwrite(item->data, 1, item->len, f) != item->len || fclose(f))
		exit(3);
}

static void say(const struct collection_item *item)
{
	printf("%s %s ", captures[item->type].name, *item->name ? item->name : "-");
	if (item->data)
		printf("%zu", item->len);
	else
		printf("-");
	printf("%s%s%s%s%s\n", item->cut ? " (cut)" : "", item->note ? " note: " : "",
	       item->note ? item->note : "", item->why_not ? " why not: " : "",
	       item->why_not ? item->why_not : "");
}

static int run(struct source *s, const char *folder, struct error *err)
{
	const struct collection_item *items;
	struct collection *c;
	size_t count;
	int rc = collection_start(&c, s, &wanted, err);

	if (rc)
		return rc;
	wait_for_end(c);
	rc = collection_items(c, &items, &count, err);
	for (size_t i = 0; i < count; i++) {
		say(&items[i]);
		if (items[i].data)
			save(&items[i], folder);
	}
	collection_free(c);
	return rc;
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	struct source *s;
	int rc;

	if (argc < 4)
		return 2;
	request.url = argv[1];
	for (int i = 4; i < argc; i++)
		take(argv[i]);
	rc = capture_parse(argv[2], &wanted.types, &err);
	rc = rc ? rc : source_http(&s, &request, &options, &err);
	if (!rc) {
		rc = run(s, argv[3], &err);
		source_free(s);
	}
	printf("rc %d %s\n", rc, err.text);
	return rc ? 1 : 0;
}
