/* Each function calls that of the buffer unless an earlier one has failed. */
#include "base/printer.h"

#include <stdbool.h>
#include <string.h>

/* False: an earlier call has failed, or `len` more bytes are too many. */
static bool printer_may_add(struct printer *p, size_t len)
{
	if (p->out->len + len > PRINTER_MAX)
		printer_fail(p, ERR_LIMIT);
	return !p->rc;
}

void print_to(struct printer *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (printer_may_add(p, 0))
		p->rc = buffer_vaddf(p->out, fmt, ap);
	va_end(ap);
}

void print_bytes(struct printer *p, const void *text, size_t len)
{
	if (printer_may_add(p, len))
		p->rc = buffer_add(p->out, text, len);
}

void print_foreign(struct printer *p, const char *text)
{
	print_foreign_bytes(p, text, strlen(text));
}

void print_foreign_bytes(struct printer *p, const char *text, size_t len)
{
	if (printer_may_add(p, len))
		p->rc = buffer_add_printable(p->out, text, len);
}

void printer_fail(struct printer *p, int rc)
{
	p->rc = p->rc ? p->rc : rc;
}

int printer_result(const struct printer *p, struct error *err)
{
	if (p->rc == ERR_LIMIT)
		return error_set(err, p->rc, "the report is longer than %d MiB", PRINTER_MAX >> 20);
	return p->rc ? error_nomem(err) : 0;
}
