// links: rounds/metrics
/*
 * At each line of its input, reads the metrics of process PID and prints metrics.json and a line
 * "end"; if the process has ended, the values that are known and "gone".
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "rounds/metrics/metrics.h"

static int show(const struct metrics *m, const char *end)
{
	struct metrics_own own = { .cpu_ns = 2000000,
				   .peak_bytes = 1 << 20,
				   .rss_bytes = 1 << 19,
				   .pause_share = 0.0001,
				   .samples = 3,
				   .held_max_ns = 45000 };
	struct buffer json = { 0 };
	struct error err;

	if (metrics_json(m, &own, &json, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("%.*s%s\n", (int)json.len, (char *)json.data, end);
	fflush(stdout);
	buffer_release(&json);
	return 0;
}

int main(int argc, char **argv)
{
	struct metrics *m;
	struct error err;
	char line[64];
	int rc = argc != 2 || metrics_new(&m, atoi(argv[1]), &err);

	if (rc) {
		fprintf(stderr, "%s\n", argc != 2 ? "usage: metrics PID" : err.text);
		return 1;
	}
	while (!rc && fgets(line, sizeof(line), stdin)) {
		int ended = metrics_read(m, &err);

		if (ended && ended != ERR_GONE) {
			fprintf(stderr, "%s\n", err.text);
			rc = 1;
		} else {
			rc = show(m, ended ? "gone" : "end");
		}
	}
	metrics_free(m);
	return rc;
}
