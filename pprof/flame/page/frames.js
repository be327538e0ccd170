/*
 * Samples as frames: what is the same frame is decided as in pprof/flame/frames.c, by function,
 * line, file, address, module or thread. Beside them: the samples' threads and labels, and which
 * threads are idle.
 */
"use strict";

const BY = { FUNCTION: 0, LINE: 1, FILE: 2, ADDRESS: 3, MODULE: 4, THREAD: 5 };
const ROOT = -2, CUT = -1;			/* in place of a frame */
const FILE_KEY = "sampler::file", BASE_KEY = "pprof::base";

class Frames {
	static MAX = 4e7;	/* of all samples; only a profile made to hurt has more */

	constructor(profile, by) {
		this.p = profile;
		this.by = by;
		this.list = [];		/* { name, file, module, line } */
		this.number = new Map();
		const of = profile.locations.map(l => this.ofLocation(l));
		this.labels = new Labels(profile);
		this.fill(of);
		this.rank();
	}

	add(name, file, module, line) {
		const key = `${name}\n${file}\n${module}\n${line}`;
		let n = this.number.get(key);
		if (n === undefined) {
			n = this.list.push({ name, file, module, line }) - 1;
			this.number.set(key, n);
		}
		return n;
	}

	unknown(l, module) {
		const m = this.p.mappings[l.mapping - 1];
		if (!module)
			return l.address ? "0x" + l.address.toString(16) : "<unknown>";
		if (!l.address)
			return `[${module}]`;
		const at = l.address >= m.start ? l.address - m.start + m.offset : l.address;
		return `[${module}]+0x${BigInt.asUintN(64, at).toString(16)}`;
	}

	name(l, fn, line, path) {
		const s = this.p.strings, module = baseName(path), file = fn ? s[fn.file] : "";
		const name = fn && s[fn.name || fn.systemName] || this.unknown(l, module);
		const where = name + (file && " " + file + (line && line.line ? ":" + line.line : ""));
		switch (this.by) {
		case BY.LINE: return where;
		case BY.ADDRESS: return l.address.toString(16).padStart(16, "0") + " " + where;
		case BY.MODULE: return module || (line ? "[no module]" : name);
		case BY.FILE: return file || (module ? `[${module}]` : this.unknown(l, module));
		default: return name;
		}
	}

	ofLine(l, line) {
		const by = this.by, fn = line && this.p.functions[line.fn - 1], m = this.p.mappings[l.mapping - 1];
		const path = m ? this.p.strings[m.file] : "", byCode = by !== BY.MODULE && by !== BY.FILE;
		const at = fn && byCode ? by === BY.LINE || by === BY.ADDRESS ? line.line : fn.start : 0;
		return this.add(this.name(l, fn, line, path), fn && by !== BY.MODULE ? this.p.strings[fn.file] : "",
				by === BY.FILE ? "" : path, at);
	}

	/* The frames of a location, outermost first. */
	ofLocation(l) {
		if (!l.lines.length)
			return [this.ofLine(l, undefined)];
		const lines = this.by === BY.MODULE ? l.lines.slice(-1) : l.lines;
		return lines.map(line => this.ofLine(l, line)).reverse();
	}

	/* stack: the frames of all samples, outermost first, those of sample i from at[i] on. */
	fill(of) {
		const { stacks, stackAt } = this.p, samples = stackAt.length - 1;
		const once = this.by === BY.MODULE || this.by === BY.FILE;
		let size = samples;	/* a thread for each */
		for (let i = 0; i < stacks.length; i++)
			size += of[stacks[i] - 1].length;
		this.stack = new Int32Array(Math.min(size, Frames.MAX + samples));
		this.at = new Int32Array(samples + 1);
		this.cut = 0;		/* samples without a stack, for want of room */
		let n = 0;
		for (let s = 0; s < samples; s++) {
			this.at[s] = n;
			if (this.by === BY.THREAD)
				this.stack[n++] = this.add(this.labels.threadOf(s) || "[no thread]", "", "", 0);
			if (this.isTooLong(of, s, n))
				continue;
			for (let i = stackAt[s + 1] - 1; i >= stackAt[s]; i--) {
				const frames = of[stacks[i] - 1];
				for (let j = 0; j < frames.length; j++)
					if (!once || n === this.at[s] || this.stack[n - 1] !== frames[j])
						this.stack[n++] = frames[j];
			}
		}
		this.at[samples] = n;
	}

	isTooLong(of, s, before) {
		const { stacks, stackAt } = this.p;
		for (let i = stackAt[s]; i < stackAt[s + 1]; i++)
			before += of[stacks[i] - 1].length;
		this.cut += before > Frames.MAX ? 1 : 0;
		return before > Frames.MAX;
	}

	/* byName: the frames in the order of their names, in which siblings stand. */
	rank() {
		this.byName = Int32Array.from(this.list.keys());
		this.byName.sort((a, b) => this.list[a].name < this.list[b].name ? -1 :
				 this.list[a].name > this.list[b].name ? 1 : a - b);
	}
}

/* Labels as texts, and what a sample's set of them says. */
class Labels {
	constructor(profile) {
		const s = profile.strings;
		this.set = profile.labelSet;
		this.sets = profile.sets.map(labels => labels.map(l => ({
			key: s[l.key], value: l.str ? s[l.str] : words(l.num, s[l.unit]), num: l.str ? 0 : l.num })));
		this.threads = this.sets.map(threadName);
		this.bases = this.sets.map(set => set.some(l => l.key === BASE_KEY && l.value === "true"));
	}

	threadOf(sample) { return this.threads[this.set[sample]]; }
	isBase(sample) { return this.bases[this.set[sample]]; }

	/* The values that a label has, by the weight of their samples, largest first. */
	valuesOf(weights, textsOf) {
		const sums = new Map();
		const perSet = new Float64Array(this.sets.length);
		for (let i = 0; i < this.set.length; i++)
			perSet[this.set[i]] += Math.abs(weights[i]);
		for (let set = 0; set < perSet.length; set++)
			for (const text of new Set(textsOf(set)))
				sums.set(text, (sums.get(text) || 0) + perSet[set]);
		return [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
	}
}

/* "redis-server (4711)"; "" if the labels name no thread. */
function threadName(labels) {
	const name = labels.find(l => l.key === "thread"), tid = labels.find(l => l.key === "tid");
	return name || tid ? (name ? name.value : "thread") + (tid ? ` (${tid.num})` : "") : "";
}

/* Does something own what a thread waits for? Idle threads of a pool wait for the rest. */
const isOwned = l => l.key === "waits_for" ||
	(l.key === "lock" && !/^(condition variable|semaphore) /.test(l.value));

/*
 * The idle threads of a profile of wall time: those that used less than a thousandth of it as CPU time.
 * One that waits for a lock is not idle. If all are idle, none is: then they are what is to be seen.
 */
function idleThreads(profile, labels) {
	const types = profile.types.map(t => profile.strings[t.type]), cpu = types.indexOf("cpu"),
	      wall = types.indexOf("wall"), spent = new Map();
	if (cpu < 0 || wall < 0)
		return new Set();
	for (let i = 0; i < labels.set.length; i++) {
		const at = i * types.length, thread = labels.threadOf(i);
		const busy = labels.sets[labels.set[i]].some(isOwned) ? Infinity :
			profile.values[at + cpu] * 1000 - profile.values[at + wall];
		spent.set(thread, (spent.get(thread) || 0) + busy);
	}
	spent.delete("");
	const idle = [...spent].filter(([, busy]) => busy < 0).map(([thread]) => thread);
	return new Set(idle.length < spent.size ? idle : []);
}
