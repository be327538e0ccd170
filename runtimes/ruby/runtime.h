/*
 * A Ruby runtime (CRuby) in a process: what this room's files share.
 *
 * A code object is an iseq (struct rb_iseq_struct), or, for a function written in C, its method
 * entry (struct rb_callable_method_entry_struct). Both are objects of the garbage collector, whose
 * flags tell which they are.
 */
#ifndef RUNTIMES_RUBY_RUNTIME_H
#define RUNTIMES_RUBY_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process/memory.h"
#include "runtimes/common/runtime.h"

struct interp_copy;

/* Where the fields are that differ from release to release, in bytes. What is the same in 3.0 to
 * 4.0 is below. */
struct ruby_layout {
	uint16_t release;  /* 304: Ruby 3.4 */
	uint8_t frame;	   /* size of a control frame */
	uint8_t ec_thread; /* rb_execution_context_t.thread_ptr */
	uint8_t thread_ec; /* rb_thread_t.ec */
	uint8_t native;	   /* rb_thread_t.nt; 0: the next one is in rb_thread_t itself */
	uint8_t pthread;   /* thread_id: a pthread_t */
	uint8_t tid;	   /* the thread's number; 0: not recorded, or not correct after fork(2) */
	uint8_t insns,
		parent; /* rb_iseq_constant_body.insns_info and .parent_iseq, .local_iseq behind */
	uint8_t insn_entry; /* size of a struct iseq_insn_info_entry */
	uint8_t line_shift; /* of rb_iseq_location_t.first_lineno, which is a Fixnum up to 3.1 */
	uint8_t embed; /* where an embedded string's bytes are; their number is in the flags (16)
			      * or in front of them (24) */
	uint8_t attached, class_flags,
		classpath; /* RClass's attached object, flags and path; 0: they
						   * are elsewhere */
	bool variables;	   /* namely in a table of variables (classes.c) */
	uint8_t singleton; /* bit of RBasic.flags: a singleton class */
	bool qualified;	   /* backtraces have the class: "Shop#total" (Ruby's Feature #19117) */
};

enum {
	/* struct rb_vm_struct */
	VM_RACTORS = 8, /* head of a list of ractors */
	VM_MAIN_RACTOR = 32,
	VM_MAIN_THREAD = 40,

	/* struct rb_thread_struct; it begins with its node in the list of its ractor */
	THREAD_RACTOR = 24,
	THREAD_VM = 32,
	THREAD_NATIVE = 40,
	THREAD_BYTES = 96,

	/* struct rb_native_thread */
	NATIVE_BYTES = 32,

	/* struct rb_execution_context_struct */
	EC_STACK = 0,
	EC_SIZE = 8, /* of the stack, in words */
	EC_FRAME = 16,
	EC_TAG = 24,
	EC_BYTES = 64,

	/* struct rb_control_frame_struct */
	CFP_PC = 0,
	CFP_ISEQ = 16,
	CFP_EP = 32,
	CFP_BYTES = 40, /* that are read of each */

	/* What an environment pointer points to, in front of which other data is. */
	ENV_METHOD = -16, /* method entry, or class reference, or a pair of it and of variables */
	ENV_LOCAL = 2,	  /* there is none around it */
	ENV_BYTES = 24,	  /* from the method to the flags */

	/* struct rb_iseq_struct, struct rb_iseq_constant_body */
	ISEQ_BODY = 16,
	BODY_TYPE = 0,
	BODY_SIZE = 4, /* of the code, in words; u32 */
	BODY_CODE = 8,
	BODY_PATH = 64,
	BODY_LABEL = 80,
	BODY_LINE = 88,
	BODY_BYTES = 192,

	/* struct iseq_insn_info */
	INSNS_TABLE = 0,
	INSNS_COUNT = 16, /* u32 */
	INSNS_INDEX = 24,

	/* struct rb_callable_method_entry_struct, struct rb_method_definition_struct */
	METHOD_DEFINITION = 16,
	METHOD_OWNER = 32,
	DEFINITION_TYPE = 0,  /* in the low four bits */
	DEFINITION_BODY = 8,  /* the iseq, or the C function */
	DEFINITION_NAME = 32, /* an ID */
	DEFINITION_SERIAL = 40,
	DEFINITION_BYTES = 48,
	METHOD_IS_ISEQ = 0,
	METHOD_IS_C = 1,
	METHOD_IS_BLOCK = 4,

	/* RBasic.flags (include/ruby/internal/value_type.h, internal/imemo.h) */
	TYPE_MASK = 0x1f,
	T_OBJECT_CLASS = 2,
	T_MODULE = 3,
	T_STRING = 5,
	T_ARRAY = 7,
	T_IMEMO = 0x1a,
	IMEMO_SHIFT = 12,
	IMEMO_MASK = 15,
	IMEMO_SVAR = 2,
	IMEMO_METHOD = 6,
	IMEMO_ISEQ = 7,
	OBJECT_BYTES = 40, /* the smallest slot of the heap */
	CLASS_BYTES = 160, /* of a class that has its path in a field */
	CLASS_EXT = 24,	   /* of any other one */

