/*
 * The elements of the page: how they are built, what they show, and its keys.
 */
"use strict";

const inSvg = page.namespaceURI === SVG;
const ui = {};
let main, callers, callees, functionTable, bytes;

/* What graphs ask and tell (graph.js). */
const look = {
	inks, hits: null, selected: -1,
	name: (t, i) => nameOf(t.frame[i]),
	colour: colourOf,
	sentence,
	pointed: showDetails,
	chosen: (graph, i) => select(graph.tree.frame[i], false),
	zoomed: graph => {
		if (graph === main)
			state.zoom = graph.zoom;
		ui.reset.disabled = !shownGraphs().some(g => g.zoom);
		remember(true);
	},
};

/* What the table asks and tells (table.js). */
const tableLook = {
	name: f => frames.list[f].name,
	number: (column, f) => functions.other ? Math.abs(columnChange(column, f)) : functions[column][f],
	cells: f => [...["self", "total"].map(column => numberCell(column, f)),
		     { text: nameInTable(frames.list[f].name), title: frames.list[f].name }],
	chosen: f => select(f, true),
	opened: f => sandwich(f),
};

/* With its scope, if that is short. */
function nameInTable(name) {
	const forms = shorten(name);
	return (forms.at(-2) || name).length <= 40 ? forms.at(-2) || name : forms.at(-1);
}

function columnChange(column, f) {
	const [now, before] = sidesOf(functions[column][f], functions.other[column][f]);
	return now - before;
}

function numberCell(column, f) {
	const v = functions[column][f];
	if (functions.other) {
		const more = columnChange(column, f);
		return { text: (more > 0 ? "+" : more < 0 ? "−" : "") + value(Math.abs(more)) };
	}
	const whole = tree.total[0], part = whole ? 100 * v / whole : 0;
	return v ? { text: `${value(v)} ${part.toFixed(1)}%`, bar: part + "%" } : { text: "0" };
}

const shownGraphs = () => state.sandwich >= 0 ? [callers, callees] : [main];
const activeGraph = () =>
	shownGraphs().find(g => g.scroller === document.activeElement) || shownGraphs().at(-1);

/* ---- Elements ---- */

const button = (text, onclick, title) =>
	element("button", { type: "button", title: title || false, onclick }, text);

function buildTools() {
	ui.search = element("input", {
		type: "search", placeholder: "Search ( / )", spellcheck: "false",
		"aria-label": "Search functions by regular expression; module: searches modules",
		oninput: () => search(ui.search.value, true), onkeydown: searchKey,
	});
	ui.found = element("span", { class: "found", role: "status" });
	ui.sides = picker("Profile", i => update(isDifference ? { side: i } : { file: fileNames()[i - 1] || "" }));
	ui.types = picker("Value", i => update({ type: i }));
	ui.threads = picker("Thread", i => update({ thread: threadOptions()[i - 1] || "" }));
	ui.labels = picker("Label", () => pickLabel(ui.labels.lastChild.value));
	ui.table = button("Table", toggleTable, "Functions (t)");
	ui.reset = button("Reset zoom", () => shownGraphs().forEach(g => g.zoomTo(0)), "All stacks (Escape)");
	ui.flip = button("Flip", flip, "Root on top, or at the bottom (r)");
	ui.theme = button("", nextTheme);
	ui.download = button("pprof", download, "Download the profile that is in this page (d)");
	ui.help = button("?", () => ui.keys.showModal(), "Keys (?)");
	ui.help.setAttribute("aria-label", "Keys");
	ui.download.prepend("↓ ");
	return element("div", { class: "tools", role: "toolbar", "aria-label": "Flame graph" },
		ui.search, ui.found, element("span", { class: "gap" }), ui.sides, ui.types, ui.threads, ui.labels,
		ui.reset, ui.flip, ui.table, ui.theme, ui.download, ui.help);
}

function buildActions() {
	ui.actions = [
		button("Focus", () => focusOn(selected), "Only stacks with this function (f)"),
		button("Hide", () => hide(selected), "Leave the function out; its callers take what it spends (h)"),
		button("Callers, callees", () => sandwich(selected), "Of the function, wherever it is called (s)"),
		button("Copy name", copyName, "The whole name (c)"),
		button("Copy stack", copyStack, "Innermost function first (C)"),
	];
	return element("div", { class: "actions", role: "toolbar", "aria-label": "Selected function" },
		       ...ui.actions);
}

