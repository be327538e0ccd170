/*
 * Builds a table. Section by section:
 *   1. collect: entries and their rows as the section gives them, in its order
 *   2. lay: entries sorted by address, into one ascending run of rows; where entries overlap, the
 *      one that begins first keeps what it covers
 *   3. fill: a later section's run goes into the gaps of the earlier runs
 * and at last
 *   4. pack: the run and its rules take the form of form.h
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "unwind/table/form.h"
#include "unwind/table/ruleset.h"
#include "unwind/table/sections.h"
#include "unwind/table/table.h"

struct table_build_row {
	uint32_t pc; /* from the table's base */
	uint16_t rule;
};

/* Rows in ascending order, each in force up to the next. Two arrays, because a struct
 * table_build_row has padding. */
struct table_build_run {
	uint32_t *pcs;
	uint16_t *rules;
	size_t count;
};

/* An FDE. */
struct table_build_entry {
	uint32_t start, end; /* from the table's base */
	uint32_t first_row, rows;
};

/* A rule as the section gives it, and its number. */
struct memo {
	struct cfi_rule rule;
	uint16_t number; /* NO_RULE: empty */
};

enum {
	MEMO_SLOTS = 1024,
	DIGIT_BITS = 11,
	DIGITS = 3,
	/* Bytes of rules and expressions that may be hashed for each byte of CFI; compilers' files
	 * need two. */
	EFFORT_FACTOR = 32,
	EFFORT_FREE = 1 << 20,
	ROW_BYTES = 4,	  /* bytes of a section for each row; compilers write more */
	ENTRY_BYTES = 24, /* the same for each entry */
	ROOM_MAX = 4 << 20,
	PAGE_SHIFT_MIN = 6,
	PAGE_ROWS = 12, /* rows a page, at least, on average */
};

struct table_build_builder {
	struct cfi_sink sink; /* must be first: the sink's functions cast its address */
	const struct cfi_section *section;
	uint64_t base, limit;
	struct ruleset rules;
	struct table_build_run run; /* rows of the sections so far */
	size_t broken;
	struct table_build_row *rows;
	size_t row_count, row_room;
	struct table_build_entry *entries;
	size_t entry_count, entry_room;
	bool sorted; /* the entries came in ascending order */
	bool nomem;
	struct memo memo[MEMO_SLOTS];
};

/* 1. Collect. */

/* The first room is large enough for nearly all files: untouched pages cost nothing, and moving
 * costs much. */
static int table_build_make_room(void **array, size_t *room, size_t count, size_t size,
				 size_t first)
{
	size_t more = *room ? *room * 2 : first < ROOM_MAX ? first + 1 : ROOM_MAX;
	void *p;

	if (count < *room)
		return 0;
	p = realloc(*array, more * size);
	if (!p)
		return ERR_NOMEM;
	*array = p;
	*room = more;
	return 0;
}

/* Counts rows, and one more row for the end of each entry. */
static bool is_full(const struct table_build_builder *b)
{
	return b->run.count + b->row_count + b->entry_count >= ROWS_MAX;
}

static int table_build_begin_entry(struct cfi_sink *sink, uint64_t start, uint64_t end)
{
	struct table_build_builder *b = (struct table_build_builder *)sink;
	uint64_t base = b->base;

	if (start < base || end > b->limit || end - base > UINT32_MAX || is_full(b))
		return ERR_LIMIT;
	if (table_build_make_room((void **)&b->entries, &b->entry_room, b->entry_count,
				  sizeof(*b->entries), b->section->len / ENTRY_BYTES)) {
		b->nomem = true;
		return ERR_NOMEM;
	}
	b->entries[b->entry_count++] = (struct table_build_entry){
		.start = (uint32_t)(start - base),
		.end = (uint32_t)(end - base),
		.first_row = (uint32_t)b->row_count,
	};
	return 0;
}

/* Without memcmp(), which would cost a call for each row. */
static inline bool table_build_same_rule(const struct cfi_rule *a, const struct cfi_rule *b)
{
	const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
	uint64_t differ = 0, u, v;
	size_t i = 0;

	for (; i + sizeof(u) <= sizeof(*a); i += sizeof(u)) {
		memcpy(&u, x + i, sizeof(u));
		memcpy(&v, y + i, sizeof(v));
		differ |= u ^ v;
	}
	return !differ && !memcmp(x + i, y + i, sizeof(*a) - i);
}

/* The CFA and the set of saved registers nearly always determine the whole rule, so this memo
 * spares nine rows of ten the search in the set. */
static int number_rule(struct table_build_builder *b, const struct cfi_rule *rule, uint16_t *number)
{
	uint32_t hash = (uint32_t)rule->cfa_value * 0x9e3779b1u ^ rule->said * 0x85ebca6bu ^
			rule->cfa_reg * 0xc2b2ae35u;
	struct memo *m = &b->memo[(hash ^ hash >> 15) % MEMO_SLOTS];
	int rc = 0;

	if (m->number == NO_RULE || !table_build_same_rule(&m->rule, rule)) {
		m->number = NO_RULE;
		m->rule = *rule;
		rc = ruleset_add(&b->rules, b->section, rule, &m->number);
		b->nomem |= rc == ERR_NOMEM;
	}
	*number = m->number;
	return rc;
}

