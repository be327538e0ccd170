/*
 * Names of HotSpot's frames and threads: what is kept between two questions. Of names.c, vmcode.c,
 * threads.c.
 */
#ifndef RUNTIMES_HOTSPOT_NAMES_H
#define RUNTIMES_HOTSPOT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtimes/common/managed.h"
#include "runtimes/hotspot/vm/unsigned5.h"

struct arena;
struct error;
struct hotspot;
struct hotspot_monitors;
struct hotspot_thread_state;
struct hotspot_vm_code;
struct memory;

struct hotspot_name_state {
	enum unsigned5_form form;
	struct hotspot_vm_code *code;	      /* owned; of vmcode.c */
	struct hotspot_thread_state *threads; /* owned; of threads.c */
	struct hotspot_monitors *monitors;    /* owned; of monitors.c */
};

/* Resolves what they read; called by find, while hs->tables is there. ERR_FORMAT, ERR_NOMEM.
 * hotspot_names_free takes what a failed init has left, too. */
int hotspot_names_init(struct hotspot *hs, struct error *why);
void hotspot_names_free(struct hotspot *hs);

/* The functions of struct managed_ops. */
int hotspot_names(void *rt, const struct managed_frame *frame, struct arena *arena,
		  struct managed_names *names);
bool hotspot_thread(void *rt, pid_t own_tid, struct managed_thread *thread);

/* A method of a frame's. */
struct hotspot_place {
	uint64_t method;
	uint64_t id; /* that it must have; 0: any, the compiled code keeps it */
	int32_t bci; /* -1: before the first bytecode */
};

enum { HOTSPOT_NO_PLACE = -2 }; /* a bci that is not known */

/* The methods of a frame of Java's, innermost first. *count is 0 for the VM's own code. ERR_FORMAT:
 * it cannot be read, or is not that frame's any more; ERR_NOMEM. */
int hotspot_places(struct hotspot *hs, const struct managed_frame *frame,
		   struct hotspot_place places[MANAGED_NAMES_MAX], size_t *count);

/* The name of a class, as Java's stack traces have it, from the arena. ERR_FORMAT: none can be read
 * there; ERR_NOMEM. */
int hotspot_class_name(const struct hotspot *hs, uint64_t klass, struct arena *arena,
		       const char **name);

enum { HOTSPOT_VM_TEXT = 128 }; /* bytes, with the NUL */

/* A text of the VM's C++ code: as much of it as is within the bound. False: there is none. */
bool hotspot_vm_text(const struct memory *memory, uint64_t addr, char text[HOTSPOT_VM_TEXT]);

int hotspot_vm_code_init(struct hotspot *hs);
void hotspot_vm_code_free(struct hotspot_vm_code *code);

/* The name of a frame of the VM's own code, or NULL if it is not shown. ERR_FORMAT, ERR_NOMEM. */
int hotspot_vm_code_name(struct hotspot *hs, const struct managed_frame *frame, struct arena *arena,
			 const char **name);

/* Where the routine of that name begins, as hotspot_vm_code_name shows it; 0: not known. */
uint64_t hotspot_routine_find(struct hotspot *hs, const char *name);

int hotspot_monitors_init(struct hotspot *hs);
int hotspot_threads_init(struct hotspot *hs);
void hotspot_threads_free(struct hotspot_thread_state *threads);

#endif
