#include "sampler/cli/record/details.h"

#include <stdint.h>

#include "base/process/image.h"
#include "base/process/modmap.h"
#include "sampler/profile/summary.h"
#include "sampler/recording.h"
#include "sampler/unwind/unwinder.h"

static void print_walks(const struct recording *r, uint32_t id, FILE *out)
{
	const struct ledger_entry *walks = recording_walks_in(r, id);

	for (int i = 0; i < STACK_ENDS; i++)
		if (walks->ends[i])
			fprintf(out, "    %lu walks ended here: %s\n", walks->ends[i],
				stack_end_name((enum stack_end)i));
	if (ledger_guessed(walks))
		fprintf(out,
			"    callers found without CFI: %lu by reading code, %lu by frame "
			"pointer, %lu by a scan\n",
			walks->found[FRAME_BY_CODE], walks->found[FRAME_BY_FRAME_POINTER],
			walks->found[FRAME_BY_SCAN]);
}

static void print_table(const struct unwind_table_info *t, FILE *out)
{
	char took[24];

	if (t->refused) {
		fprintf(out, "    unwind table: none, the others take too much memory\n");
		return;
	}
	fprintf(out, "    unwind table: %lu rows, %lu rules, %lu bytes, built in %s", t->rows,
		t->rules, t->bytes, summary_duration(t->build_ns, took, sizeof(took)));
	if (t->bad_entries)
		fprintf(out, ", %lu broken entries left out", t->bad_entries);
	fputc('\n', out);
}

bool details_image(const struct image *image, const struct unwinder *u, const char *note, FILE *out)
{
	struct unwind_table_info table;

	unwinder_table_info(u, image, &table);
	if (!note && !table.rows && !table.refused)
		return false;
	fprintf(out, "%s", image_path(image));
	if (image_build_id(image)[0])
		fprintf(out, " (build ID %s)", image_build_id(image));
	fputc('\n', out);
	print_table(&table, out);
	if (note)
		fprintf(out, "    symbols: %s\n", note);
	return true;
}

void details_print(const struct recording *r, FILE *out)
{
	size_t count;
	struct image *const *images = modmap_images(recording_modmap(r), &count);

	for (size_t i = 0; i < count; i++)
		if (details_image(images[i], recording_unwinder(r),
				  recording_symbol_note(r, images[i]), out))
			print_walks(r, image_id(images[i]), out);
}
