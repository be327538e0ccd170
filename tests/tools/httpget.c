// links: base/net
/*
 * Fetches a URL by base/net/http.h. The content goes to the standard output, also if an
 * error follows. The date, type and place, the error with its code, and the peak memory in
 * kilobytes go to the standard error.
 *
 *   httpget URL [socket=PATH] [ca=FILE] [header=TEXT]… [connect=MS] [idle=MS] [total=MS]
 *           [max=BYTES] [piece=BYTES] [pause=MS]
 *
 * It reads `piece` bytes at a time (64 KiB) and waits `pause` before each read but the first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/net/http.h"

static const char *headers[16];
static size_t piece = 65536;
static useconds_t pause_us;

static uint64_t ms(const char *text)
{
	return strtoull(text, NULL, 10) * 1000000;
}

static void take(struct http_request *q, const char *word)
{
	const char *value = strchr(word, '=');
	size_t len = value ? (size_t)(value++ - word) : 0;

	if (!strncmp(word, "socket", len))
		q->unix_socket = value;
	else if (!strncmp(word, "ca", len))
		q->ca_file = value;
	else if (!strncmp(word, "header", len) && q->header_count < 16)
		headers[q->header_count++] = value;
	else if (!strncmp(word, "connect", len))
		q->connect_timeout_ns = ms(value);
	else if (!strncmp(word, "idle", len))
		q->idle_timeout_ns = ms(value);
	else if (!strncmp(word, "total", len))
		q->total_timeout_ns = ms(value);
	else if (!strncmp(word, "max", len))
		q->max_bytes = strtoull(value, NULL, 10);
	else if (!strncmp(word, "piece", len))
		piece = strtoull(value, NULL, 10);
	else if (!strncmp(word, "pause", len))
		pause_us = (useconds_t)(ms(value) / 1000);
	else
		exit(2);
}

static int read_all(struct http *h, struct error *err)
{
	char *buf = malloc(piece);
	size_t got;
	int rc;

	while (!(rc = http_read(h, buf, piece, &got, err)) && got) {
		fwrite(buf, 1, got, stdout);
		if (pause_us)
			usleep(pause_us);
	}
	free(buf);
	return rc;
}

static void say_peak(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[128];
	long peak;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld", &peak) == 1)
			fprintf(stderr, "peak %ld\n", peak);
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	struct http_request q = { .url = argv[1], .headers = headers };
	struct error err = { 0 };
	struct http *h;
	int rc;

	for (int i = 2; i < argc; i++)
		take(&q, argv[i]);
	rc = argc < 2 ? 2 : http_open(&h, &q, &err);
	if (!rc) {
		const struct http_response *r = http_response(h);

		fprintf(stderr, "date %lld\ntype %s\nurl %s\n", (long long)r->date, r->type,
			r->url);
		rc = read_all(h, &err);
		http_close(h);
	}
	fflush(stdout);
	say_peak();
	if (rc)
		fprintf(stderr, "error %d %s\n", rc, err.text);
	return rc ? 1 : 0;
}
