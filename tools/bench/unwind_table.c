// links: unwind
/*
 * What compiling a file's CFI costs, compared with looking each row up with libdw
 * (dwarf_cfi_addrframe). Both begin with a closed file and end with the last row, in
 * one run. CPU time, the best of several turns.
 *
 *   unwind_table [FILE…]
 *
 * Without files, those of the list below that exist. For each: KiB of CFI, rows, distinct rules,
 * time and rate of the build, libdw's time and the ratio, the table's bytes a row and its KiB for
 * each MiB of code. Bytes are all that the table takes: rows, index, rules, expressions and its own
 * head.
 */
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/image.h"
#include "unwind/table/cfi.h"
#include "unwind/table/table.h"

enum { TURNS = 5 };

static const char *const usual[] = {
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/lib64/libc.so.6",
	"/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/lib64/libstdc++.so.6",
	"/usr/bin/redis-server",
	"/usr/bin/python3",
	"/usr/bin/node",
	"/usr/lib/postgresql/15/bin/postgres",
	"/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so",
	"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1",
};

/* The addresses that libdw looks up. */
struct rows {
	struct cfi_sink sink;
	uint64_t *pcs;
	size_t count, room;
	bool failed;
};

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int begin(struct cfi_sink *sink, uint64_t start, uint64_t end)
{
	(void)sink, (void)start, (void)end;
	return 0;
}

static int row(struct cfi_sink *sink, uint64_t pc, const struct cfi_rule *rule)
{
	struct rows *r = (struct rows *)sink;

	(void)rule;
	if (r->count == r->room) {
		size_t room = r->room ? 2 * r->room : 4096;
		uint64_t *pcs = realloc(r->pcs, room * sizeof(*pcs));

		if (!pcs)
			return ERR_NOMEM;
		r->pcs = pcs;
		r->room = room;
	}
	r->pcs[r->count++] = pc;
	return 0;
}

static void end(struct cfi_sink *sink, bool good)
{
	(void)sink, (void)good;
}

/* Reads the file's .eh_frame: returns its length, and collects the addresses of its rows. */
static size_t read_eh_frame(Elf *elf, struct rows *rows)
{
	size_t strings;
	Elf_Scn *scn = NULL;

	if (elf_getshdrstrndx(elf, &strings))
		return 0;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		Elf_Data *data;
		struct cfi_section s;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS ||
		    strcmp(elf_strptr(elf, strings, shdr.sh_name), ".eh_frame") ||
		    !(data = elf_rawdata(scn, NULL)))
			continue;
		s = (struct cfi_section){
			.data = data->d_buf,
			.len = data->d_size,
			.vaddr = shdr.sh_addr,
			.eh_frame = true,
			.ident = (const unsigned char *)elf_getident(elf, NULL),
		};
		cfi_read(&s, &rows->sink);
		return data->d_size;
	}
	return 0;
}

static double by_libdw(const char *path, const struct rows *rows)
{
	double start = cpu_seconds();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);

	for (size_t i = 0; cfi && i < rows->count; i++) {
		Dwarf_Frame *frame;

		if (dwarf_cfi_addrframe(cfi, rows->pcs[i], &frame) == 0)
			free(frame);
	}
	if (cfi)
		dwarf_cfi_end(cfi);
	elf_end(elf);
	close(fd);
	return cpu_seconds() - start;
}

static double by_table(const char *path, struct cfi_table_info *info, size_t *code)
{
	double start = cpu_seconds();
	struct image *image;
	struct cfi_table *table;
	const struct image_segment *s;
	size_t segments;

	if (image_open(open(path, O_RDONLY | O_CLOEXEC), path, &image, NULL))
		return 0;
	if (cfi_table_build(image, &table, NULL) == 0) {
		cfi_table_info(table, info);
		cfi_table_free(table);
	}
	*code = 0;
	s = image_segments(image, &segments);
	for (size_t i = 0; i < segments; i++)
		*code += s[i].flags & PF_X ? s[i].memsz : 0;
	image_free(image);
	return cpu_seconds() - start;
}

static void measure(const char *path, Elf *elf)
{
	struct rows rows = { .sink = { begin, row, end } };
	size_t bytes = read_eh_frame(elf, &rows), code = 0;
	struct cfi_table_info info = { 0 };
	double table = 1e9, libdw = 1e9;

	for (int i = 0; bytes && i < TURNS; i++) {
		double t = by_table(path, &info, &code), l = by_libdw(path, &rows);

		table = t < table ? t : table;
		libdw = l < libdw ? l : libdw;
	}
	if (bytes && info.rows)
		printf("%-18.18s %7zu %8lu %5lu %8.2f %6.0f %6.1f %8.2f %6.1fx %6.2f %6.1f\n",
		       strrchr(path, '/') ? strrchr(path, '/') + 1 : path, bytes >> 10, info.rows,
		       info.rules, table * 1e3, (double)bytes / table / 1e6,
		       (double)rows.count / table / 1e6, libdw * 1e3, libdw / table,
		       (double)info.bytes / (double)info.rows,
		       (double)info.bytes * 1024 / (double)code);
	free(rows.pcs);
}

int main(int argc, char **argv)
{
	const char *const *paths = argc > 1 ? (const char *const *)argv + 1 : usual;
	size_t count = argc > 1 ? (size_t)argc - 1 : sizeof(usual) / sizeof(*usual);

	elf_version(EV_CURRENT);
	printf("%-18s %7s %8s %5s %8s %6s %6s %8s %7s %6s %6s\n", "table build", "KiB", "rows",
	       "rules", "ms", "MB/s", "Mrow/s", "libdw ms", "ratio", "B/row", "KiB/MiB");
	for (size_t i = 0; i < count; i++) {
		int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
		Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;

		if (elf)
			measure(paths[i], elf);
		else if (argc > 1)
			fprintf(stderr, "unwind_table: cannot read '%s'\n", paths[i]);
		elf_end(elf);
		if (fd >= 0)
			close(fd);
	}
	return 0;
}
