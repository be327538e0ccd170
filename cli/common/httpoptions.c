/* Headers are copied, from the argument or from curl's "@FILE", and then overwritten in argv and in
 * the file's buffer, because they may have secrets. */
#include "cli/common/httpoptions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/common/cli.h"
#include "base/net/secret.h"

enum { HEADERS_MAX = 256, FILE_MAX = 64 << 10 };

static const uint64_t TOTAL_NS = 60000000000; /* go tool pprof's -timeout */

static int httpoptions_add_header(struct httpoptions *o, const char *text, struct error *err)
{
	size_t count = o->request.header_count;
	char **more, *copy;

	if (count == HEADERS_MAX)
		return error_set(err, ERR_LIMIT, "more than %d headers", HEADERS_MAX);
	more = realloc(o->headers, (count + 1) * sizeof(*more));
	o->headers = more ? more : o->headers;
	copy = more ? strdup(text) : NULL;
	if (!copy)
		return error_nomem(err);
	more[count] = copy;
	o->request.headers = (const char *const *)more;
	o->request.header_count++;
	return 0;
}

/* Lines that are blank or begin with # are skipped. */
static int httpoptions_add_lines(struct httpoptions *o, char *text, struct error *err)
{
	int rc = 0;

	for (char *rest = text, *line; !rc && (line = strsep(&rest, "\n"));) {
		line[strcspn(line, "\r")] = '\0';
		if (line[strspn(line, " \t")] && *line != '#')
			rc = httpoptions_add_header(o, line, err);
	}
	return rc;
}

static int httpoptions_read_headers(struct httpoptions *o, const char *path, struct error *err)
{
	char *text = malloc(FILE_MAX + 1);
	FILE *f = text ? fopen(path, "re") : NULL;
	size_t len = f ? fread(text, 1, FILE_MAX + 1, f) : 0;
	int rc = 0;

	if (!text)
		return error_nomem(err);
	if (!f || ferror(f))
		rc = error_errno(err, ERR_IO, "cannot read '%s'", path);
	else if (len > FILE_MAX)
		rc = error_set(err, ERR_LIMIT, "'%s' has more than %d KiB", path, FILE_MAX >> 10);
	if (f)
		fclose(f);
	if (!rc) {
		text[len] = '\0';
		rc = httpoptions_add_lines(o, text, err);
	}
	explicit_bzero(text, len);
	free(text);
	return rc;
}

/* "Name: value", or "@FILE" as for curl. `ps` shows the name only from now on. */
static int set_header(struct httpoptions *o, char *value, struct error *err)
{
	int rc = *value == '@' ? httpoptions_read_headers(o, value + 1, err) :
				 httpoptions_add_header(o, value, err);

	if (*value != '@')
		secret_bare_header(value);
	return rc;
}

int httpoptions_set(struct httpoptions *o, int option, char *value, struct error *err)
{
	static const char *const names[] = { "header", "unix-socket", "cacert", "timeout" };

	if (option < HTTPOPTION_HEADER || option > HTTPOPTION_TIMEOUT)
		return OPTION_OTHER;
	o->given = names[option - HTTPOPTION_HEADER];
	switch (option) {
	case HTTPOPTION_HEADER:
		return set_header(o, value, err);
	case HTTPOPTION_SOCKET:
		o->request.unix_socket = value;
		return 0;
	case HTTPOPTION_CACERT:
		o->request.ca_file = value;
		return 0;
	}
	/* --timeout is for the whole transfer, and for waiting without any data. */
	if (parse_positive_duration(value, &o->request.total_timeout_ns, err))
		return ERR_USAGE;
	o->request.idle_timeout_ns = o->request.total_timeout_ns;
	return 0;
}

int httpoptions_url(char **copy, char *argument, struct error *err)
{
	char *engine_end = argument + strcspn(argument, "=:/?@");

	free(*copy);
	*copy = strdup(argument);
	secret_bare_url(*engine_end == '=' ? engine_end + 1 : argument);
	return *copy ? 0 : error_nomem(err);
}

int httpoptions_open(const struct httpoptions *o, const char *url, struct http **h,
		     struct error *err)
{
	struct http_request q = o->request;

	q.url = url;
	if (!q.total_timeout_ns)
		q.total_timeout_ns = TOTAL_NS;
	return http_open(h, &q, err);
}

void httpoptions_release(struct httpoptions *o)
{
	for (size_t i = 0; i < o->request.header_count; i++) {
		explicit_bzero(o->headers[i], strlen(o->headers[i]));
		free(o->headers[i]);
	}
	free(o->headers);
	*o = (struct httpoptions){ 0 };
}