static int table_build_add_row(struct cfi_sink *sink, uint64_t pc, const struct cfi_rule *rule)
{
	struct table_build_builder *b = (struct table_build_builder *)sink;
	uint16_t number;
	int rc = number_rule(b, rule, &number);

	if (rc)
		return rc;
	if (is_full(b))
		return ERR_LIMIT;
	if (table_build_make_room((void **)&b->rows, &b->row_room, b->row_count, sizeof(*b->rows),
				  b->section->len / ROW_BYTES)) {
		b->nomem = true;
		return ERR_NOMEM;
	}
	b->rows[b->row_count++] = (struct table_build_row){ (uint32_t)(pc - b->base), number };
	b->entries[b->entry_count - 1].rows++;
	return 0;
}

static void table_build_end_entry(struct cfi_sink *sink, bool good)
{
	struct table_build_builder *b = (struct table_build_builder *)sink;
	const struct table_build_entry *e = &b->entries[b->entry_count - 1];

	if (!good)
		b->row_count = b->entries[--b->entry_count].first_row;
	else if (b->entry_count > 1 && e->start < e[-1].start)
		b->sorted = false;
}

/* 2. Lay. */

/* One pass of a radix sort, by one digit of the entries' start. */
static void sort_by_digit(const struct table_build_entry *from, struct table_build_entry *to,
			  size_t count, unsigned shift)
{
	size_t place[1 << DIGIT_BITS] = { 0 }, sum = 0;
	const uint32_t mask = (1 << DIGIT_BITS) - 1;

	for (size_t i = 0; i < count; i++)
		place[from[i].start >> shift & mask]++;
	for (size_t i = 0; i <= mask; i++) {
		size_t n = place[i];

		place[i] = sum;
		sum += n;
	}
	for (size_t i = 0; i < count; i++)
		to[place[from[i].start >> shift & mask]++] = from[i];
}

/* Sorts the entries by start. The sort is stable: of two entries with one start, the section's
 * first stays first. */
static int sort_entries(struct table_build_builder *b)
{
	struct table_build_entry *other = malloc((b->entry_count + 1) * sizeof(*other)), *t;

	if (!other)
		return ERR_NOMEM;
	b->entry_room = b->entry_count + 1;
	for (unsigned i = 0; i < DIGITS; i++) {
		sort_by_digit(b->entries, other, b->entry_count, i * DIGIT_BITS);
		t = b->entries;
		b->entries = other;
		other = t;
	}
	free(other);
	return 0;
}

static int run_init(struct table_build_run *run, size_t room)
{
	run->count = 0;
	run->pcs = malloc((room + 1) * sizeof(*run->pcs));
	run->rules = malloc((room + 1) * sizeof(*run->rules));
	return run->pcs && run->rules ? 0 : ERR_NOMEM;
}

static void run_release(struct table_build_run *run)
{
	free(run->pcs);
	free(run->rules);
	memset(run, 0, sizeof(*run));
}

/* Appends a row. It replaces a row at the same address, and is left out when it has the same rule
 * as the previous one; so a call adds at most one row. */
static inline void table_build_emit(struct table_build_run *run, uint32_t pc, uint16_t rule)
{
	size_t n = run->count;

	if (n && run->pcs[n - 1] == pc)
		n--;
	if (rule != (n ? run->rules[n - 1] : NO_RULE)) {
		run->pcs[n] = pc;
		run->rules[n++] = rule;
	}
	run->count = n;
}

static int lay(struct table_build_builder *b, struct table_build_run *run)
{
	uint32_t covered = 0;

	if (run_init(run, b->row_count + b->entry_count))
		return ERR_NOMEM;
	for (size_t i = 0; i < b->entry_count; i++) {
		const struct table_build_entry *e = &b->entries[i];
		const struct table_build_row *r = b->rows + e->first_row, *end = r + e->rows;

		if (e->end <= covered)
			continue;
		for (; r < end; r++)
			table_build_emit(run, r->pc > covered ? r->pc : covered, r->rule);
		table_build_emit(run, e->end, NO_RULE);
		covered = e->end;
	}
	return 0;
}

/* 3. Fill. */

static int table_build_fill(const struct table_build_run *front, const struct table_build_run *back,
			    struct table_build_run *out)
{
	uint16_t f_rule = NO_RULE, b_rule = NO_RULE;
	size_t f = 0, b = 0;

