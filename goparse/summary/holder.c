/* Each stack that is not waiting itself is compared with the frame in which others wait. The most
 * similar ones count, and among these the one that has waited longest is shown. */
#include "goparse/summary/holder.h"

#include <stdbool.h>

#include "goparse/summary/telling.h"
#include "goparse/text.h"

static bool is_lock(struct goparse_text function)
{
	return text_starts(function, LITERAL("sync.(*Mutex).")) ||
	       text_starts(function, LITERAL("sync.(*RWMutex)."));
}

/* True if the goroutines wait for a lock. Since Go 1.20 the state says so; before, it is
 * "semacquire" for all of sync. */
static bool waits_for_lock(const struct census_row *r)
{
	size_t own = telling_own(&r->stack);

	if (own == r->stack.count || !own || !is_lock(r->stack.frames[own - 1].function))
		return false;
	return text_starts(r->state, LITERAL("sync.Mutex.")) ||
	       text_starts(r->state, LITERAL("sync.RWMutex.")) ||
	       text_starts(r->state, LITERAL("semacquire"));
}

/* "main.(*Orders)." of "main.(*Orders).Place"; empty if it is not a method of a pointer. */
static struct goparse_text receiver(struct goparse_text function)
{
	const char *end = memmem(function.at, function.len, ").", 2);

	return (struct goparse_text){ function.at, end ? (size_t)(end - function.at) + 2 : 0 };
}

enum likeness { NONE, TYPE, FUNCTION };

/* How similar the most similar frame of a stack is to `f`, in which others wait. */
static enum likeness likeness_of(const struct goparse_stack *s, const struct goparse_frame *f)
{
	struct goparse_text type = receiver(f->function);
	enum likeness best = NONE;

	for (size_t i = 0; i < s->count && best != FUNCTION; i++) {
		const struct goparse_frame *other = &s->frames[i];

		if (text_equal(other->function, f->function) && other->line != f->line)
			best = FUNCTION;
		else if (type.len && text_starts(other->function, type.at, type.len))
			best = TYPE;
	}
	return best;
}

struct holder holder_find(const struct census_row *waiting, const struct census_list *stacks)
{
	struct holder found = { 0 };
	enum likeness best = TYPE;
	const struct goparse_frame *f;

	if (!waits_for_lock(waiting))
		return found;
	f = &waiting->stack.frames[telling_own(&waiting->stack)];
	for (size_t i = 0; i < stacks->count; i++) {
		const struct census_row *r = stacks->rows[i];
		enum likeness like = r == waiting ? NONE : likeness_of(&r->stack, f);

		if (like < best || like == NONE || waits_for_lock(r))
			continue;
		if (like > best)
			found = (struct holder){ 0 };
		best = like;
		if (!found.row || r->longest_ns > found.row->longest_ns)
			found.row = r;
		found.count += r->count;
	}
	return found;
}
