/* An image has a paragraph if it has an unwind table, was refused one, or has something to say of
 * its symbols. Under it stand the walks that ended there, from the recording's ledger. */
#include "cli/record/details.h"

#include <stdint.h>
#include <stdio.h>

#include "base/process/image.h"
#include "base/process/modmap.h"
#include "cli/common/cli.h"
#include "sampler/profile/summary.h"
#include "sampler/recording.h"
#include "unwind/unwinder.h"

static void print_walks(const struct recording *r, uint32_t id)
{
	const struct ledger_entry *walks = recording_walks_in(r, id);

	for (int i = 0; i < STACK_ENDS; i++)
		if (walks->ends[i])
			cli_line("    %lu walks ended here: %s", walks->ends[i],
				 stack_end_name((enum stack_end)i));
	if (ledger_guessed(walks))
		cli_line("    callers found without CFI: %lu by reading code, %lu by frame "
			 "pointer, %lu by a scan",
			 walks->found[FRAME_BY_CODE], walks->found[FRAME_BY_FRAME_POINTER],
			 walks->found[FRAME_BY_SCAN]);
}

static void details_print_table(const struct unwind_table_info *t)
{
	char took[24], broken[60] = "";

	if (t->refused) {
		cli_line("    unwind table: none, the others take too much memory");
		return;
	}
	if (t->bad_entries)
		snprintf(broken, sizeof(broken), ", %lu broken entries left out", t->bad_entries);
	cli_line("    unwind table: %lu rows, %lu rules, %lu bytes, built in %s%s", t->rows,
		 t->rules, t->bytes, summary_duration(t->build_ns, took, sizeof(took)), broken);
}

bool details_image(const struct image *image, const struct unwinder *u, const char *note)
{
	const char *id = image_build_id(image);
	struct unwind_table_info table;

	unwinder_table_info(u, image, &table);
	if (!note && !table.rows && !table.refused)
		return false;
	cli_line("%s%s%s%s", image_path(image), *id ? " (build ID " : "", id, *id ? ")" : "");
	details_print_table(&table);
	if (note)
		cli_line("    symbols: %s", note);
	return true;
}

void details_print(const struct recording *r)
{
	size_t count;
	struct image *const *images = modmap_images(recording_modmap(r), &count);

	for (size_t i = 0; i < count; i++)
		if (details_image(images[i], recording_unwinder(r),
				  recording_symbol_note(r, images[i])))
			print_walks(r, image_id(images[i]));
}
