// links: sampler/child rounds/batch
/*
 * Writes batches round after round, as a sampler does. The content of their files follows from
 * their names and lengths. Prints each batch, or why there is none.
 *
 *   batchloop DIR KEY [rounds=N] [keep=N] [bytes=N] [age=MS] [series=TEXT] [files=N] [size=BYTES]
 *             [pause=MS] [step=1] [start=SECONDS] [jump=SECONDS] [fork=1] [drop=1]
 *
 * With `step`, each line of the standard input starts a round, and its end ends the program.
 * `start` is the start of the first round in Unix time (now), `jump` the seconds by which each
 * round is later than the one before (1). `fork` leaves a process behind that has all our
 * descriptors and waits forever; `drop` gives up privileges as a recording does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "sampler/child/privilege.h"
#include "rounds/batch/batch.h"

enum { FILES_MAX = 32 };

static struct batches_options options;
static unsigned long rounds = 1, files = 3, size = 5000, pause_ms, step, forks, drops;
static long start_s, jump_s = 1;

static void take(const char *word)
{
	const char *value = strchr(word, '=');
	unsigned long number = value ? strtoul(value + 1, NULL, 10) : 0;

	if (!strncmp(word, "series=", 7))
		options.series = value + 1;
	else if (!strncmp(word, "rounds=", 7))
		rounds = number;
	else if (!strncmp(word, "keep=", 5))
		options.keep = number;
	else if (!strncmp(word, "bytes=", 6))
		options.max_bytes = number;
	else if (!strncmp(word, "age=", 4))
		options.max_age_ns = number * 1000000;
	else if (!strncmp(word, "files=", 6))
		files = number < FILES_MAX ? number : FILES_MAX;
	else if (!strncmp(word, "size=", 5))
		size = number;
	else if (!strncmp(word, "pause=", 6))
		pause_ms = number;
	else if (!strncmp(word, "step=", 5))
		step = number;
	else if (!strncmp(word, "start=", 6))
		start_s = (long)number;
	else if (!strncmp(word, "jump=", 5))
		jump_s = atol(value + 1);
	else if (!strncmp(word, "fork=", 5))
		forks = number;
	else if (!strncmp(word, "drop=", 5))
		drops = number;
	else
		exit(2);
}

/* Every byte is the name's last letter. */
static void add_file(struct batch *batch, struct batch_entry *entry, char *name, char *data)
{
	struct error err = { 0 };

	memset(data, name[strlen(name) - 1], size);
	*entry = (struct batch_entry){ .type = "cpu", .file = name, .bytes = size };
	if (batch_add(batch, name, data, size, &err)) {
		*entry = (struct batch_entry){ .type = "cpu", .why_not = "not written" };
		printf("file %s %d %s\n", name, err.code, err.text);
	}
}

static int fill(struct batch *batch, struct batch_event *event, const char **path,
		struct error *err)
{
	static char names[FILES_MAX][16];
	struct batch_entry entries[FILES_MAX];
	char *data = malloc(size + 1);
	int rc;

	for (unsigned long i = 0; i < files; i++) {
		snprintf(names[i], sizeof(names[i]), "file-%c", 'a' + (int)i % 26);
		add_file(batch, &entries[i], names[i], data);
	}
	free(data);
	event->entries = entries;
	event->entry_count = files;
	rc = batch_commit(batch, event, path, err);
	return rc;
}

static void one_round(struct batches *b, unsigned long i)
{
	struct batch_event event = { .start_ns = (start_s + (long)i * jump_s) * 1000000000,
				     .host = "host",
				     .command = "batchloop",
				     .build_id = "",
				     .pid = getpid(),
				     .ended = "time",
				     .version = "0" };
	struct error err = { 0 };
	struct batch *batch;
	char told[4096];
	const char *path;
	int rc;

	event.end_ns = event.start_ns + 1000000000;
	event.duration_ns = 1000000000;
	rc = batch_begin(b, &batch, &err);
	if (!rc)
		rc = fill(batch, &event, &path, &err);
	snprintf(told, sizeof(told), "%s", rc ? err.text : path);
	batch_free(batch);
	if (rc)
		printf("error %d %s\n", rc, told);
	else
		printf("batch %lu %s\n", event.sequence, told);
}

static void leave_a_process(void)
{
	if (!forks || fork())
		return;
	close(STDOUT_FILENO);
	close(STDIN_FILENO);
	for (;;)
		pause();
}

static int drop(const struct batches *b, struct error *err)
{
	struct privilege_needs needs = { .folder = batches_folder(b) };

	return privilege_drop(&needs, err);
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	struct batches *b;
	char line[16];
	int rc;

	for (int i = 3; i < argc; i++)
		take(argv[i]);
	if (argc < 3)
		return 2;
	if (!start_s)
		start_s = (long)time(NULL);
	options.path = argv[1];
	options.key = argv[2];
	setvbuf(stdout, NULL, _IOLBF, 0);
	rc = batches_open(&b, &options, &err);
	if (!rc && drops)
		rc = drop(b, &err);
	if (rc) {
		printf("error %d %s\n", rc, err.text);
		return 1;
	}
	leave_a_process();
	printf("open %lu\n", batches_next(b));
	for (unsigned long i = 0; step ? !!fgets(line, sizeof(line), stdin) : i < rounds; i++) {
		one_round(b, i);
		usleep((useconds_t)pause_ms * 1000);
	}
	batches_close(b);
	return 0;
}
