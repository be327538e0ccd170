/* The table is not sorted, so it is read to its end; of pairs with the same bytecode index the
 * first counts. */
#include "runtimes/hotspot/vm/javalines.h"

#include "base/cursor.h"
#include "base/error.h"

enum {
	END = 0,
	ESCAPE = 0xff,	  /* two signed numbers follow */
	BCI_SHIFT = 3,	  /* else the difference of bytecode indexes, */
	LINE_MASK = 7,	  /* and that of lines */
	LINE_MAX = 0xffff /* a class file's line has 16 bits */
};

struct javalines_pair {
	uint32_t bci, line;
};

/* False: the end, or the cursor failed. */
static bool javalines_next(struct cursor *c, enum unsigned5_form form, struct javalines_pair *p)
{
	uint8_t byte = cursor_byte(c);

	if (byte == END)
		return false;
	if (byte != ESCAPE) {
		p->bci += byte >> BCI_SHIFT;
		p->line += byte & LINE_MASK;
	} else {
		p->bci += (uint32_t)unsigned5_read_signed(c, form);
		p->line += (uint32_t)unsigned5_read_signed(c, form);
	}
	if (p->bci > LINE_MAX || p->line > LINE_MAX)
		cursor_fail(c, "no bytecode has this number, or this line");
	return !c->failed;
}

int javalines_find(struct cursor *c, enum unsigned5_form form, int32_t bci, uint32_t *line,
		   uint32_t *first_line)
{
	struct javalines_pair p = { 0, 0 }, best = { 0, 0 }, first = { UINT32_MAX, 0 };
	uint32_t at = bci < 0 ? 0 : (uint32_t)bci; /* negative: before the first bytecode */
	bool exact = false;

	while (javalines_next(c, form, &p)) {
		if (p.bci < first.bci)
			first = p;
		if (!exact && p.bci <= at && p.bci >= best.bci)
			best = p;
		exact = exact || p.bci == at; /* the first one counts */
	}
	*line = best.line;
	*first_line = first.line;
	return c->failed ? ERR_FORMAT : 0;
}
