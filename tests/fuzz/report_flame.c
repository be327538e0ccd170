// links: pprof/flame pprof/otlp pprof/wire
/*
 * Four bytes that choose a view, then pprof bytes: folded stacks, speedscope files, flame
 * graphs and OTLP of any profile that decodes. Folded lines have values that add up to the samples;
 * in a page the data end where they should.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/flame/difference.h"
#include "pprof/flame/reports.h"
#include "pprof/otlp/otlp.h"
#include "pprof/profile.h"
#include "pprof/wire/decode.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 4, TEXT_WORTH = 8 << 20 };

static struct report_view view_of(const uint8_t head[HEAD], const struct profile *p)
{
	return (struct report_view){ .type = head[0] % p->type_count,
				     .by = (enum report_by)(head[1] % (REPORT_BY_THREAD + 1)) };
}

/* Unit tests check the limits for more text; its time is worth more on other inputs. */
static bool is_much(const struct profile *p)
{
	size_t longest = 0,
	       times = p->stack_count + p->line_count + p->sample_count + p->location_count;

	for (uint32_t i = 0; i < p->strings.count; i++)
		if (p->strings.entries[i].len > longest)
			longest = p->strings.entries[i].len;
	for (size_t i = 0; i < p->stack_count; i++)
		times += p->locations[p->stack[i] - 1].lines;
	return times * (longest + 100) > TEXT_WORTH;
}

static char *text_of(report_writer *write, const struct profile *p, const struct report_view *v)
{
	struct buffer text = { 0 };

	must(write(p, v, &text, NULL) == 0);
	must(buffer_add(&text, "", 1) == 0);
	must(strlen((char *)text.data) == text.len - 1 || write == report_folded);
	return (char *)text.data;
}

/* False on overflow: the writer's sums saturate. */
static bool sum_of(const struct profile *p, size_t type, int64_t *sum)
{
	for (size_t i = 0; i < p->sample_count; i++)
		if (__builtin_add_overflow(*sum, p->values[p->samples[i].first_value + type], sum))
			return false;
	return true;
}

static void check_folded(const struct profile *p, const struct report_view *v)
{
	char *text = text_of(report_folded, p, v), *line = text;
	int64_t sum = 0, expected = 0;
	bool small = !difference_detect(p, v->type) && sum_of(p, v->type, &expected);

	for (char *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		must(strrchr(line, ' ') && strlen(strrchr(line, ' ')) > 1);
		if (small)
			sum += strtoll(strrchr(line, ' '), NULL, 10);
	}
	must(!*line);
	must(!small || sum == expected);
	free(text);
}

static size_t count_of(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void check_page(report_writer *write, const struct profile *p, const struct report_view *v)
{
	char *text = text_of(write, p, v);
	char *data = strstr(text, "id=\"data\">");
	size_t len;

	must(data && count_of(text, "</script") == 2);
	data += strlen("id=\"data\">");
	len = strcspn(data, "<>&");
	must(!strncmp(data + len, "</script>", 9) && data[0] == '{' && data[len - 1] == '}');
	free(text);
}

/* tests/profiles/otlp.test reads what is written here. */
static void check_otlp(const struct profile *p)
{
	struct buffer message = { 0 };

	must(otlp_encode(p, &(struct otlp_origin){ 0 }, &message, NULL) == 0);
	buffer_release(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report_view v;
	struct profile p;

	if (size < HEAD)
		return 0;
	must(profile_init(&p) == 0);
	if (profile_decode(&p, data + HEAD, size - HEAD, NULL) == 0 && p.type_count &&
	    !is_much(&p)) {
		v = view_of(data, &p);
		check_folded(&p, &v);
		free(text_of(report_speedscope, &p, &v));
		check_page(report_flamegraph_html, &p, &v);
		check_page(report_flamegraph_svg, &p, &v);
		check_otlp(&p);
	}
	profile_release(&p);
	return 0;
}
