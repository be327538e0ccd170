/* Our own process, a child, a process that does not exist; their maps, memory and images. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"

Test(process, opens_itself)
{
	struct buffer text = { 0 };
	struct process p;
	uint64_t ns = 0;

	cr_assert_eq(process_open(&p, getpid(), NULL), 0);
	cr_assert(process_alive(&p));
	cr_assert_eq(process_cpu_ns(&p, &ns), 0);
	cr_assert(ns > 0);
	cr_assert_eq(process_read(&p, "status", &text, NULL), 0);
	cr_assert(text.len > 100);
	cr_assert_eq(process_read(&p, "nonsense", &text, NULL), ERR_GONE);
	buffer_release(&text);
	process_close(&p);
}

Test(process, notices_the_end)
{
	struct process p;
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	cr_assert_eq(process_open(&p, child, NULL), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	cr_assert_not(process_alive(&p));
	cr_assert_eq(process_read(&p, "maps", &(struct buffer){ 0 }, NULL), ERR_GONE);
	strcpy(p.comm, "last");
	process_read_comm(&p);
	cr_assert_str_eq(p.comm, "last");
	process_close(&p);
}

Test(process, names_a_missing_one)
{
	struct error err = { 0 };
	struct process p;

	cr_assert_eq(process_open(&p, 4194304, &err), ERR_GONE);
	cr_assert_str_eq(err.text, "no process 4194304");
}

Test(process, diagnoses_a_zombie_and_itself)
{
	struct error err = { 0 };
	siginfo_t si;
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitid(P_PID, (id_t)child, &si, WEXITED | WNOWAIT);
	cr_assert_eq(process_diagnose(child, &err), ERR_GONE);
	cr_assert(strstr(err.text, "zombie"));
	waitpid(child, NULL, 0);
	cr_assert_eq(process_diagnose(getpid(), &err), ERR_PERM);
	cr_assert(strstr(err.text, "sampler itself"));
}

Test(process, keeps_absolute_links_inside_the_root)
{
	struct process p;
	int fd;

	cr_assert_eq(process_open(&p, getpid(), NULL), 0);
	fd = process_open_path(&p, "/../../../../etc/passwd");
	cr_assert(fd >= 0, "'..' ends at the root");
	close(fd);
	cr_assert_eq(process_open_path(&p, "/no/such/file"), -1);
	process_close(&p);
}

Test(modmap, finds_our_own_code_and_the_vdso)
{
	const struct mapping *range;
	struct image *const *images;
	struct process p;
	struct modmap *m;
	bool vdso = false;
	size_t count;

	cr_assert_eq(process_open(&p, getpid(), NULL), 0);
	cr_assert_eq(modmap_new(&m, &p), 0);
	cr_assert_eq(modmap_refresh(m, NULL), 0);
	range = modmap_find(m, (uint64_t)(uintptr_t)&process_open);
	cr_assert_not_null(range);
	cr_assert_not_null(image_elf(range->image));
	cr_assert_eq(modmap_first_range(m, range->image)->image, range->image);
	cr_assert_null(modmap_find(m, 0));
	cr_assert_null(modmap_find(m, (uint64_t)(uintptr_t)&count), "the stack is not executable");
	images = modmap_images(m, &count);
	for (size_t i = 0; i < count; i++) {
		cr_assert_eq(image_id(images[i]), i);
		vdso |= !strcmp(image_path(images[i]), "[vdso]") && image_elf(images[i]);
	}
	cr_assert(vdso);
	modmap_free(m);
	process_close(&p);
}

static int initialized = 1, zero[1000];

Test(modmap, finds_variables_in_the_image_that_has_them)
{
	struct process p;
	struct modmap *m;
	const struct image *program;
	uint64_t at, more;

	cr_assert_eq(process_open(&p, getpid(), NULL), 0);
	cr_assert_eq(modmap_new(&m, &p), 0);
	cr_assert_eq(modmap_refresh(m, NULL), 0);
	program = modmap_find(m, (uint64_t)(uintptr_t)&process_open)->image;
	cr_assert_eq(modmap_variable(m, (uint64_t)(uintptr_t)&initialized, &at), program);
	cr_assert_eq(modmap_variable(m, (uint64_t)(uintptr_t)&zero[999], &more), program);
	cr_assert_eq(more - at, (uint64_t)((char *)&zero[999] - (char *)&initialized));
	cr_assert_null(modmap_variable(m, (uint64_t)(uintptr_t)&at, &more), "it is on the stack");
	cr_assert_null(modmap_variable(m, (uint64_t)(uintptr_t)&process_open, &more), "it is code");
	cr_assert_null(modmap_variable(m, 0, &more));
	modmap_free(m);
	process_close(&p);
}

Test(modmap, keeps_its_generation_while_nothing_changes)
{
	struct process p;
	struct modmap *m;
	uint64_t generation;

	cr_assert_eq(process_open(&p, getpid(), NULL), 0);
	cr_assert_eq(modmap_new(&m, &p), 0);
	cr_assert_eq(modmap_refresh(m, NULL), 0);
	generation = modmap_generation(m);
	cr_assert_eq(modmap_refresh(m, NULL), 0);
	cr_assert_eq(modmap_generation(m), generation);
	modmap_free(m);
	process_close(&p);
}

Test(modmap, sorts_ranges_added_by_hand)
{
	struct modmap *m;

	cr_assert_eq(modmap_new(&m, NULL), 0);
	for (uint64_t start = 0x3000; start; start -= 0x1000) {
		struct mapping r = { .start = start,
				     .end = start + 0x800,
				     .image = image_open_none("[anon]") };

		cr_assert_eq(modmap_add(m, &r), 0);
	}
	cr_assert_eq(modmap_find(m, 0x1000)->start, 0x1000);
	cr_assert_eq(modmap_find(m, 0x27ff)->start, 0x2000);
	cr_assert_null(modmap_find(m, 0x2800));
	cr_assert_null(modmap_find(m, 0xfff));
	modmap_free(m);
}

Test(memory, tells_short_from_absent)
{
	static const uint64_t words[2] = { 1, 2 };
	struct memory_bytes m;
	uint64_t v;

	memory_bytes_init(&m, words, 0x1000, sizeof(words));
	cr_assert_eq(memory_read_u64(&m.memory, 0x1008, &v), 0);
	cr_assert_eq(v, 2);
	cr_assert_eq(memory_read_u64(&m.memory, 0x1010, &v), ERR_IO);
	cr_assert_eq(memory_read_u64(&m.memory, 0xff8, &v), ERR_IO);
	cr_assert_eq(memory_read_u64(&m.memory, UINT64_MAX - 3, &v), ERR_IO);
	m.more = 64;
	cr_assert_eq(memory_read_u64(&m.memory, 0x1010, &v), ERR_SHORT);
	cr_assert_eq(memory_read_u64(&m.memory, 0x100c, &v), ERR_SHORT);
	cr_assert_eq(memory_read_u64(&m.memory, 0x1050, &v), ERR_IO);
}

Test(memory, reads_a_live_process)
{
	volatile uint64_t word = 0x1122334455667788;
	struct memory_live m;
	uint64_t v = 0;

	memory_live_init(&m, getpid());
	cr_assert_eq(memory_read_u64(&m.memory, (uint64_t)(uintptr_t)&word, &v), 0);
	cr_assert_eq(v, word);
	cr_assert_eq(memory_read_u64(&m.memory, 8, &v), ERR_IO);
}

Test(image, refuses_what_is_no_elf)
{
	struct image *image = NULL;
	struct error err = { 0 };

	cr_assert_eq(image_open_bytes("#!/bin/sh\n", 10, "/bin/script", &image, &err), ERR_FORMAT);
	cr_assert_str_eq(err.text, "'/bin/script' is not an ELF file");
	cr_assert_eq(image_open(open("/etc/passwd", O_RDONLY), "/etc/passwd", &image, &err),
		     ERR_FORMAT);
}

Test(image, reads_headers_and_build_id)
{
	struct image *image;
	size_t count;

	cr_assert_eq(image_open(open("/proc/self/exe", O_RDONLY), "/x/self", &image, NULL), 0);
	cr_assert_str_eq(image_name(image), "self");
	cr_assert_eq(strlen(image_build_id(image)), 40);
	cr_assert_not_null(image_segments(image, &count));
	cr_assert(count >= 2);
	image_free(image);
}