	IMEMO_SVAR_METHOD = 8, /* struct vm_svar.cref_or_me */
};

/* enum rb_iseq_type */
enum ruby_iseq_type {
	ISEQ_TOP,
	ISEQ_METHOD,
	ISEQ_BLOCK,
	ISEQ_CLASS,
	ISEQ_RESCUE,
	ISEQ_ENSURE,
	ISEQ_EVAL,
	ISEQ_MAIN,
	ISEQ_PLAIN,
	ISEQ_TYPES
};

/* Frames (vm_core.h, VM_FRAME_MAGIC_MASK and what follows). */
enum {
	MAGIC_MASK = 0x7fff0001,
	MAGIC_METHOD = 0x11110001,
	MAGIC_BLOCK = 0x22220001,
	MAGIC_CLASS = 0x33330001,
	MAGIC_TOP = 0x44440001,
	MAGIC_C = 0x55550001,
	MAGIC_IFUNC = 0x66660001,
	MAGIC_EVAL = 0x77770001,
	MAGIC_RESCUE = 0x78880001,
	MAGIC_DUMMY = 0x79990001,
	FLAG_FINISH = 0x20,  /* vm_exec was called for it */
	FLAG_BMETHOD = 0x40, /* a block that is a method (define_method) */
};

/*
 * interp_frame.at: the frame's pc, with the number of the instruction whose code the thread was in,
 * plus one, in the high bits (0: not known). The pc moves on at an instruction's beginning, so both
 * the instruction in front of it and the one at it may be the one that is executed.
 */
enum {
	AT_SHIFT = 48,
	AT_CALLS = 1 << 14, /* with the number: that instruction has called a C function */
	AT_NEXT = 1 << 13,  /* with it: the pc is that of the next instruction */
	/* Alone: the thread is not in the loop; the pc may have been set by others. */
	AT_BETWEEN = 1 << 12,
	AT_NUMBER = AT_BETWEEN - 1,
};
static const uint64_t AT_PC = (1ull << AT_SHIFT) - 1;

/* A block of the loop's code (blocks.c). */
struct ruby_block {
	uint64_t start, end; /* addresses in the process */
	bool shared;	     /* it belongs to several instructions */
	bool next;	     /* the pc is that of the next instruction */
};

/* The interpreter's loop: vm_exec_core, which vm_exec calls inside of its tag. */
struct ruby_loop {
	uint64_t core, core_end;   /* addresses in the process; 0: not found */
	uint64_t exec, exec_end;   /* of vm_exec; 0: not found */
	uint64_t text, text_end;   /* of the whole image */
	size_t count;		   /* instructions; 0: their code was not found */
	uint64_t *codes;	   /* addresses of their code, ascending; owned */
	uint16_t *numbers;	   /* which instruction each of these is; owned */
	uint8_t *lengths;	   /* of instructions, in words, by number; owned */
	struct ruby_block *blocks; /* ascending; owned */
	size_t block_count;
};

/* Found out by captures and when names are read, on any thread. */
struct ruby_shared {
	_Atomic uint64_t guard;		       /* with which libc's setjmp(3) hides addresses */
	_Atomic uint64_t path_id, attached_id; /* classes.c; 0: not known yet */
};

struct ruby_runtime {
	char version[32]; /* first: see struct interp_ops */
	const struct ruby_layout *layout;
	uint64_t vm;		 /* struct rb_vm_struct */
	uint16_t ractor_threads; /* head of a ractor's list of threads */
	uint16_t ractor_node;	 /* a ractor's node in the list of ractors */
	uint64_t symbols;	 /* ruby_global_symbols; 0: not found */
	uint64_t object;	 /* the variable rb_cObject; 0: not found */
	struct ruby_loop loop;
	struct ruby_shared *shared; /* owned */
};

static inline unsigned ruby_type(uint64_t flags)
{
	return flags & TYPE_MASK;
}

static inline bool ruby_is_imemo(uint64_t flags, unsigned kind)
{
	return ruby_type(flags) == T_IMEMO && (flags >> IMEMO_SHIFT & IMEMO_MASK) == kind;
}

/* Can it be the address of an object? (Fixnums, symbols, nil and the like are none.) */
static inline bool ruby_is_object(uint64_t value)
{
	return value >= 4096 && !(value & 7);
}

/* layout.c. NULL: the release is not known. */
const struct ruby_layout *ruby_layout_of(unsigned major, unsigned minor);

/* loop.c: fills rt->loop, as far as it is found. ERR_NOMEM. */
int ruby_find_loop(struct ruby_loop *loop, const struct image *image, uint64_t bias,
		   const struct memory *memory);
void ruby_loop_release(struct ruby_loop *loop);
/* The number of the instruction whose code begins at `code`, plus one; 0: none does. */
unsigned ruby_loop_starts(const struct ruby_loop *loop, uint64_t code);
/* The index of the last instruction's code that does not begin behind `pc`. */
size_t ruby_loop_place(const struct ruby_loop *loop, uint64_t pc);
/* The number of the instruction whose code holds `pc`, plus one; 0: it is not in the loop, or in
 * code of several instructions. With AT_NEXT. */