	if (run_init(out, front->count + back->count))
		return ERR_NOMEM;
	while (f < front->count || b < back->count) {
		uint32_t f_pc = f < front->count ? front->pcs[f] : UINT32_MAX;
		uint32_t b_pc = b < back->count ? back->pcs[b] : UINT32_MAX;
		uint32_t pc = f_pc < b_pc ? f_pc : b_pc;

		if (f < front->count && f_pc == pc)
			f_rule = front->rules[f++];
		if (b < back->count && b_pc == pc)
			b_rule = back->rules[b++];
		table_build_emit(out, pc, f_rule == NO_RULE ? b_rule : f_rule);
	}
	return 0;
}

static int table_build_collect(struct table_build_builder *b, const struct cfi_section *section)
{
	b->section = section;
	b->row_count = b->entry_count = 0;
	b->sorted = true;
	memset(b->memo, 0, sizeof(b->memo));
	b->broken += cfi_read(section, &b->sink);
	return b->nomem ? ERR_NOMEM : 0;
}

static int table_build_add_section(struct table_build_builder *b, const struct cfi_section *section)
{
	struct table_build_run *run = &b->run, own = { 0 }, all = { 0 };
	int rc = table_build_collect(b, section);

	if (!rc && !b->sorted)
		rc = sort_entries(b);
	if (!rc)
		rc = lay(b, &own);
	if (!rc && run->count) {
		rc = table_build_fill(run, &own, &all);
		run_release(&own);
	} else {
		all = own;
	}
	run_release(run);
	*run = all;
	return rc;
}

/* 4. Pack. */

/* Chooses the smallest pages that have at least PAGE_ROWS rows on average. */
static void choose_pages(struct table_shape *s, const struct table_build_run *run)
{
	uint64_t span = run->count ? run->pcs[run->count - 1] + 1ull : 0;

	s->shift = PAGE_SHIFT_MAX;
	while (s->shift > PAGE_SHIFT_MIN && (span >> (s->shift - 1)) * PAGE_ROWS <= run->count)
		s->shift--;
	s->pages = (uint32_t)((span + (1u << s->shift) - 1) >> s->shift);
}

static void pack_rows(struct cfi_table *t, const struct table_build_run *run)
{
	const struct table_shape *s = &t->shape;
	uint32_t n = 0;

	for (uint32_t page = 0; page < s->pages; page++) {
		t->index[page] = n;
		for (; n < s->rows && run->pcs[n] >> s->shift == page; n++)
			t->rows[n + 1] = (struct cfi_row){
				(uint16_t)(run->pcs[n] & ((1u << s->shift) - 1)), run->rules[n]
			};
	}
	t->index[s->pages] = n;
}

static void pack_rules(struct cfi_table *t, const struct ruleset *set)
{
	int32_t long_rules = 0;

	for (uint32_t i = 1; i < set->count; i++) {
		if (short_rule_make(&t->rules[i], &set->rules[i]))
			continue;
		t->long_rules[long_rules] = set->rules[i];
		t->rules[i] = (struct short_rule){ .cfa_reg = RULE_IS_LONG,
						   .cfa_value = long_rules++ };
	}
	if (set->expressions.len)
		memcpy(t->expressions, set->expressions.data, set->expressions.len);
}

static struct cfi_table *table_build_pack(const struct table_build_builder *b)
{
	struct table_shape shape = {
		.base = b->base,
		.rows = (uint32_t)b->run.count,
		.rules = (uint32_t)b->rules.count - 1,
		.expressions = (uint32_t)b->rules.expressions.len,
		.broken = b->broken < UINT32_MAX ? (uint32_t)b->broken : UINT32_MAX,
	};
	struct short_rule ignored;
	struct cfi_table *t;

	for (size_t i = 1; i < b->rules.count; i++)
		shape.long_rules += !short_rule_make(&ignored, &b->rules.rules[i]);
	choose_pages(&shape, &b->run);
	t = table_new(&shape);
	if (t) {
		pack_rows(t, &b->run);
		pack_rules(t, &b->rules);
	}
	return t;
}

int cfi_table_compile(const struct cfi_section *sections, size_t count, uint64_t base,
		      uint64_t limit, struct cfi_table **table, struct error *err)
{
	struct table_build_builder b = { .sink = { .begin = table_build_begin_entry,
						   .row = table_build_add_row,
						   .end = table_build_end_entry },
					 .base = base,
					 .limit = limit };
	uint64_t bytes = 0;
	int rc;

	for (size_t i = 0; i < count; i++)
		bytes += sections[i].len;
	rc = ruleset_init(&b.rules, EFFORT_FACTOR * bytes + EFFORT_FREE);
	for (size_t i = 0; !rc && i < count; i++)
		rc = table_build_add_section(&b, &sections[i]);
	free(b.rows);
	free(b.entries);
	*table = rc ? NULL : table_build_pack(&b);
	run_release(&b.run);
	ruleset_release(&b.rules);
	return *table ? 0 : error_nomem(err);
}

int cfi_table_build(const struct image *image, struct cfi_table **table, struct error *err)
{
	struct cfi_source s;
	int rc;

	cfi_source_open(&s, image);
	rc = cfi_table_compile(s.sections, s.count, s.base, s.limit, table, err);
	cfi_source_close(&s);
	return rc;
}
