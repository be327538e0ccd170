/*
 * A PHP runtime in a process: what its files share.
 *
 * A code object is a zend_function. Its address is a multiple of 8 and has 48 bits, so there is
 * room for more in interp_frame.code, and with that in what is kept by code:
 *
 * - Whether it is a C function, and whether it is the main script's own code. What is known
 *   (interp_copy_is_new) so tells capture the kind of a function without a copy of it.
 * - For closures and included files, a hash of where their oplines are. They live for so short a
 *   time that other ones take turns at their address. So they are identified in each hold, and
 *   each one that takes turns there has its own names.
 *
 * php_identify verifies both.
 */
#ifndef RUNTIMES_PHP_RUNTIME_H
#define RUNTIMES_PHP_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtimes/common/runtime.h"

/* Where the fields are that differ from release to release, in bytes. What is the same from 7.4 to
 * 8.5 is below. */
struct php_layout {
	uint32_t api;	   /* ZEND_MODULE_API_NO: one for each release */
	uint16_t vm_stack; /* in zend_executor_globals: EG(vm_stack_top), and what follows */
	uint16_t last, opcodes, filename, line_start; /* in zend_op_array */
	uint16_t generator_frame, generator_node;     /* in zend_generator */
};

enum {
	/* From php_layout.vm_stack on. */
	EG_STACK_TOP = 0,
	EG_STACK = 16,	    /* the newest page */
	EG_PAGE_BYTES = 24, /* of a new page */
	EG_CURRENT = 32,
	EG_BYTES = 40,

	/* struct _zend_vm_stack, at the start of each page. */
	PAGE_TOP = 0, /* of a page that is not the newest one */
	PAGE_END = 8,
	PAGE_PREV = 16,
	PAGE_HEADER = 24,
	PAGE_FIRST = 32, /* the first frame */

	/* struct _zend_execute_data, as far as it is read. */
	FRAME_OPLINE = 0,
	FRAME_RESULT = 16, /* of a generator: its object */
	FRAME_FUNC = 24,
	FRAME_THIS = 32,
	FRAME_INFO = 40, /* u32 */
	FRAME_PREV = 48,
	FRAME_BYTES = 56,

	INFO_OBJECT = 8,     /* in the low byte: IS_OBJECT */
	INFO_CODE = 1 << 16, /* ZEND_CALL_CODE: a file's or eval()'s own code */
	INFO_TOP = 1 << 17,  /* ZEND_CALL_TOP: execute_ex was called for it */
	INFO_CLOSURE = 1 << 22,
	INFO_GENERATOR = 1 << 24,

	/* union _zend_function; the first fields are those of zend_internal_function, too. */
	FUNCTION_NAME = 8,
	FUNCTION_SCOPE = 16,
	FUNCTION_BYTES = 24,
	OP_ARRAY_BYTES = 184, /* at most, up to line_end */
	TYPE_INTERNAL = 1,
	TYPE_USER = 2,
	TYPE_EVAL = 4,

	CLASS_NAME = 8, /* struct _zend_class_entry */

	/* struct _zend_string. */
	STRING_HASH = 8,
	STRING_LEN = 16,
	STRING_BYTES = 24, /* of the head */

	/* struct _zend_op. */
	OP_BYTES = 32,
	OP_LINE = 24, /* u32 */
};

/* interp_frame.code: these in the low bits, then the address, then the hash. */
enum { CODE_C = 1, CODE_MAIN = 2, CODE_LOW = 7, CODE_HASH = 48 };

static inline uint64_t php_function(uint64_t code)
{
	return code & ((1ull << CODE_HASH) - 1) & ~(uint64_t)CODE_LOW;
}

/* The hash of a short-lived function, from the copy of it: in the high bits, not 0. */
uint64_t php_code_hash(const struct php_layout *layout, const char *function);

