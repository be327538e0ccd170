/* Prints what was merged: how much, the few that differ, the tree. */
#ifndef CLI_DUMP_MERGE_MERGETEXT_H
#define CLI_DUMP_MERGE_MERGETEXT_H

struct error;
struct merged;
struct buffer;

/* Finishes `m` and appends its text. ERR_NOMEM; ERR_LIMIT: longer than PRINTER_MAX
 * (base/printer.h). */
int merged_text(struct merged *m, struct buffer *out, struct error *err);

#endif
