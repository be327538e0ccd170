/*
 * Which part of the profile is shown, as its user sets it: pickers of profile, value, thread and
 * label, and a chip for each filter, which a click removes.
 */
"use strict";

function picker(label, changed) {
	const list = element("select", { onchange: () => changed(list.selectedIndex) });
	return element("label", {}, element("span", {}, label), list);
}

function setPicker(label, options, chosen) {
	const option = (o, i) => element("option", { selected: i === chosen, disabled: o === null }, o || "…");
	label.lastChild.replaceChildren(...options.map(option));
}

const fileNames = () => [...new Set(labels.sets.flat().filter(l => l.key === FILE_KEY).map(l => l.value))];

/* Threads by what they spend, the idle ones among them. */
let threadCache = [];	/* [thread, value] */
let labelCache = [];	/* [key, value], by the number of the option */
const threadOptions = () => threadCache.map(([name]) => name);

/* File names without the folders that all have, and without the same name at their ends. */
function shortFiles(names) {
	const parts = names.map(name => name.split("/"));
	const same = at => parts.every(p =>
		p.length > Math.abs(at) + (at < 0 ? 0 : 1) && p.at(at) === parts[0].at(at));
	let from = 0, to = 0;
	while (names.length > 1 && same(from))
		from++;
	while (names.length > 1 && same(-1 - to) && parts.every(p => p.length - to > from + 1))
		to++;
	return parts.map(p => p.slice(from, p.length - to).join("/"));
}

function fillPickers() {
	const sums = weigh(isDifference ? SIDES[state.side][1] : 1, true), files = fileNames();
	const withShare = ([text, sum]) => `${text} · ${share(sum, all)}`;
	threadCache = labels.valuesOf(sums, set => labels.threads[set] ? [labels.threads[set]] : []);
	const threads = threadCache.length;
	threadCache = threadCache.slice(0, PICKED_MAX);
	const more = threads > PICKED_MAX ? [`${threads - PICKED_MAX} smaller ones`] : [];
	ui.threads.hidden = threads < 2;
	setPicker(ui.threads, [`all ${threads} threads`, ...threadCache.map(withShare), ...more],
		  threadOptions().indexOf(state.thread) + 1);
	if (more.length)
		ui.threads.lastChild.lastChild.disabled = true;
	ui.sides.hidden = !isDifference && files.length < 2;
	setPicker(ui.sides, isDifference ? SIDES.map(s => s[0]) : ["all together", ...shortFiles(files)],
		  isDifference ? state.side : files.indexOf(state.file) + 1);
	ui.types.hidden = profile.types.length < 2;
	setPicker(ui.types, profile.types.map((_, t) => typeName(t)), state.type);
	fillLabels(sums);
}

const OWN_LABELS = ["thread", "tid", FILE_KEY, BASE_KEY];

function fillLabels(sums) {
	const keys = [...new Set(labels.sets.flat().map(l => l.key))].filter(k => !OWN_LABELS.includes(k)).sort();
	labelCache = [];
	ui.labels.hidden = !keys.length;
	ui.labels.lastChild.replaceChildren(element("option", { value: "" }, "any label"), ...keys.map(key => {
		const values = labels.valuesOf(sums, set => labels.sets[set].filter(l => l.key === key).map(l => l.value));
		const options = values.slice(0, PICKED_MAX).map(([v, sum]) => element("option",
			{ value: String(labelCache.push([key, v]) - 1) }, `${v} · ${share(sum, all)}`));
		if (values.length > PICKED_MAX)
			options.push(element("option", { disabled: true },
					     `${values.length - PICKED_MAX} smaller ones`));
		return element("optgroup", { label: key }, ...options);
	}));
}

function pickLabel(text) {
	const label = labelCache[Number(text)];
	if (text !== "" && label && !state.labels.some(l => l[0] === label[0] && l[1] === label[1]))
		update({ labels: [...state.labels, label] });
}

const without = (list, item) => list.filter(x => x !== item);

function drawChips() {
	const chips = [], chip = (text, onclick, title) => chips.push(button(text, onclick, title));
	if (idle.size && !state.thread) {
		const threads = `${idle.size} idle thread${idle.size > 1 ? "s" : ""}`;
		chip(state.idle ? `fold ${threads}` : `${threads} folded away: show`, toggleIdle,
		     "Threads that used less than a thousandth of the time as CPU time (i)");
	}
	for (const l of state.labels)
		chip(`${l[0]}: ${l[1]} ×`, () => update({ labels: without(state.labels, l) }), "Remove");
	for (const f of state.focus)
		chip(`focus: ${shorten(nameOf(f)).at(-1)} ×`, () => update({ focus: without(state.focus, f) }), nameOf(f));
	for (const f of state.hide)
		chip(`hidden: ${shorten(nameOf(f)).at(-1)} ×`, () => update({ hide: without(state.hide, f) }), nameOf(f));
	ui.chips.replaceChildren(...chips);
}

const toggleIdle = () => idle.size && update({ idle: !state.idle });
const focusOn = f => f >= 0 && !state.focus.includes(f) && update({ focus: [...state.focus, f] });
const undo = () => update({ thread: "", file: "", labels: [], focus: [], hide: [] });

function hide(f) {
	if (f < 0 || state.hide.includes(f))
		return;
	if (state.sandwich === f)
		state.sandwich = -1;
	update({ hide: [...state.hide, f], focus: without(state.focus, f) });
}

/* Changes the state; what was zoomed to is another frame then. */
function update(what) {
	Object.assign(state, what, { zoom: 0 });
	showAll();
	if (selected >= 0 && state.sandwich < 0)
		moveTo(selected);
	remember(true);
}

/* The next of several profiles; of the sample types if there is one profile. */
function step(by) {
	const list = ui.sides.hidden ? ui.types.lastChild : ui.sides.lastChild, n = list.length;
	list.selectedIndex = (list.selectedIndex + by + n) % n;
	list.dispatchEvent(new Event("change"));
}