// Comments of many runs are one line, as pprof/comments.c has it for tables.
function foldComments(comments) {
	const figures = ["samples: ", "rate: ", "unwound: ", "held: ", "cpu: "];
	const runs = Math.max(...figures.map(f => comments.filter(c => c.startsWith(f)).length));
	if (runs < 2)
		return comments.length > 40 ? [...comments.slice(0, 40), `and ${comments.length - 40} more`] : comments;
	const versions = comments.filter(c => /^sampler [0-9][^ ]*$/.test(c));
	return [`${versions.join(", ")}${versions.length ? ": " : ""}${runs} runs`];
}

function buildHeader() {
	ui.meta = element("p", { role: "status" });
	const header = element("header", {}, element("h1", {}, printable(head.title)), ui.meta);
	const comments = foldComments(profile.comments.map(c => profile.strings[c]));
	if (comments.length)
		header.append(element("details", {}, element("summary", {}, comments.join(" · ")),
				      element("ul", {}, ...comments.map(c => element("li", {}, c)))));
	return header;
}

const KEYS = [["arrows", "to callers, callees, neighbours"], ["Enter, click", "zoom to the frame"],
	["Backspace", "zoom out"], ["Escape", "out: of keys, callers and callees, zoom"],
	["/, Ctrl-F", "search; n and N: next and previous match"], ["t", "table of functions"],
	["s", "callers and callees of the selected function"], ["f", "focus: only stacks with it"],
	["h", "hide it: its callers take what it spends"], ["u", "undo all filters"],
	["[ and ]", "previous, next profile (or value, if there is one profile)"],
	["i", "show or fold idle threads"], ["r", "root on top or at the bottom"],
	["c, C", "copy the name, the stack"], ["d", "download the profile for pprof"], ["?", "these keys"]];

function buildKeys() {
	ui.keys = element("dialog", { "aria-label": "Keys", onclick: e => e.target === ui.keys && ui.keys.close() },
		element("table", {}, ...KEYS.map(([key, text]) => element("tr", {},
			element("th", { scope: "row" }, key), element("td", {}, text)))),
		element("form", { method: "dialog" }, element("button", {}, "Close")));
	return ui.keys;
}

function build() {
	main = new Graph(look, "Flame graph", "item");
	callers = new Graph(look, "Callers", "caller");
	callees = new Graph(look, "Callees", "callee");
	callers.flames = true;
	functionTable = new FunctionTable(tableLook);
	ui.status = element("div", { class: "status" });
	ui.legend = element("div", { class: "legend" });
	ui.chips = element("div", { class: "chips" });
	ui.details = element("div", { class: "details" });
	callers.box.append(element("div", { class: "caption" }, "callers"));
	callees.box.append(element("div", { class: "caption low" }, "callees"));
	ui.graphs = element("div", { class: "graphs" }, main.box, callers.box, callees.box);
	ui.side = element("aside", {}, functionTable.box, ui.details);
	ui.app = element("div", { id: "app" }, buildHeader(), buildTools(), ui.chips,
			 element("main", {}, ui.graphs, ui.side),
			 element("footer", {}, element("div", { class: "foot" }, ui.status, buildActions()),
				 ui.legend), buildKeys());
	if (!inSvg)
		return document.body.append(ui.app);
	const stage = document.createElementNS(SVG, "foreignObject");
	stage.setAttribute("width", "100%");
	stage.setAttribute("height", "100%");
	document.getElementById("picture").remove();
	page.removeAttribute("viewBox");
	page.setAttribute("width", "100%");
	page.setAttribute("height", "100%");
	stage.append(ui.app);
	page.append(stage);
}

/* ---- Showing ---- */

function showAll() {
	takeTree();
	takeHues();
	takeColours();
	fillPickers();
	drawChips();
	ui.meta.textContent = headline();
	drawLegend();
	functionTable.list(listed());
	showGraphs();
}

