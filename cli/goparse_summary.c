#include "cli/goparse_summary.h"

#include <stdio.h>

/* At most two units, as people say it. */
const char *goparse_wait(uint64_t ns, char text[GOPARSE_WAIT_ROOM])
{
	uint64_t minutes = ns / 60000000000, hours = minutes / 60, days = hours / 24;

	if (!minutes)
		snprintf(text, GOPARSE_WAIT_ROOM, "<1m");
	else if (!hours)
		snprintf(text, GOPARSE_WAIT_ROOM, "%lum", minutes);
	else if (!days)
		snprintf(text, GOPARSE_WAIT_ROOM, "%luh%02lum", hours, minutes % 60);
	else
		snprintf(text, GOPARSE_WAIT_ROOM, "%lud%02luh", days, hours % 24);
	return text;
}
