/*
 * What HotSpot tells debuggers about itself: where the fields of its classes are, how large the
 * classes are, and constants.
 *
 * libjvm exports the tables gHotSpotVMStructs, gHotSpotVMTypes, gHotSpotVMIntConstants and
 * gHotSpotVMLongConstants in every build, with how their entries are laid out (vmStructs.hpp). They
 * are found by these symbols, in whatever file is mapped, also in a launcher that libjvm is linked
 * into. They are read from the process, since the loader relocates them and the layout is written
 * by constructors.
 *
 * Rejected: tables of offsets by release in our own source. Builds differ, and the VM's own table
 * is always that of the VM at hand.
 */
#ifndef RUNTIMES_HOTSPOT_VM_VMSTRUCTS_H
#define RUNTIMES_HOTSPOT_VM_VMSTRUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct image;
struct memory;
struct vmstructs;

/* A field of a class. Texts are valid as long as the tables. */
struct vmfield {
	const char *type, *name;
	const char *type_string; /* of the field, as in C++; "" where the VM says nothing */
	bool is_static;
	uint64_t offset; /* in an object; of a static field, its address in the process */
};

/* The exported variables: for each table its address, the offsets in its entries, the name's first,
 * and the size of an entry. */
#define EACH_VMSYMBOL(F) \
	F(VMS_STRUCTS, "gHotSpotVMStructs") \
	F(VMS_STRUCT_TYPE_NAME, "gHotSpotVMStructEntryTypeNameOffset") \
	F(VMS_STRUCT_FIELD_NAME, "gHotSpotVMStructEntryFieldNameOffset") \
	F(VMS_STRUCT_TYPE_STRING, "gHotSpotVMStructEntryTypeStringOffset") \
	F(VMS_STRUCT_IS_STATIC, "gHotSpotVMStructEntryIsStaticOffset") \
	F(VMS_STRUCT_OFFSET, "gHotSpotVMStructEntryOffsetOffset") \
	F(VMS_STRUCT_ADDRESS, "gHotSpotVMStructEntryAddressOffset") \
	F(VMS_STRUCT_STRIDE, "gHotSpotVMStructEntryArrayStride") \
	F(VMS_TYPES, "gHotSpotVMTypes") \
	F(VMS_TYPE_NAME, "gHotSpotVMTypeEntryTypeNameOffset") \
	F(VMS_TYPE_SIZE, "gHotSpotVMTypeEntrySizeOffset") \
	F(VMS_TYPE_STRIDE, "gHotSpotVMTypeEntryArrayStride") \
	F(VMS_INTS, "gHotSpotVMIntConstants") \
	F(VMS_INT_NAME, "gHotSpotVMIntConstantEntryNameOffset") \
	F(VMS_INT_VALUE, "gHotSpotVMIntConstantEntryValueOffset") \
	F(VMS_INT_STRIDE, "gHotSpotVMIntConstantEntryArrayStride") \
	F(VMS_LONGS, "gHotSpotVMLongConstants") \
	F(VMS_LONG_NAME, "gHotSpotVMLongConstantEntryNameOffset") \
	F(VMS_LONG_VALUE, "gHotSpotVMLongConstantEntryValueOffset") \
	F(VMS_LONG_STRIDE, "gHotSpotVMLongConstantEntryArrayStride")

#define VMSYMBOL_NUMBER(number, name) number,

enum vmsymbol { EACH_VMSYMBOL(VMSYMBOL_NUMBER) VMS_SYMBOLS };

/* Where they are in the process. */
struct vmsymbols {
	uint64_t addr[VMS_SYMBOLS];
};

/* ERR_NOTFOUND: the file does not export them all. */
int vmstructs_find(const struct image *image, uint64_t bias, struct vmsymbols *symbols);

/* Reads the tables; the caller frees *v with vmstructs_free. ERR_BUSY: the constructors of libjvm
 * have not run yet; ERR_FORMAT; ERR_NOMEM. */
int vmstructs_read(const struct vmsymbols *symbols, const struct memory *memory,
		   struct vmstructs **v, struct error *why);
void vmstructs_free(struct vmstructs *v);

/* False: there is none. */
bool vmstructs_field(const struct vmstructs *v, const char *type, const char *name,
		     struct vmfield *field);

/* The statement of where in a layout of ours an offset, address, size or constant goes. */
enum vmplace_kind {
	VMPLACE_OFFSET,	 /* of a field: int32_t, -1 where there is none */
	VMPLACE_ADDRESS, /* of a static field: uint64_t, 0 where there is none */
	VMPLACE_SIZE,	 /* of a type: int32_t, -1 */
	VMPLACE_CONSTANT /* int32_t, -1 */
};

struct vmplace {
	enum vmplace_kind kind;
	const char *type, *name; /* a constant has only a name, a type has only a type */
	size_t at;		 /* in the layout */
	bool needed;
};

/* Fills a layout. ERR_FORMAT: something that is needed is missing, and *why says what. */
int vmstructs_resolve(const struct vmstructs *v, const struct vmplace *places, size_t count,
		      void *layout, struct error *why);

#endif
