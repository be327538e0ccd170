/* Where Ruby's structures have their fields, and what is in these. */
#ifndef RUNTIMES_RUBY_LAYOUT_H
#define RUNTIMES_RUBY_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

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

/* NULL: the release is not known. */
const struct ruby_layout *ruby_layout_of(unsigned major, unsigned minor);

#endif
