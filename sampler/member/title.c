/* The title stands where the arguments were (base/process/arguments.h). */
#include "sampler/member/title.h"

#include <string.h>

#include "base/process/arguments.h"

bool title_is_one(const char *text)
{
	size_t name = strspn(text,
			     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

	return name && text[name] == ':' && text[name + 1] == ' ' && text[name + 2];
}

/* Some programs blank what was there before, as nginx and gunicorn do: that is no part of it. */
static void cut_blanks(char *title)
{
	size_t len = strlen(title);

	while (len && title[len - 1] == ' ')
		len--;
	title[len] = '\0';
}

void title_read(const struct process *p, char title[TITLE_ROOM])
{
	process_arguments(p, title, TITLE_ROOM);
	cut_blanks(title);
	if (!title_is_one(title))
		*title = '\0';
}
