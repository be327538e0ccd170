/* The outermost function comes first, as in folded stacks. */
#include "pprof/report/stacktext.h"

#include <string.h>

#include "base/error.h"
#include "base/printer.h"
#include "pprof/graph/measure.h"
#include "pprof/graph/text.h"
#include "pprof/profile.h"

int stacktext_init(struct stacktext *t)
{
	*t = (struct stacktext){ 0 };
	return strset_init(&t->stacks);
}

void stacktext_release(struct stacktext *t)
{
	strset_release(&t->stacks);
	buffer_release(&t->text);
}

/* The functions of a location, the outermost first. */
static int stacktext_add(struct stacktext *t, const struct profile *p, uint32_t location)
{
	const struct profile_location *at = &p->locations[location - 1];
	int rc = at->lines ? 0 : buffer_addf(&t->text, ";0x%lx", at->address);

	for (size_t i = at->lines; !rc && i-- > 0;) {
		uint32_t function = p->lines[at->first_line + i].function;
		uint32_t name = function ? p->functions[function - 1].name : 0;

		rc = buffer_addf(&t->text, ";%s", strset_get(&p->strings, name));
	}
	return rc;
}

int stacktext_of(struct stacktext *t, const struct profile *p, const struct profile_sample *s,
		 uint32_t *number)
{
	int rc = 0;

	*number = 0;
	t->text.len = 0;
	for (size_t i = s->locations; !rc && i-- > 0;)
		rc = stacktext_add(t, p, p->stack[s->first_location + i]);
	if (t->text.len)
		rc = buffer_add(&t->text, "", 1) ||
		     strset_addz(&t->stacks, (char *)t->text.data + 1, number);
	return rc ? ERR_NOMEM : 0;
}

void stacktext_print(struct printer *out, const char *stack, unsigned width)
{
	const char *end = stack + strlen(stack);

	while (end > stack) {
		const char *start = end;

		while (start > stack && start[-1] != ';')
			start--;
		print_to(out, "%25s", "");
		text_add_fitting(out, start, (size_t)(end - start), width, 0);
		print_to(out, "\n");
		end = start > stack ? start - 1 : stack;
	}
}

void stacktext_print_value(struct printer *out, int64_t value, int64_t total, const char *from,
			   const char *to)
{
	char text[MEASURE_MAX], share[MEASURE_MAX] = "";

	measure_label(value, from, to, text);
	if (total > 0)
		measure_percent(value, total, share);
	print_to(out, "%*s %6s  ", text_width(text, 10), text, share);
}
