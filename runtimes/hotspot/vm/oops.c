/* Where the VM keeps base and shift has had three names since JDK 8; the first one that its tables
 * have is read. Colours are checked against ZGC's mask at each reference. */
#include "runtimes/hotspot/vm/oops.h"

#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "base/utf8.h"
#include "runtimes/hotspot/vm/javatext.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum {
	MARK_KLASS = 42, /* with compact headers the class is in the mark word from this bit on */
	MARK_BITS = 3,
	MARK_FORWARDED = 3, /* then it has the object's new address */
	KLASS_AT = 8,	    /* else behind it */
	UNITS_MAX = 64,	    /* of a text: longer ones are cut */
	UTF16 = 1,	    /* String.coder */
	/* The first release whose arrays of bytes begin right behind the length. */
	DENSE_ARRAYS = 23,
	Z_GENERATIONS = 24, /* from this one on ZGC always has generations */
};

#define PLACE(KIND, T, F, AT) { KIND, T, F, offsetof(struct hotspot_oop_layout, AT), false }

static const struct vmplace z_places[] = {
	PLACE(VMPLACE_ADDRESS, "ZGlobalsForVMStructs", "_instance_p", z_globals),
	PLACE(VMPLACE_OFFSET, "ZGlobalsForVMStructs", "_ZPointerLoadBadMask", z_bad_mask),
	PLACE(VMPLACE_OFFSET, "ZGlobalsForVMStructs", "_ZPointerLoadShift", z_shift),
	PLACE(VMPLACE_OFFSET, "ZGlobalsForVMStructs", "_ZAddressBadMask", z_address_bad_mask),
	PLACE(VMPLACE_ADDRESS, "XGlobalsForVMStructs", "_instance_p", x_globals),
	PLACE(VMPLACE_OFFSET, "XGlobalsForVMStructs", "_XAddressBadMask", x_address_bad_mask),
};

/* What each variable is called from JDK 8 to 27. Of several names for one, the first that the VM's
 * tables have counts. */
static const struct vmplace variables[] = {
	PLACE(VMPLACE_ADDRESS, "CompressedOops", "_base", oop_base),
	PLACE(VMPLACE_ADDRESS, "CompressedOops", "_narrow_oop._base", oop_base),
	PLACE(VMPLACE_ADDRESS, "Universe", "_narrow_oop._base", oop_base),
	PLACE(VMPLACE_ADDRESS, "CompressedOops", "_shift", oop_shift),
	PLACE(VMPLACE_ADDRESS, "CompressedOops", "_narrow_oop._shift", oop_shift),
	PLACE(VMPLACE_ADDRESS, "Universe", "_narrow_oop._shift", oop_shift),
	PLACE(VMPLACE_ADDRESS, "CompressedKlassPointers", "_base", klass_base),
	PLACE(VMPLACE_ADDRESS, "CompressedKlassPointers", "_narrow_klass._base", klass_base),
	PLACE(VMPLACE_ADDRESS, "Universe", "_narrow_klass._base", klass_base),
	PLACE(VMPLACE_ADDRESS, "CompressedKlassPointers", "_shift", klass_shift),
	PLACE(VMPLACE_ADDRESS, "CompressedKlassPointers", "_narrow_klass._shift", klass_shift),
	PLACE(VMPLACE_ADDRESS, "Universe", "_narrow_klass._shift", klass_shift),
	PLACE(VMPLACE_ADDRESS, "vmClasses",
	      "_klasses[static_cast<int>(vmClassID::Thread_klass_knum)]", thread_klass),
	PLACE(VMPLACE_ADDRESS, "SystemDictionary",
	      "_well_known_klasses[SystemDictionary::Thread_klass_knum]", thread_klass),
	PLACE(VMPLACE_ADDRESS, "SystemDictionary",
	      "_well_known_klasses[SystemDictionary::WK_KLASS_ENUM_NAME(Thread_klass)]",
	      thread_klass),
	PLACE(VMPLACE_ADDRESS, "vmClasses",
	      "_klasses[static_cast<int>(vmClassID::String_klass_knum)]", string_klass),
	PLACE(VMPLACE_ADDRESS, "SystemDictionary",
	      "_well_known_klasses[SystemDictionary::String_klass_knum]", string_klass),
	PLACE(VMPLACE_ADDRESS, "SystemDictionary",
	      "_well_known_klasses[SystemDictionary::WK_KLASS_ENUM_NAME(String_klass)]",
	      string_klass),
};

