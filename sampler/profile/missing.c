/* The package to install is what the distribution's index names for a module's build ID. */
#include "sampler/profile/missing.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "pprof/profile.h"
#include "sampler/profile/locations.h"
#include "symbolize/files/debugpackage.h"

enum { MISSING_MAX = 3 }; /* modules that are named */

static const double MISSING_SHARE = 0.05; /* of all samples: a smaller part changes no answer */

/* The image with the most samples without a symbol behind `last` in this order, the lower id first
 * of two; p->image_count: none. */
static size_t next_nameless(const struct locations *p, size_t last)
{
	size_t most = p->image_count;

	for (size_t i = 0; i < p->image_count; i++) {
		bool is_behind = last == p->image_count || p->nameless[i] < p->nameless[last] ||
				 (p->nameless[i] == p->nameless[last] && i > last);

		if (is_behind && (most == p->image_count || p->nameless[i] > p->nameless[most]))
			most = i;
	}
	return most;
}

/* ": install A, B", as far as the distribution's index tells what. Returns the text's length. */
static size_t add_packages(struct image *const *said, int count, char *text, size_t room)
{
	char names[MISSING_MAX][DEBUGPACKAGE_ROOM];
	int named = 0, same;
	size_t len = 0;

	for (int i = 0; i < count; i++) {
		if (!image_build_id(said[i]) ||
		    !debugpackage_find(DEBUGPACKAGE_LISTS, image_build_id(said[i]), names[named]))
			continue;
		for (same = 0; strcmp(names[same], names[named]) != 0; same++)
			;
		if (same == named) /* libc6-dbg has several libraries */
			len += (size_t)snprintf(text + len, room - len, "%s%s",
						named ? ", " : ": install ", names[named]);
		named++;
	}
	if (!named)
		len = (size_t)snprintf(text, room, ": install %s",
				       count > 1 ? "their debug packages" : "its debug package");
	else if (named < count)
		len += (size_t)snprintf(text + len, room - len, " and what the others have");
	return len;
}

void missing_symbols(const struct locations *p, bool asked_network, char *text, size_t room)
{
	size_t count, len = 0, i = p->image_count;
	struct image *const *images = modmap_images(p->maps, &count), *named[MISSING_MAX];
	int said = 0;

	*text = '\0';
	for (; said < MISSING_MAX; said++) {
		i = next_nameless(p, i);
		if (i == p->image_count || !p->nameless[i] ||
		    (double)p->nameless[i] < MISSING_SHARE * (double)p->samples)
			break;
		len += (size_t)snprintf(
			text + len, room - len, "%s%s%.80s (%.0f%%%s)",
			said ? ", " : "no symbols for ",
			locations_mapping_of(p, i)->has_functions ? "parts of " : "",
			image_name(images[i]), 100 * (double)p->nameless[i] / (double)p->samples,
			said ? "" : " of samples");
		named[said] = images[i];
	}
	if (said)
		len += add_packages(named, said, text + len, room - len);
	if (said && !asked_network)
		snprintf(text + len, room - len, ", or add --debuginfod");
	printable(text, room);
}