unsigned ruby_loop_insn(const struct ruby_loop *loop, uint64_t pc);

/* blocks.c: fills loop->blocks. `bytes` are those of vm_exec_core. ERR_NOMEM. */
int ruby_find_blocks(struct ruby_loop *loop, const uint8_t *bytes, size_t len);

/* threads.c */
int ruby_threads(const void *rt, const struct memory *memory, struct buffer *states);
/* Sets the places of lists that depend on how libc was built, from the live lists. False: they do
 * not fit. */
bool ruby_find_lists(struct ruby_runtime *rt, const struct memory *memory);

/* methods.c. What the environment that a frame's ep points to tells of the frame's method entry:
 * sets f->method and its flag RUBY_AROUND. Then, for all frames of a walk: follows those with that
 * flag, and keeps method entries only. */
struct ruby_env {
	uint64_t method, prev, flags;
};
void ruby_note_method(const struct ruby_env *env, struct interp_frame *f);
void ruby_find_methods(struct interp_copy *copy, struct interp_walk *out);

/* interp_frame.flags, from its capture to ruby_find_methods: .method is an environment around the
 * frame's, which leads to the method entry. */
enum { RUBY_AROUND = 8 };

/* capture.c */
void ruby_capture(const void *rt, struct interp_copy *copy, const struct interp_thread *thread,
		  struct interp_walk *out);

/* The anchor of C functions that no run has called, until the C stack is known. No tag has it. */
static const uint64_t RUBY_OUTSIDE = 1;

/* tags.c: sets the anchors of the frames, whose .own are the numbers of their runs, 0 for the
 * innermost. `runs` is how many runs vm_exec executes; `tag` is the thread's innermost one. */
void ruby_set_anchors(const struct ruby_runtime *rt, struct interp_copy *copy, uint64_t pthread,
		      uint64_t tag, size_t runs, struct interp_walk *out);

/* anchor.c */
void ruby_anchor(const void *rt, const struct modmap *maps, const struct stack *stack,
		 const struct memory *memory, struct interp_frame *frames, size_t count);

/* identity.c. ruby_copy_identity: copies what ruby_identify reads, in the hold. */
void ruby_identify(const void *rt, const struct memory *memory, struct interp_identity *ids,
		   size_t count);
void ruby_copy_identity(const struct ruby_runtime *rt, struct interp_copy *copy,
			struct interp_identity *ids, size_t count);

/* names.c */
int ruby_resolve(const void *rt, const struct memory *memory, const struct interp_identity *id,
		 struct arena *arena, struct interp_code *code);

/* classes.c. "Owner#name", "Owner.name", or `name` itself if the class is not known or has no
 * permanent path; in `arena`. NULL: *nomem, out of memory. */
const char *ruby_qualify(const struct ruby_runtime *rt, const struct memory *memory, uint64_t owner,
			 const char *name, struct arena *arena, bool *nomem);
/* Can it be known at all? */
bool ruby_knows_classes(const struct ruby_runtime *rt);

/* lines.c */
struct ruby_lines;
int ruby_read_lines(const struct ruby_runtime *rt, const struct memory *memory, const void *body,
		    struct arena *arena, struct ruby_lines **lines);
void ruby_line(const void *rt, const struct interp_code *code, uint64_t at, uint32_t *line,
	       uint32_t *column);

/* object.c: reads of strings, arrays and symbols. */

enum { NAME_BYTES = 25000 }; /* two texts that it reads, each byte of which may become three */

/* Reads OBJECT_BYTES of an object. False: there is none, which is no error. */
bool ruby_read_object(const struct memory *memory, uint64_t addr, void *object);

struct ruby_text {
	uint64_t at, len; /* bytes of the process */
};

/* Where the bytes of a string are, of which OBJECT_BYTES at `addr` are at hand; false: it is
 * none. */
bool ruby_string_text(const struct ruby_runtime *rt, uint64_t addr, const void *object,
		      struct ruby_text *text);
/* Element `i` of an array, of which OBJECT_BYTES are at hand, is at this address; 0: it has
 * none. */
uint64_t ruby_array_element(uint64_t addr, const void *object, uint64_t i);
/* Copies a string into `arena`; a long one is cut. NULL: there is none; *nomem: out of memory. */
const char *ruby_read_string(const struct ruby_runtime *rt, const struct memory *memory,
			     uint64_t addr, struct arena *arena, bool *nomem);
/* The same for the name of an ID. */
const char *ruby_read_id(const struct ruby_runtime *rt, const struct memory *memory, uint64_t id,
			 struct arena *arena, bool *nomem);
/* Finds ruby_global_symbols in the image's data. 0: not found. */
uint64_t ruby_find_symbols(const struct ruby_runtime *rt, const struct image *image, uint64_t bias,
			   const struct memory *memory);

#endif
