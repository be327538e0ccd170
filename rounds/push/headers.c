/* Each line is checked once, as a header of HTTP, and kept whole. Freed lines are overwritten
 * first. */
#include "rounds/push/headers.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/net/http.h"
#include "base/net/secret.h"

enum { FILE_MAX = 64 << 10 };

static void headers_forget(void *text, size_t len)
{
	if (text)
		explicit_bzero(text, len);
	free(text);
}

void pushheaders_release(struct pushheaders *h)
{
	for (size_t i = 0; i < h->count; i++)
		headers_forget(h->lines[i], strlen(h->lines[i]));
	h->count = 0;
}

/* Adds the line, or frees it after an error. */
static int headers_take(struct pushheaders *h, char *line, const char *what, struct error *err)
{
	int rc = 0;

	if (!line)
		return error_nomem(err);
	if (http_check_header(line, NULL))
		rc = error_set(err, ERR_USAGE, "%s: that cannot be a header", what);
	else if (h->count == PUSHHEADERS_MAX)
		rc = error_set(err, ERR_LIMIT, "%s: more than %d headers", what, PUSHHEADERS_MAX);
	if (rc)
		headers_forget(line, strlen(line));
	else
		h->lines[h->count++] = line;
	return rc;
}

static int headers_take_lines(struct pushheaders *h, char *text, const char *path,
			      struct error *err)
{
	char what[300];
	int rc = 0, number = 0;

	for (char *rest = text, *line; !rc && (line = strsep(&rest, "\n"));) {
		line[strcspn(line, "\r")] = '\0';
		snprintf(what, sizeof(what), "line %d of '%s'", ++number, path);
		if (line[strspn(line, " \t")] && *line != '#')
			rc = headers_take(h, strdup(line), what, err);
	}
	return rc;
}

/* Regular files only, and without blocking in open: a FIFO would keep us waiting. */
static int headers_open_file(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return error_errno(err, ERR_IO, "cannot read '%s'", path);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return error_set(err, ERR_IO, "'%s' is not a file", path);
}

int pushheaders_file(struct pushheaders *h, const char *path, struct error *err)
{
	struct buffer text = { 0 };
	int fd = headers_open_file(path, err), rc = fd < 0 ? fd : 0;

	/* Room for all of it at once: nothing secret is left behind where it was smaller. */
	if (!rc && buffer_reserve(&text, FILE_MAX + 2))
		rc = error_nomem(err);
	if (!rc && buffer_read(&text, fd, FILE_MAX + 1))
		rc = error_errno(err, ERR_IO, "cannot read '%s'", path);
	if (!rc && text.len > FILE_MAX)
		rc = error_set(err, ERR_LIMIT, "'%s' has more than %d KiB", path, FILE_MAX >> 10);
	if (!rc) {
		text.data[text.len] = '\0';
		rc = headers_take_lines(h, (char *)text.data, path, err);
	}
	if (fd >= 0)
		close(fd);
	headers_forget(text.data, text.room);
	return rc;
}

int pushheaders_add(struct pushheaders *h, const char *name, const char *before, const char *value,
		    const char *what, struct error *err)
{
	char *line = NULL;

	if (asprintf(&line, "%s: %s%s", name, before, value) < 0)
		line = NULL;
	return headers_take(h, line, what, err);
}

int pushheaders_basic(struct pushheaders *h, const char *user, const char *password,
		      const char *what, struct error *err)
{
	size_t len = strlen(user) + 1 + strlen(password);
	struct buffer coded = { 0 };
	char *plain = malloc(len + 1);
	int rc;

	if (plain)
		sprintf(plain, "%s:%s", user, password);
	if (!plain || buffer_add_base64(&coded, plain, len) || buffer_add(&coded, "", 1))
		rc = error_nomem(err);
	else
		rc = pushheaders_add(h, "Authorization", "Basic ", (char *)coded.data, what, err);
	headers_forget(plain, plain ? len : 0);
	headers_forget(coded.data, coded.len);
	return rc;
}

bool pushheaders_has(const struct pushheaders *h, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < h->count; i++)
		if (!strncasecmp(h->lines[i], name, len) && h->lines[i][len] == ':')
			return true;
	return false;
}

static int headers_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* Replaces each %XY in place, except %00, which no header can hold. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		bool escaped = *text == '%' && isxdigit((unsigned char)text[1]) &&
			       isxdigit((unsigned char)text[2]);
		int value = escaped ? headers_digit(text[1]) << 4 | headers_digit(text[2]) : 0;

		*to++ = value ? (char)value : *text;
		text += value ? 2 : 0;
	}
	*to = '\0';
}

/* Removes blanks at both ends. */
static char *headers_trim(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	len = strlen(text);
	while (len && strchr(" \t", text[len - 1]))
		text[--len] = '\0';
	return text;
}

int pushheaders_list(struct pushheaders *h, const char *list, const char *what, struct error *err)
{
	size_t len = strlen(list);
	char *copy = strdup(list);
	int rc = copy ? 0 : error_nomem(err);

	for (char *rest = copy, *name; !rc && (name = strsep(&rest, ","));) {
		char *value = strchr(name, '=');

		if (!*headers_trim(name))
			continue;
		if (!value) {
			rc = error_set(err, ERR_USAGE, "%s: an entry is not 'name=value'", what);
			continue;
		}
		*value++ = '\0';
		name = headers_trim(name);
		value = headers_trim(value);
		unescape(value);
		if (!pushheaders_has(h, name))
			rc = pushheaders_add(h, name, "", value, what, err);
	}
	headers_forget(copy, copy ? len : 0);
	return rc;
}

void pushheaders_hide(const struct pushheaders *h, char *text)
{
	for (size_t i = 0; i < h->count; i++)
		secret_hide_header(text, h->lines[i]);
}
