/* Each function calls that of the buffer unless an earlier one has failed. */
#include "cli/common/printer.h"

#include <string.h>

void print_to(struct printer *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	p->rc = p->rc ? p->rc : buffer_vaddf(p->out, fmt, ap);
	va_end(ap);
}

void print_foreign(struct printer *p, const char *text)
{
	p->rc = p->rc ? p->rc : buffer_add_printable(p->out, text, strlen(text));
}