int hotspot_oops_init(const struct hotspot *hs, struct hotspot_oops *o)
{
	int rc = vmstructs_resolve(hs->tables, z_places, sizeof(z_places) / sizeof(*z_places),
				   &o->l, NULL);
	struct vmfield f;

	for (size_t i = sizeof(variables) / sizeof(*variables); i--;)
		if (vmstructs_field(hs->tables, variables[i].type, variables[i].name, &f) &&
		    f.is_static)
			memcpy((char *)&o->l + variables[i].at, &f.offset, sizeof(f.offset));
	return rc ? rc : hotspot_fields_init(hs, &o->fields);
}

enum oops_flag { OOPS, KLASSES, COMPACT, ZGC, Z_GENERATIONAL, FLAGS };

static bool read_shift(const struct hotspot *hs, uint64_t addr, uint32_t *shift)
{
	return addr && !hs->memory->read(hs->memory, addr, shift, sizeof(*shift)) && *shift < 32;
}

static bool take_compression(const struct hotspot *hs, struct hotspot_oops *o,
			     const bool flags[FLAGS])
{
	o->narrow = flags[OOPS];
	o->compact = flags[COMPACT];
	o->narrow_klass = flags[KLASSES] || flags[COMPACT];
	if (o->narrow && (!o->l.oop_base || memory_read_u64(hs->memory, o->l.oop_base, &o->base) ||
			  !read_shift(hs, o->l.oop_shift, &o->shift)))
		return false;
	return !o->narrow_klass ||
	       (o->l.klass_base && !memory_read_u64(hs->memory, o->l.klass_base, &o->klass_base) &&
		read_shift(hs, o->l.klass_shift, &o->klass_shift));
}

/* Where ZGC without generations keeps which colours are bad; 0: not known. */
static uint64_t oops_tint_mask(const struct hotspot *hs, const struct hotspot_oop_layout *l)
{
	uint64_t variable = l->x_globals ? l->x_globals : l->z_globals, globals, mask;
	int32_t at = l->x_globals ? l->x_address_bad_mask : l->z_address_bad_mask;

	return variable && at >= 0 && !memory_read_u64(hs->memory, variable, &globals) && globals &&
			       !memory_read_u64(hs->memory, globals + (uint64_t)at, &mask) ?
		       mask :
		       0;
}

static bool take_colours(const struct hotspot *hs, struct hotspot_oops *o, const bool flags[FLAGS])
{
	uint64_t globals;

	o->coloured = flags[ZGC] && (flags[Z_GENERATIONAL] || hs->release >= Z_GENERATIONS);
	o->tinted = flags[ZGC] && !o->coloured;
	if (o->tinted)
		o->tint_mask = oops_tint_mask(hs, &o->l);
	if (!o->coloured)
		return true;
	return o->l.z_globals && o->l.z_bad_mask >= 0 && o->l.z_shift >= 0 &&
	       !memory_read_u64(hs->memory, o->l.z_globals, &globals) && globals &&
	       !memory_read_u64(hs->memory, globals + (uint64_t)o->l.z_bad_mask, &o->bad_mask) &&
	       !memory_read_u64(hs->memory, globals + (uint64_t)o->l.z_shift, &o->colour_shift);
}

static void take_arrays(const struct hotspot *hs, struct hotspot_oops *o)
{
	o->array_length = o->compact ? 8 : o->narrow_klass ? 12 : 16;
	o->array_data = o->array_length + 4;
	if (o->array_data % 8 && !o->compact && hs->release < DENSE_ARRAYS)
		o->array_data += 4;
}

static bool oops_take_fields(const struct hotspot *hs, struct hotspot_oops *o)
{
	const struct hotspot_field_layout *l = &o->fields;
	bool bytes;

	o->thread_name = hotspot_field_find(hs, l, o->thread, "name", "Ljava/lang/String;");
	if (o->thread_name < 0) /* JDK 8 up to an update: a char[] */
		return false;
	o->string_value = hotspot_field_find(hs, l, o->string, "value", "[B");
	bytes = o->string_value >= 0;
	if (!bytes)
		o->string_value = hotspot_field_find(hs, l, o->string, "value", "[C");
	o->string_coder = bytes ? hotspot_field_find(hs, l, o->string, "coder", "B") : -1;
	return o->string_value >= 0 && (!bytes || o->string_coder >= 0);
}

