/* The size is TIOCGWINSZ's, read at each call because a window changes; colours depend on NO_COLOR
 * (no-color.org) and TERM. */
#include "cli/common/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct winsize window(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return (struct winsize){ 0 };
	return size;
}

unsigned terminal_width(void)
{
	return window().ws_col;
}

unsigned terminal_height(void)
{
	return window().ws_row;
}

bool terminal_colour(void)
{
	return terminal_colour_on(STDOUT_FILENO);
}

bool terminal_colour_on(int fd)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && (!no_colour || !*no_colour) && term && *term &&
	       strcmp(term, "dumb") != 0;
}
