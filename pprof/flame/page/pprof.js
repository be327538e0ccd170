/*
 * The profile in the page: profile.proto, gzip'd, in base64. Everything that the page shows is made
 * of it, so that the page holds its data once, and what is downloaded is what is shown.
 *
 * The bytes are those of pprof/wire/encode.c, which has checked them: numbers of mappings, functions
 * and locations are their places in the lists, plus 1, and all references lead somewhere.
 */
"use strict";

/* A message: number() and bytes() take the value of the field that next() has found. */
class Message {
	constructor(bytes, at, end) {
		this.data = bytes;
		this.at = at;
		this.end = end;
	}

	/* A varint. Ten bytes are a negative number (protobuf's int64). */
	number() {
		const from = this.at;
		let sum = 0, factor = 1, byte;
		do {
			byte = this.data[this.at++];
			sum += (byte & 127) * factor;
			factor *= 128;
		} while (byte > 127);
		return this.at - from < 10 ? sum : Number(BigInt.asIntN(64, this.big(from)));
	}

	big(from) {
		let sum = 0n;
		for (let i = from; i < this.at; i++)
			sum |= BigInt(this.data[i] & 127) << BigInt(7 * (i - from));
		return BigInt.asUintN(64, sum);
	}

	address() {
		const from = this.at;
		this.number();
		return this.big(from);
	}

	/* The next field's number, 0 at the end; this.packed tells whether a value is bytes. */
	next() {
		if (this.at >= this.end)
			return 0;
		const key = this.number();
		this.packed = (key & 7) === 2;
		return Math.floor(key / 8);
	}

	message() {
		const size = this.number(), at = this.at;
		this.at += size;
		return new Message(this.data, at, at + size);
	}

	text(decoder) {
		const part = this.message();
		return decoder.decode(this.data.subarray(part.at, part.end));
	}

	skip() {
		if (this.packed)
			this.message();
		else
			this.number();
	}

	/* Appends a repeated number, packed or not. */
	append(list) {
		if (!this.packed)
			return list.push(this.number());
		for (const part = this.message(); part.at < part.end;)
			list.push(part.number());
	}
}

/* Reads fields into an object: names[n] is what field n is called. */
function readFields(message, names) {
	const out = Object.fromEntries(names.filter(Boolean).map(name => [name, 0]));
	for (let field; (field = message.next());)
		if (names[field])
			out[names[field]] = message.number();
		else
			message.skip();
	return out;
}

function readLocation(message) {
	const l = { mapping: 0, address: 0n, lines: [] };
	for (let field; (field = message.next());)
		if (field === 2)
			l.mapping = message.number();
		else if (field === 3)
			l.address = message.address();
		else if (field === 4)
			l.lines.push(readFields(message.message(), ["", "fn", "line"]));
		else
			message.skip();
	return l;
}

/* Not by readFields, because of their number. */
function readLabel(message) {
	const l = { key: 0, str: 0, num: 0, unit: 0 };
	for (let field; (field = message.next());) {
		const v = message.number();
		if (field === 1) l.key = v;
		else if (field === 2) l.str = v;
		else if (field === 3) l.num = v;
		else l.unit = v;
	}
	return l;
}

function readSample(message, p) {
	const labels = [];
	p.stackAt.push(p.stacks.length);
	for (let field; (field = message.next());)
		if (field === 1)
			message.append(p.stacks);
		else if (field === 2)
			message.append(p.values);
		else if (field === 3)
			labels.push(readLabel(message.message()));
		else
			message.skip();
	p.labelSet.push(setOf(p, labels));
}

/* Samples with the same labels share a list of them. */
function setOf(p, labels) {
	const key = labels.map(l => `${l.key},${l.str},${l.num},${l.unit}`).join(";");
	let set = p.setOfKey.get(key);
	if (set === undefined) {
		set = p.sets.push(labels) - 1;
		p.setOfKey.set(key, set);
	}
	return set;
}

/* In `stacks` stand the locations of all samples, innermost first, in `values` their values, as many
 * for each as there are types. */
function readProfile(bytes) {
	const p = { types: [], stacks: [], stackAt: [], values: [], labelSet: [], sets: [], setOfKey: new Map(),
		    mappings: [], locations: [], functions: [], strings: [], comments: [], time: 0, duration: 0 };
	const message = new Message(bytes, 0, bytes.length), decoder = new TextDecoder();
	for (let field; (field = message.next());)
		switch (field) {
		case 1: p.types.push(readFields(message.message(), ["", "type", "unit"])); break;
		case 2: readSample(message.message(), p); break;
		case 3: p.mappings.push(readMapping(message.message())); break;
		case 4: p.locations.push(readLocation(message.message())); break;
		case 5: p.functions.push(readFields(message.message(),
				["", "", "name", "systemName", "file", "start"])); break;
		case 6: p.strings.push(printable(message.text(decoder))); break;
		case 9: p.time = message.number(); break;
		case 10: p.duration = message.number(); break;
		case 13: message.append(p.comments); break;
		default: message.skip();
		}
	p.stackAt.push(p.stacks.length);
	return p;
}

function readMapping(message) {
	const m = { start: 0n, offset: 0n, file: 0 };
	for (let field; (field = message.next());)
		if (field === 2 || field === 4)
			m[field === 2 ? "start" : "offset"] = message.address();
		else if (field === 5)
			m.file = message.number();
		else
			message.skip();
	return m;
}

function fromBase64(text) {
	const plain = atob(text), out = new Uint8Array(plain.length);
	for (let i = 0; i < plain.length; i++)
		out[i] = plain.charCodeAt(i);
	return out;
}

async function unzip(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}
