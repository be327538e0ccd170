/*
 * Where CPython keeps what is read of it.
 *
 * One struct cpython stands for one CPython in a process. It is filled by find and immutable from
 * then on. All offsets are in bytes from the start of their structure. A release that has no such
 * field has CPYTHON_NONE there. They come from _Py_DebugOffsets (3.13 and later), what it lacks and
 * all older releases from a table by version; each was compared with the live process.
 *
 * Rejected: one structure for each release, because most fields differ in their place only.
 */
#ifndef RUNTIMES_CPYTHON_LAYOUT_H
#define RUNTIMES_CPYTHON_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CPYTHON_NONE = UINT32_MAX };

/* PY_VERSION_HEX >> 16: versions are compared as 0x030b for 3.11. */
enum {
	CPYTHON_3_6 = 0x0306,
	CPYTHON_3_7,
	CPYTHON_3_8,
	CPYTHON_3_9,
	CPYTHON_3_10,
	CPYTHON_3_11,
	CPYTHON_3_12,
	CPYTHON_3_13,
	CPYTHON_3_14,
	CPYTHON_3_15,
};

/* PyCodeObject. */
struct cpython_code_layout {
	uint32_t firstlineno;
	uint32_t filename, name, qualname; /* unicode; qualname from 3.11 */
	uint32_t lines;			   /* bytes: co_lnotab up to 3.9, then co_linetable */
	uint32_t adaptive;		   /* co_code_adaptive, the byte code itself, from 3.11 */
	uint32_t firsttraceable;	   /* _co_firsttraceable, int, in code units; from 3.11 */
	uint32_t version;		   /* co_version, 32 bits; from 3.12 */
	uint32_t tlbc;			   /* co_tlbc, of a free-threaded 3.14 and later */
};

/* PyASCIIObject, PyCompactUnicodeObject; PyBytesObject; PyObject and PyVarObject. */
struct cpython_object_layout {
	uint32_t type;				     /* ob_type */
	uint32_t var_size;			     /* ob_size, 64 bits */
	uint32_t bytes_hash, bytes_data;	     /* ob_shash, ob_sval */
	uint32_t text_length, text_hash, text_state; /* length and hash: 64 bits */
	uint32_t text_ascii, text_compact;	     /* sizes: where the characters begin */
	uint32_t type_name;			     /* PyTypeObject.tp_name */
};

/* _PyInterpreterFrame, or PyFrameObject up to 3.10. */
struct cpython_frame_layout {
	uint32_t size; /* what is copied of it; up to 3.10 of the object's head */
	uint32_t code; /* f_code, f_executable */
	uint32_t previous;
	uint32_t at;	   /* f_lasti (32 bits) up to 3.10; prev_instr; instr_ptr from 3.13 */
	uint32_t owner;	   /* one byte; from 3.11 */
	uint32_t is_entry; /* one byte; 3.11 only */
	uint32_t tlbc;	   /* tlbc_index, 32 bits, of a free-threaded 3.14 and later */
};

/* PyThreadState. */
struct cpython_thread_layout {
	uint32_t size; /* what is copied of it: to the end of the last field used */
	uint32_t prev, next, interp;
	uint32_t id;		   /* thread_id: pthread_self(3) */
	uint32_t native_id;	   /* native_thread_id, 64 bits; from 3.11 */
	uint32_t frame;		   /* frame, current_frame; none in 3.11 and 3.12 */
	uint32_t cframe;	   /* the newest CFrame, 3.10 to 3.12 */
	uint32_t root_cframe;	   /* the oldest one, itself */
	uint32_t chunk, chunk_top; /* datastack_chunk, datastack_top; from 3.11 */
	uint32_t holds_gil;	   /* 32 bits; 3.15 */
	uint32_t gil_requested;	   /* 32 bits; 3.15 */
};

/* PyInterpreterState. */
struct cpython_interp_layout {
	uint32_t next;
	uint32_t threads; /* the first thread state */
	uint32_t gil;	  /* a pointer to struct _gil_runtime_state; from 3.12 */
};

/* _PyRuntimeState; for 3.6 the addresses are in struct cpython instead. */
struct cpython_runtime_layout {
	uint32_t interpreters; /* the first interpreter */
	uint32_t gil;	       /* struct _gil_runtime_state itself; up to 3.11 */
};

/* All members, also of members, are uint32_t (releases.c counts on it). */
struct cpython_layout {
	struct cpython_runtime_layout runtime;
	struct cpython_interp_layout interp;
	struct cpython_thread_layout thread;
	struct cpython_frame_layout frame;
	struct cpython_code_layout code;
	struct cpython_object_layout object;
	uint32_t cframe_current, cframe_previous; /* _PyCFrame */
	uint32_t gil_holder, gil_locked; /* in struct _gil_runtime_state: last_holder, locked */
};

struct cpython {
	char name[48];	  /* first: see struct interp_ops */
	uint16_t version; /* CPYTHON_3_6 …, also of releases later than those named */
	bool free_threaded;
	bool is_new; /* later than those named */

	/* Addresses in the process; 0: there is none, or it is not known. */
	uint64_t head;		 /* of the pointer to the first interpreter */
	uint64_t main;		 /* the main interpreter; the last on the list */
	uint64_t code_type;	 /* PyCode_Type; always known */
	uint64_t gil;		 /* struct _gil_runtime_state, up to 3.11 */
	uint64_t loop, loop_end; /* _PyEval_EvalFrameDefault without its cold part, up to 3.9 */

	/* Of asyncio, once its module was mapped (task.c): in the lower half where a thread's state
	 * has the running task, in the upper one where a task has its name; 0: not known. */
	_Atomic uint64_t asyncio;

	struct cpython_layout layout;
};

#endif
