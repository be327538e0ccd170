/* Messages are built in place and cut at the end of the buffer: reporting an error never allocates,
 * because memory may have run out. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Sets code and message, and ": " and `reason` behind it unless that is NULL. */
__attribute__((format(printf, 4, 0))) static int error_write(struct error *err, int code,
							     const char *reason, const char *fmt,
							     va_list ap)
{
	size_t len;

	if (!err)
		return code;
	err->code = code;
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	len = strlen(err->text);
	if (reason)
		snprintf(err->text + len, sizeof(err->text) - len, ": %s", reason);
	return code;
}

int error_set(struct error *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_write(err, code, NULL, fmt, ap);
	va_end(ap);
	return code;
}

int error_errno(struct error *err, int code, const char *fmt, ...)
{
	const char *reason = strerror(errno);
	va_list ap;

	va_start(ap, fmt);
	error_write(err, code, reason, fmt, ap);
	va_end(ap);
	return code;
}

int error_nomem(struct error *err)
{
	return error_set(err, ERR_NOMEM, "out of memory");
}

int error_prefix(struct error *err, const char *fmt, ...)
{
	char old[sizeof(err->text)];
	va_list ap;

	if (!err)
		return ERR_IO;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	error_write(err, err->code, old, fmt, ap);
	va_end(ap);
	return err->code;
}