function showGraphs() {
	const both = state.sandwich >= 0;
	main.box.hidden = both;
	callers.box.hidden = callees.box.hidden = !both;
	ui.flip.disabled = both;
	ui.actions[2].setAttribute("aria-pressed", both);
	main.flames = state.flames;
	main.show(tree, state.zoom);
	if (both) {
		callers.show(callTree(state.sandwich, true), 0);
		callees.show(callTree(state.sandwich, false), 0);
		for (const g of [callers, callees])	/* the deeper one has more room */
			g.box.style.flexGrow = Math.min(Math.max(g.tallest + 1, 4), 40);
	}
	ui.flip.setAttribute("aria-pressed", state.flames);
	ui.reset.disabled = !shownGraphs().some(g => g.zoom);
	search(state.search, false, true);
}

function listed() {
	const out = [];
	for (let f = 0; f < frames.list.length; f++)
		if ((functions.total[f] > 0 || (functions.other && functions.other.total[f] > 0)) &&
		    (!look.hits || look.hits[f]))
			out.push(f);
	return out;
}

/* Selects a function. `move`: also in the graph, where it is widest. */
function select(f, move) {
	selected = look.selected = f;
	for (const b of ui.actions)
		b.disabled = f < 0;
	if (move && state.sandwich >= 0 && f !== state.sandwich)
		sandwich(f);
	else if (move && f >= 0)
		moveTo(f);
	functionTable.select(f);
	shownGraphs().forEach(g => g.draw());
}

function moveTo(f) {
	let best = -1;
	for (let i = 0; i < tree.count; i++)
		if (tree.frame[i] === f && tree.total[i] > 0 && (best < 0 || tree.total[i] > tree.total[best]))
			best = i;
	if (best < 0)
		return;
	if (best < main.zoom || best >= tree.end[main.zoom])
		main.zoomTo(0);
	main.scrollToRow(tree.depth[best]);
	main.focusOn(best);
}

/* Shows callers and callees of a function, or again all stacks. */
function sandwich(f) {
	state.sandwich = f === state.sandwich ? -1 : f;
	state.zoom = 0;
	showGraphs();
	if (state.sandwich >= 0)
		select(f, false);
	else if (selected >= 0)
		moveTo(selected);
	remember(true);
}

function showDetails(graph, i) {
	const f = frameOf(graph.tree, i);
	const rows = detailRows(graph, i).map(cells =>
		element("tr", {}, ...cells.filter(Boolean).map(c => element("td", {}, c))));
	ui.status.textContent = sentence(graph, i);
	ui.details.replaceChildren(element("b", {}, f.name),
		...[placeOf(f), f.module].filter(Boolean).map(text => element("div", {}, text)),
		element("table", {}, ...rows));
}

function drawLegend() {
	if (isCompared()) {
		const stops = [-1, -.5, 0, .5, 1].map(c => changeColour(c, isDark())).join(",");
		return ui.legend.replaceChildren(element("span", {}, "less than base",
			element("span", { class: "scale", style: `background:linear-gradient(90deg,${stops})` }),
			"more than base; full colour: gone, or new"));
	}
	ui.legend.replaceChildren(...modulesBySelf().slice(0, 12).map(([name, sum]) => element("button", {
		type: "button", title: name + ", its own share",
		onclick: () => search("module:" + literally(name), false),
	}, element("span", { class: "swatch", style: `background:${hueColour(hues.get(name), "", isDark())}` }),
	`${baseName(name)} ${share(sum, tree.total[0])}`)));
}

function search(text, typed, quietly) {
	const found = text ? matches(text) : null;
	state.search = text;
	if (!typed)
		ui.search.value = text;
	look.hits = found;
	const hits = main.search(found);
	shownGraphs().forEach(g => g.search(found));
	ui.found.classList.toggle("bad", Boolean(text && !found));
	ui.found.textContent = !text ? "" : !found ? "no regular expression yet" :
		`${share(hits.sum, tree.total[0])} matched (${value(hits.sum)} in ${hits.count} frames)`;
	functionTable.list(listed());
	shownGraphs().forEach(g => g.draw());
	if (!quietly)
		remember(false);
}

function searchKey(event) {
	if (event.key === "Escape") {
		event.stopPropagation();
		event.preventDefault();
		if (ui.search.value)
			search("", false);
		else
			activeGraph().scroller.focus();
	} else if (event.key === "Enter" && look.hits && look.hits.includes(true)) {
		const graph = activeGraph();
		graph.scroller.focus();
		graph.nextHit(1);
	}
}