/* The runtime's own bits of interp_frame.flags, until php_anchor. */
enum {
	FRAME_IN_REGISTER = 1 << 2, /* a C function has it, not saved, in the loop's register */
	FRAME_GENERATOR = 1 << 3,   /* its own opline is valid before it executes, too */
	FRAME_TOP = 1 << 4,	/* the outermost of those that one call of execute_ex executes */
	FRAME_IN_LOOP = 1 << 5, /* the thread is in execute_ex, for this frame */
	FRAME_SHORT_LIVED = 1 << 6, /* its function is a closure or an included file */
	FRAME_BASE = 1 << 7, /* the first frame of a fiber: its callers have another C stack */
	FRAME_LOST = 1 << 8, /* its callers are not known */
};

/* interp_frame.own of the innermost frame, if its opline may be in a saved register: its function's
 * oplines, their number in the high bits. 0: not known. */
enum { OWN_OPS = 48, OWN_OPS_MAX = 0xffff };

/* Is it one of these oplines? */
static inline bool php_is_op(uint64_t own, uint64_t opline)
{
	uint64_t at = opline - (own & ((1ull << OWN_OPS) - 1));

	return at % OP_BYTES == 0 && at / OP_BYTES < own >> OWN_OPS;
}

/* How execute_ex was compiled: ZEND_VM_KIND_…, zend_vm_kind(). */
enum php_vm {
	VM_CALL = 1,	 /* EX(opline) is always up to date */
	VM_HYBRID = 4,	 /* execute_data and opline are in registers (GCC) */
	VM_TAILCALL = 5, /* likewise, but not in callee-saved ones (Clang) */
};

struct php_range {
	uint64_t start, end; /* addresses in the process */
};

struct php_runtime {
	char version[32]; /* first: see struct interp_ops */
	const struct php_layout *layout;
	bool zts;
	uint64_t eg;	    /* address of executor_globals; ZTS: of executor_globals_offset */
	int64_t tls;	    /* ZTS: where _tsrm_ls_cache is, from the thread pointer on */
	uint64_t eg_offset; /* ZTS: executor_globals_offset, from that cache on */
	uint64_t vm;	    /* enum php_vm */
	uint64_t image_start, image_end; /* addresses of the ELF file's segments in the process */
	struct php_range loop[2];	 /* execute_ex, and its .cold part; else empty */
};

enum { PHP_TEXT_MAX = 8192 }; /* bytes: a path has up to 4096, an anonymous class's name a path */

struct php_text {
	bool there;
	size_t len;
	char bytes[PHP_TEXT_MAX];
};

struct php_texts {
	char function[OP_ARRAY_BYTES]; /* of a C function FUNCTION_BYTES */
	struct php_text name, class, file;
};

/* Reads a function and its texts. *id is their identity: the texts have its hashes. ERR_FORMAT: it
 * cannot be read, or one of the texts is another's by now. */
int php_read_function(const struct php_layout *layout, const struct memory *memory, uint64_t code,
		      struct php_texts *texts, struct interp_identity *id);

static inline bool php_in_loop(const struct php_runtime *rt, uint64_t pc)
{
	return pc - rt->loop[0].start < rt->loop[0].end - rt->loop[0].start ||
	       pc - rt->loop[1].start < rt->loop[1].end - rt->loop[1].start;
}

/* The functions of struct interp_ops (runtimes/common/runtime.h), a file each. */
void php_capture(const void *rt, struct interp_copy *copy, const struct interp_thread *thread,
		 struct interp_walk *out);
void php_identify(const void *rt, const struct memory *memory, struct interp_identity *ids,
		  size_t count);
int php_resolve(const void *rt, const struct memory *memory, const struct interp_identity *id,
		struct arena *arena, struct interp_code *code);
void php_line(const void *rt, const struct interp_code *code, uint64_t at, uint32_t *line,
	      uint32_t *column);
void php_anchor(const void *rt, const struct modmap *maps, const struct stack *stack,
		const struct memory *memory, struct interp_frame *frames, size_t count);

/* Finds the code of execute_ex, which is `size` bytes at image address `addr`: rt->loop. */
void php_find_loop(struct php_runtime *rt, const struct image *image, uint64_t bias, uint64_t addr,
		   uint64_t size);

#endif