bool hotspot_oops_ready(const struct hotspot *hs, struct hotspot_oops *o)
{
	static const char *const names[FLAGS] = { "UseCompressedOops", "UseCompressedClassPointers",
						  "UseCompactObjectHeaders", "UseZGC",
						  "ZGenerational" };
	bool flags[FLAGS];

	if (o->ready)
		return true;
	if (!o->l.thread_klass || !o->l.string_klass ||
	    memory_read_u64(hs->memory, o->l.thread_klass, &o->thread) || !o->thread ||
	    memory_read_u64(hs->memory, o->l.string_klass, &o->string) || !o->string ||
	    hotspot_flags_read(hs, &o->fields, names, flags, FLAGS) ||
	    !take_compression(hs, o, flags) || !take_colours(hs, o, flags))
		return false;
	take_arrays(hs, o);
	o->ready = oops_take_fields(hs, o);
	return o->ready;
}

/* The address behind a reference of 8 bytes. */
static bool uncolour(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t value,
		     uint64_t *oop)
{
	uint64_t bad, shift;

	*oop = value;
	if (!o->coloured)
		return value;
	if (memory_read_u64(hs->memory, o->bad_mask, &bad) || value & bad ||
	    memory_read_u64(hs->memory, o->colour_shift, &shift) || shift > 63)
		return false;
	*oop = value >> shift;
	return *oop;
}

bool hotspot_oop_at(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t slot,
		    uint64_t *oop)
{
	uint64_t value;

	return slot && !memory_read_u64(hs->memory, slot, &value) && uncolour(hs, o, value, oop);
}

bool hotspot_oop_stale_at(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t slot,
			  uint64_t *oop)
{
	uint64_t shift = 0;

	if (!slot || memory_read_u64(hs->memory, slot, oop) ||
	    (o->coloured && memory_read_u64(hs->memory, o->colour_shift, &shift)) || shift > 63)
		return false;
	*oop >>= shift;
	return *oop;
}

bool hotspot_oop_is_good(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t oop)
{
	uint64_t bad;

	return !o->tinted ||
	       (o->tint_mask && !memory_read_u64(hs->memory, o->tint_mask, &bad) && !(oop & bad));
}

bool hotspot_oop_field(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t slot,
		       uint64_t *oop)
{
	uint32_t narrow;

	if (!o->narrow)
		return hotspot_oop_at(hs, o, slot, oop);
	if (hs->memory->read(hs->memory, slot, &narrow, sizeof(narrow)) || !narrow)
		return false;
	*oop = o->base + ((uint64_t)narrow << o->shift);
	return true;
}

bool hotspot_oop_class(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t oop,
		       uint64_t *klass)
{
	uint64_t header[2];

	if (oop % 8 || hs->memory->read(hs->memory, oop, header, sizeof(header)))
		return false;
	if (o->compact && (header[0] & MARK_BITS) == MARK_FORWARDED)
		return false;
	*klass = header[KLASS_AT / 8];
	if (o->compact)
		*klass = o->klass_base + (header[0] >> MARK_KLASS << o->klass_shift);
	else if (o->narrow_klass)
		*klass = o->klass_base + ((*klass & UINT32_MAX) << o->klass_shift);
	return true;
}

static bool is_string(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t oop)
{
	uint64_t klass;

	return hotspot_oop_class(hs, o, oop, &klass) && klass == o->string;
}

/* Puts as many whole characters as fit. */
static void oops_cut(char *text, size_t room, const char *all, size_t len)
{
	len = utf8_fit(all, len, room - 1);
	memcpy(text, all, len);
	text[len] = '\0';
}

bool hotspot_oop_text(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t oop,
		      char *text, size_t room)
{
	char all[UNITS_MAX * JAVATEXT_GROWTH + 1];
	uint8_t coder = UTF16;
	uint16_t units[UNITS_MAX];
	uint64_t array;
	uint32_t length, width;

	if (!is_string(hs, o, oop) ||
	    !hotspot_oop_field(hs, o, oop + (uint64_t)o->string_value, &array) ||
	    (o->string_coder >= 0 && hs->memory->read(hs->memory, oop + (uint64_t)o->string_coder,
						      &coder, sizeof(coder))) ||
	    coder > UTF16 ||
	    hs->memory->read(hs->memory, array + o->array_length, &length, sizeof(length)) ||
	    length > INT32_MAX)
		return false;
	width = coder == UTF16 ? 2 : 1;
	length = o->string_coder >= 0 ? length / width : length;
	length = length < UNITS_MAX ? length : UNITS_MAX;
	if (length && hs->memory->read(hs->memory, array + o->array_data, units, length * width))
		return false;
	length = (uint32_t)(coder == UTF16 ? javatext_utf16(units, length, all) :
					     javatext_latin1((const uint8_t *)units, length, all));
	oops_cut(text, room, all, length);
	return is_string(hs, o, oop);
}
