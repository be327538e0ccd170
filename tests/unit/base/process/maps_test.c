/* The text of /proc/PID/maps, whole, cut at every byte, and broken. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/process/maps.h"

static const char text[] =
	"55d0c0a00000-55d0c0a28000 r-xp 00002000 08:01 131 /usr/bin/a name (deleted)\n"
	"7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

Test(maps, reads_every_field)
{
	struct maps_line line;
	struct cursor c;

	cursor_init(&c, text, strlen(text), "maps");
	cr_assert_eq(maps_next(&c, &line, NULL), 1);
	cr_assert_eq(line.start, 0x55d0c0a00000);
	cr_assert_eq(line.end, 0x55d0c0a28000);
	cr_assert_eq(line.offset, 0x2000);
	cr_assert_eq(line.major, 8);
	cr_assert_eq(line.minor, 1);
	cr_assert_eq(line.inode, 131);
	cr_assert_str_eq(line.prot, "r-xp");
	cr_assert_eq(line.path_len, strlen("/usr/bin/a name (deleted)"));
	cr_assert_eq(memcmp(line.path, "/usr/bin/a name (deleted)", line.path_len), 0);
	cr_assert_eq(maps_next(&c, &line, NULL), 1);
	cr_assert_eq(line.path_len, 0);
	cr_assert_eq(maps_next(&c, &line, NULL), 1);
	cr_assert_eq(line.end, 0xffffffffff601000);
	cr_assert_eq(line.path_len, strlen("[vsyscall]"));
	cr_assert_eq(maps_next(&c, &line, NULL), 0);
}

Test(maps, survives_truncation_at_every_byte)
{
	for (size_t len = 0; len < strlen(text); len++) {
		char *copy = malloc(len + 1);
		struct maps_line line;
		struct cursor c;
		int lines = 0, rc;

		memcpy(copy, text, len);
		cursor_init(&c, copy, len, "maps");
		while ((rc = maps_next(&c, &line, NULL)) > 0)
			lines++;
		cr_assert(lines <= 3);
		cr_assert(rc == 0 || rc == ERR_FORMAT);
		free(copy);
	}
}

Test(maps, says_where_a_line_is_broken)
{
	static const char broken[] = "1000-2000 r-xp 00000000 00:00 0 \n3000-2000 r-xp 0 0:0 0\n";
	struct error err = { 0 };
	struct maps_line line;
	struct cursor c;

	cursor_init(&c, broken, strlen(broken), "/proc/1/maps");
	cr_assert_eq(maps_next(&c, &line, &err), 1);
	cr_assert_eq(maps_next(&c, &line, &err), ERR_FORMAT);
	cr_assert_str_eq(err.text, "/proc/1/maps: empty address range at offset 42");
}