/* ---- Copies ---- */

async function copy(text, what) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {	/* no permission, or no such interface on this address */
		const area = element("textarea", { class: "unseen" });
		area.value = text;
		ui.app.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
	ui.found.classList.add("bad");	/* no match */
	ui.found.textContent = what + " copied";
}

const copyName = () => selected >= 0 && copy(nameOf(selected), "name");

/* Innermost first, as debuggers print it. */
function copyStack() {
	const graph = activeGraph(), path = graph.tree.path(graph.focus);
	if (!path.length)
		return;
	if (graph === callers)
		path.reverse();
	copy(path.map(f => [nameOf(f), placeOf(frames.list[f]), baseName(frames.list[f].module)]
		.filter(Boolean).join("  ")).join("\n") + "\n", "stack");
}

function download() {
	const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
	const name = printable(head.title).replace(/[^\w.+-]+/g, "_").slice(0, 100) || "profile";
	const link = element("a", { href: url, download: name + ".pb.gz" });
	ui.app.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/* ---- Keys ---- */

function pageKey(event) {
	const find = event.key === "f" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
	const typing = /^(input|select|textarea)$/i.test(event.target.tagName);
	if (find || (event.key === "/" && event.target !== ui.search)) {
		event.preventDefault();
		ui.search.focus();
		ui.search.select();
	} else if (event.key === "Escape") {
		if (ui.keys.open)
			return;
		if (state.sandwich >= 0)
			sandwich(state.sandwich);
		else
			main.zoomTo(0);
	} else if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey && !ui.keys.open) {
		const act = { t: toggleTable, s: () => selected >= 0 && sandwich(selected), f: () => focusOn(selected),
			      h: () => hide(selected), u: undo, i: toggleIdle, r: flip, c: copyName, C: copyStack,
			      d: download, "[": () => step(-1), "]": () => step(1), "?": () => ui.keys.showModal() };
		if (!Object.hasOwn(act, event.key))
			return;
		event.preventDefault();
		act[event.key]();
	}
}

/* ---- Settings, and the address that keeps them ---- */

function flip() {
	state.flames = !state.flames;
	ui.flip.setAttribute("aria-pressed", state.flames);
	main.turn(state.flames);
	remember(false);
}

/* Where there is room, the table is there without being asked for. */
function toggleTable() {
	state.table = !ui.app.classList.contains("tabled");
	placeTable();
	remember(false);
}

function placeTable() {
	const on = state.table === undefined ? innerWidth >= 900 : state.table;
	ui.app.classList.toggle("tabled", on);
	ui.table.setAttribute("aria-pressed", on);
}

/* As the system has it, then the other one, then back: the word is what a click gives. */
function nextTheme() {
	setTheme(page.dataset.theme ? undefined : darkScheme.matches ? "light" : "dark");
}

function setTheme(theme) {
	if (theme)
		page.dataset.theme = theme;
	else
		delete page.dataset.theme;
	themeChanged();
}

function themeChanged() {
	ui.theme.textContent = isDark() ? "Light" : "Dark";
	takeColours();
	drawLegend();
	shownGraphs().forEach(g => g.draw());
}

let themeBefore;

function printPage(on) {
	if (on)
		themeBefore = page.dataset.theme;
	shownGraphs().forEach(g => g.print(on));
	setTheme(on ? "light" : themeBefore);
}

async function begin() {
	bytes = fromBase64(head.profile);
	delete head.profile;
	readAll(await unzip(bytes));
	build();
	ui.theme.textContent = isDark() ? "Light" : "Dark";
	recall();
	addEventListener("keydown", pageKey);
	addEventListener("popstate", recall);
	addEventListener("hashchange", () => location.hash.slice(1) !== remembered && recall());
	addEventListener("resize", placeTable);
	addEventListener("beforeprint", () => printPage(true));
	addEventListener("afterprint", () => printPage(false));
	darkScheme.addEventListener("change", themeChanged);
	page.dataset.ready = "";
}

begin().catch(problem => {
	(inSvg ? page : document.body).append(element("p", {},
		"This page cannot show its profile; it needs a browser of 2023 or newer: " + problem));
	throw problem;
});
