/*
 * What the page shows: the profile, which of its samples and frames, and their values in words and
 * colours. controls.js has the elements that change it.
 *
 * A filter of samples (thread, labels, focus) only adds up anew; hidden frames make another tree.
 */
"use strict";

const head = JSON.parse(document.getElementById("data").textContent);
const page = document.documentElement;
const darkScheme = matchMedia("(prefers-color-scheme: dark)");
const HUES = 15, NEXT_HUE = 4;		/* as in pprof/flame/colour.c */
const PICKED_MAX = 200;			/* values of a label in a picker */
/* Of a difference: the side that is shown, and whether it is compared with the other. */
const SIDES = [["change, as wide as new", 1, true], ["change, as wide as base", -1, true],
	       ["new", 1, false], ["base", -1, false]];

/* thread, file: "" for all. labels: [key, value]. focus, hide: frames. */
const firstState = () => ({ type: head.type, side: 0, thread: "", file: "", labels: [], focus: [], hide: [],
			    idle: false, zoom: 0, flames: false, search: "", sandwich: -1, table: undefined });
let state = firstState();
let profile, frames, labels, idle, isDifference, tree, functions, others, weights, all;
let selected = -1;

const typeName = t => profile.strings[profile.types[t].type];
const unitOf = t => profile.strings[profile.types[t].unit];
const value = v => words(v, unitOf(state.type));
const isCompared = () => isDifference && SIDES[state.side][2];
const nameOf = f => f >= 0 ? frames.list[f].name : "all";

function readAll(bytes) {
	profile = readProfile(bytes);
	frames = new Frames(profile, head.by);
	labels = frames.labels;
	idle = idleThreads(profile, labels);
	isDifference = labels.bases.includes(true) || profile.values.some(v => v < 0);
}

/* ---- Which samples, which frames ---- */

/* By set of labels: is it shown? */
function shownSets() {
	const has = (set, key, text) => set.some(l => l.key === key && l.value === text);
	const keys = [...new Set(state.labels.map(l => l[0]))];
	return labels.sets.map((set, i) =>
		(!state.file || has(set, FILE_KEY, state.file)) &&
		(state.thread ? labels.threads[i] === state.thread : state.idle || !idle.has(labels.threads[i])) &&
		keys.every(key => state.labels.some(l => l[0] === key && has(set, key, l[1]))));
}

function calls(s, f) {
	for (let i = frames.at[s]; i < frames.at[s + 1]; i++)
		if (frames.stack[i] === f)
			return true;
	return false;
}

/* The samples' values on a side, 1 or -1, 0 for what is not shown; unfiltered: for the pickers. */
function weigh(side, unfiltered) {
	const types = profile.types.length, out = new Float64Array(frames.at.length - 1);
	const sets = unfiltered ? null : shownSets();
	for (let s = 0; s < out.length; s++) {
		const v = profile.values[s * types + state.type];
		if (!isDifference)
			out[s] = v;
		else if (v * side > 0)
			out[s] = Math.abs(v);
		if (sets && out[s] && !(sets[labels.set[s]] && state.focus.every(f => calls(s, f))))
			out[s] = 0;
	}
	return out;
}

const sumOf = values => values.reduce((a, b) => a + b, 0);

function takeWeights() {
	const side = isDifference ? SIDES[state.side][1] : 1;
	weights = weigh(side, false);
	others = isCompared() ? weigh(-side, false) : null;
	all = sumOf(weigh(side, true));
}

let hiddenKey = null;

/* The tree of all stacks. It is made anew when other frames are hidden. */
function takeTree() {
	const key = state.hide.join();
	if (key !== hiddenKey) {
		const isHidden = new Uint8Array(frames.list.length);
		state.hide.forEach(f => { isHidden[f] = 1; });
		tree = new Tree(frames, ROOT, s => wholeStack(frames, s), isHidden);
		hiddenKey = key;
	}
	takeWeights();
	tree.sum(weights, others);
	functions = tree.functions(tree.self, tree.total);
	functions.other = others && tree.functions(tree.leafSums(others), tree.other);
}

/* The callers or the callees of a function. */
function callTree(f, outwards) {
	const isHidden = new Uint8Array(frames.list.length);
	state.hide.forEach(h => { isHidden[h] = 1; });
	const t = new Tree(frames, f, s => callPath(frames, s, f, outwards), isHidden);
	t.sum(weights, others);
	return t;
}

/* ---- Values in words ---- */

/* Of a comparison: new and base. */
const sidesOf = (mine, other) => SIDES[state.side][1] > 0 ? [mine, other] : [other, mine];

/* What became of it, -1 (gone) to 1 (new). */
function change(now, before) {
	const more = Math.max(now, before);
	return more ? (now - before) / more : 0;
}

function changeWords(now, before) {
	const sign = now >= before ? "+" : "−";
	const relative = before ? ` (${sign}${share(Math.abs(now - before), before)})` : " (new)";
	return now === before ? "the same" : sign + value(Math.abs(now - before)) + relative;
}

const NO_FRAME = { name: "all", file: "", module: "", line: 0 };
const frameOf = (t, i) => frames.list[t.frame[i]] || NO_FRAME;
const placeOf = f => f.file && f.line > 0 ? f.file + ":" + f.line : f.file;

