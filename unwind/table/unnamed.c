/* Starts are read once for each image, at the first address without a symbol in it. */
#include "unwind/table/unnamed.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/process/image.h"
#include "unwind/table/starts.h"

int unnamed_init(struct unnamed *u, size_t count)
{
	*u = (struct unnamed){ calloc(count + 1, sizeof(*u->starts)), count };
	return u->starts ? 0 : ERR_NOMEM;
}

void unnamed_release(struct unnamed *u)
{
	for (size_t i = 0; u->starts && i < u->count; i++)
		cfi_starts_free(u->starts[i]);
	free(u->starts);
}

int unnamed_start(struct unnamed *u, const struct image *image, uint64_t addr, uint64_t *start,
		  bool *nameless)
{
	struct cfi_starts **starts;

	*start = 0;
	if (!image_elf(image))
		return 0;
	starts = &u->starts[image_id(image)];
	if (!*starts && cfi_starts_read(starts, image))
		return ERR_NOMEM;
	*start = cfi_starts_find(*starts, addr);
	*nameless = *start || !cfi_starts_any(*starts);
	return 0;
}

const char *unnamed_text(const struct image *image, uint64_t addr, uint64_t start,
			 char text[UNNAMED_TEXT])
{
	if (start)
		snprintf(text, UNNAMED_TEXT, "%s!fun_%lx", image_name(image), start);
	else if (image)
		snprintf(text, UNNAMED_TEXT, "%s+0x%lx", image_name(image), addr);
	else
		snprintf(text, UNNAMED_TEXT, "[unknown]");
	return text;
}
