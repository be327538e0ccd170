/* BTF that is made up: three types and their names. */
#include <criterion/criterion.h>
#include <linux/btf.h>
#include <string.h>

#include "base/error.h"
#include "sampler/atrest/btf.h"

static const char strings[] = "\0look\0task\0pid\0flags"; /* at 0, 1, 6, 11, 15 */

struct made {
	struct btf_header header;
	struct btf_type number;
	uint32_t number_tail;
	struct btf_type function;
	struct btf_type structure;
	struct btf_member members[2];
	char strings[sizeof(strings)];
} __attribute__((packed));

static struct made made(void)
{
	struct made m = {
		.header = { .magic = BTF_MAGIC,
			    .version = 1,
			    .hdr_len = sizeof(m.header),
			    .type_len = offsetof(struct made, strings) - sizeof(m.header),
			    .str_off = offsetof(struct made, strings) - sizeof(m.header),
			    .str_len = sizeof(strings) },
		.number = { .info = BTF_KIND_INT << 24, .size = 4 },
		.function = { .name_off = 1, .info = BTF_KIND_FUNC << 24 },
		.structure = { .name_off = 6, .info = 1u << 31 | BTF_KIND_STRUCT << 24 | 2 },
		.members = { { .name_off = 11 },
			     { .name_off = 15, .offset = 3u << 24 | 320 } }, /* a bit field */
	};

	memcpy(m.strings, strings, sizeof(strings));
	return m;
}

static struct error err;

Test(btf, has_functions_and_members)
{
	struct made m = made();
	struct btf_wanted w[] = { { .function = "look" },
				  { .structure = "task", .member = "pid" },
				  { .structure = "task", .member = "flags" },
				  { .function = "none", .optional = true } };

	cr_assert_eq(btf_find(&m, sizeof(m), w, 4, &err), 0, "%s", err.text);
	cr_assert_eq(w[0].value, 2);
	cr_assert(w[1].found);
	cr_assert_eq(w[1].value, 0);
	cr_assert_eq(w[2].value, 40);
	cr_assert_not(w[3].found);
}

Test(btf, names_what_is_not_there)
{
	struct made m = made();
	struct btf_wanted function = { .function = "task" },
			  member = { .structure = "task", .member = "look" };

	cr_assert_eq(btf_find(&m, sizeof(m), &function, 1, &err), ERR_FORMAT);
	cr_assert_str_eq(err.text, "the kernel's BTF has no task");
	cr_assert_eq(btf_find(&m, sizeof(m), &member, 1, &err), ERR_FORMAT);
	cr_assert_str_eq(err.text, "the kernel's BTF has no look");
}

Test(btf, may_be_cut_short)
{
	struct btf_wanted w = { .function = "look" };
	struct made m = made();

	for (size_t len = 0; len < sizeof(m); len++)
		cr_assert_eq(btf_find(&m, len, &w, 1, &err), ERR_FORMAT, "%zu", len);
	m.header.type_len -= 8;
	cr_assert_eq(btf_find(&m, sizeof(m), &w, 1, &err), ERR_FORMAT);
}

Test(btf, may_lie_about_its_sections)
{
	struct btf_wanted w = { .function = "look" };
	struct made m = made();

	m.header.str_off = UINT32_MAX;
	cr_assert_eq(btf_find(&m, sizeof(m), &w, 1, &err), ERR_FORMAT);
	m = made();
	m.header.hdr_len = UINT32_MAX;
	cr_assert_eq(btf_find(&m, sizeof(m), &w, 1, &err), ERR_FORMAT);
	m = made();
	m.strings[sizeof(strings) - 1] = 'x';
	cr_assert_eq(btf_find(&m, sizeof(m), &w, 1, &err), ERR_FORMAT);
	m = made();
	m.function.name_off = UINT32_MAX;
	cr_assert_eq(btf_find(&m, sizeof(m), &w, 1, &err), ERR_FORMAT);
}
