/*
 * Split DWARF: a unit whose DIEs are in a file of their own, *.dwo.
 */
#ifndef SYMBOLIZE_DWARF_SPLIT_H
#define SYMBOLIZE_DWARF_SPLIT_H

#include <elfutils/libdw.h>

struct linetable;

/* Of a skeleton unit, the unit's DIE in the .dwo file; *code is left as it is when
 * the unit is none, or the file is not to be had. `dir` is the folder of the
 * skeleton's file, or NULL. */
void dwarf_find_split(const Dwarf_Die *skeleton, const char *dir, Dwarf_Die *code);

/* The list of files that a unit in a .dwo file numbers files by: at the start of its
 * own .debug_line.dwo (DWARF 5, section 7.3.2.1, and GNU's before). *files stays NULL
 * where there is none; then it is the skeleton's. ERR_NOMEM. */
int dwarf_split_files(const Dwarf_Die *code, const char *folder, struct linetable **files);

#endif