/* In one line, for the foot of the page and for who listens to it. */
function sentence(graph, i) {
	const t = graph.tree, f = frameOf(t, i), v = t.total[i];
	const parts = [f.name, t.other ? `${value(v)}, ${changeWords(...sidesOf(v, t.other[i]))}` :
		`${value(v)}, ${share(v, tree.total[0])} of all`];
	if (graph.isZoomed(i) && i !== graph.zoom)
		parts.push(share(v, t.total[graph.zoom]) + " of " + nameOf(t.frame[graph.zoom]));
	return parts.concat(placeOf(f), baseName(f.module)).filter(Boolean).join(" · ");
}

/* The rows of the details: what, value, shares. */
function detailRows(graph, i) {
	const t = graph.tree, f = t.frame[i], whole = tree.total[0];
	if (t.other) {
		const now = sidesOf(t.total[i], t.other[i]), sums = sidesOf(whole, tree.other[0]);
		return [["new", value(now[0]), share(now[0], sums[0]) + " of new"],
			["base", value(now[1]), share(now[1], sums[1]) + " of base"],
			["change", changeWords(...now)]];
	}
	const rows = [["total", t.total[i]]];
	if (t.self[i] && t.self[i] !== t.total[i])
		rows.push(["self", t.self[i]]);
	if (f >= 0 && functions.total[f] > t.total[i])
		rows.push(["everywhere", functions.total[f]]);
	return rows.map(([label, v]) => [label, value(v), share(v, whole) + " of all",
		graph.isZoomed(i) && label !== "everywhere" ?
			`${share(v, t.total[graph.zoom])} of ${shorten(nameOf(t.frame[graph.zoom])).at(-1)}` : ""]);
}

function headline() {
	const sums = isCompared() ? sidesOf(tree.total[0], tree.other[0]) : null, whole = tree.total[0];
	const isPart = whole < all, parts = [];
	const duration = isDifference || state.file ? 0 : profile.duration;	/* all together */
	parts.push(`${typeName(state.type)} ` + (sums ? `new ${value(sums[0])}, base ${value(sums[1])}` :
		value(whole) + (isPart ? ` of ${value(all)}` : "")) +
		(duration > 0 ? " in " + words(duration, "nanoseconds") : ""));
	if (profile.time > 0 && profile.time < 8e21)	/* what a Date can hold */
		parts.push(new Date(profile.time / 1e6).toISOString().slice(0, 19).replace("T", " ") + " UTC");
	parts.push(`${tree.shown().toLocaleString("en-US")} frames`);
	if (frames.cut + tree.cut)
		parts.push(`${(frames.cut + tree.cut).toLocaleString("en-US")} samples cut: ` +
			"their stacks are too many for a page");
	return parts.join(" · ");
}

/* ---- Colours ---- */

const isDark = () => page.dataset.theme ? page.dataset.theme === "dark" : darkScheme.matches;
const inks = {};
let fills = [], hues = new Map();

const ownerOf = f => f.module || f.file;

/* FNV-1a of the UTF-8 bytes, as in colour.c. */
function hashOf(text) {
	let h = 2166136261;
	for (const byte of new TextEncoder().encode(text))
		h = Math.imul(h ^ byte, 16777619);
	return (h ^ h >>> 15) >>> 0;
}

/* A hue for each module, the same in every profile. If two have the same one, the module that spends
 * less takes the next that is free. */
function takeHues() {
	const sums = new Map(), taken = new Set();
	frames.list.forEach((f, i) => sums.set(ownerOf(f), (sums.get(ownerOf(f)) || 0) + functions.self[i]));
	hues = new Map();
	for (const [owner, sum] of [...sums].sort((a, b) => b[1] - a[1])) {
		let hue = hashOf(baseName(owner)) % HUES;
		for (let tries = 0; tries < HUES && sum && taken.has(hue); tries++)
			hue = (hue + NEXT_HUE) % HUES;
		if (sum)
			taken.add(hue);
		hues.set(owner, baseName(owner) ? hue * 360 / HUES : -1);
	}
}

function takeColours() {
	for (const name of ["line", "ink", "box-ink", "match", "match-ink", "focus", "accent"])
		inks[name] = getComputedStyle(page).getPropertyValue("--" + name).trim();
	fills = frames.list.map(f => hueColour(hues.get(ownerOf(f)), f.name, isDark()));
}

function colourOf(t, i) {
	const f = t.frame[i];
	if (f < 0)
		return inks.line;
	if (look.hits && look.hits[f])
		return inks.match;
	return t.other ? changeColour(change(...sidesOf(t.total[i], t.other[i])), isDark()) : fills[f];
}

/* The modules that are shown, by what they spend themselves, largest first. */
function modulesBySelf() {
	const sums = new Map();
	frames.list.forEach((f, i) => sums.set(f.module, (sums.get(f.module) || 0) + functions.self[i]));
	return [...sums].filter(([name, sum]) => name && sum > 0).sort((a, b) => b[1] - a[1]);
}

/* ---- Search ---- */

/* By frame: does it match? null: this is no regular expression. */
function matches(text) {
	const ofModule = text.startsWith("module:"), pattern = ofModule ? text.slice(7) : text;
	const flags = /\p{Lu}/u.test(pattern.replace(/\\./g, "")) ? "" : "i";
	try {
		const regex = new RegExp(pattern, flags);
		return frames.list.map(f => regex.test(ofModule ? f.module : f.name));
	} catch {
		return null;
	}
}
