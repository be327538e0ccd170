#include "cli/details.h"

#include <stdint.h>

#include "sampler/recording.h"
#include "sampler/summary.h"
#include "target/image.h"
#include "target/modmap.h"
#include "unwind/unwinder.h"

static void print_walks(const struct recording *r, uint32_t id, FILE *out)
{
	const uint64_t *walks = recording_walks_in(r, id);

	for (int i = 0; i < STACK_ENDS; i++)
		if (walks[i])
			fprintf(out, "    %lu walks ended here: %s\n", walks[i],
				stack_end_name((enum stack_end)i));
}

static void print_table(const struct unwind_table_info *t, FILE *out)
{
	char took[24];

	if (t->refused) {
		fprintf(out, "    unwind table: none, the others take too much memory\n");
		return;
	}
	fprintf(out, "    unwind table: %lu rows, %lu rules, %lu bytes, %s in %s", t->rows,
		t->rules, t->bytes, t->loaded ? "from the cache" : "built",
		summary_duration(t->build_ns, took, sizeof(took)));
	if (t->bad_entries)
		fprintf(out, ", %lu broken entries left out", t->bad_entries);
	fputc('\n', out);
}

static void print_image(const struct recording *r, const struct image *image, FILE *out)
{
	const char *note = recording_symbol_note(r, image);
	struct unwind_table_info table;

	unwinder_table_info(recording_unwinder(r), image, &table);
	if (!note && !table.rows && !table.refused)
		return;
	fprintf(out, "%s", image_path(image));
	if (image_build_id(image)[0])
		fprintf(out, " (build ID %s)", image_build_id(image));
	fputc('\n', out);
	print_table(&table, out);
	if (note)
		fprintf(out, "    symbols: %s\n", note);
	print_walks(r, image_id(image), out);
}

void details_print(const struct recording *r, FILE *out)
{
	size_t count;
	struct image *const *images = modmap_images(recording_modmap(r), &count);

	for (size_t i = 0; i < count; i++)
		print_image(r, images[i], out);
	if (recording_cache_note(r)[0])
		fprintf(out, "unwind tables are not kept: %s\n", recording_cache_note(r));
}
