/*
 * The flame graph of a page: data in, canvas out, no library; words.js stands before it.
 *
 * The script stands in an HTML document or in an SVG one, where it puts its elements into
 * a foreignObject; the rest is the same. The data are flat arrays in the order in which
 * parents come before their children, so "everything below node i" is i + 1 … end[i] - 1,
 * and all walks are loops that skip what is out of sight or narrower than a pixel.
 *
 * Names are foreign: they become text (textContent, fillText) and never markup.
 */
"use strict";
(() => {
const XHTML = "http://www.w3.org/1999/xhtml", SVG = "http://www.w3.org/2000/svg";
const ROOT = -2, LEFT_OUT = -1;			/* in place of a frame */
const ROW = 20, TINY = 1.2, TEXT_MIN = 24, ANIMATION_MS = 180;
const data = JSON.parse(document.getElementById("data").textContent);
const page = document.documentElement, inSvg = page.namespaceURI === SVG;
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
const darkScheme = matchMedia("(prefers-color-scheme: dark)");

/* ---- The tree ---- */

const count = data.depth.length, depth = data.depth, frame = data.frame;
const parent = new Int32Array(count).fill(-1), end = new Int32Array(count);
const start = new Float64Array(count), total = new Float64Array(count);
const other = new Float64Array(count);	/* of a difference: the side that is not shown */
let self = [];

function linkNodes() {
	const open = [];
	for (let i = 0; i <= count; i++) {
		while (open.length && (i === count || depth[open.at(-1)] >= depth[i]))
			end[open.pop()] = i;
		if (i < count) {
			parent[i] = open.length ? open.at(-1) : -1;
			open.push(i);
		}
	}
}

function addUp(values, sums) {
	for (let i = 0; i < count; i++)
		sums[i] = values[i];
	for (let i = count - 1; i > 0; i--)
		sums[parent[i]] += sums[i];
}

/* Siblings stand side by side, what a node spends itself is the gap behind them. */
function placeNodes() {
	const at = new Float64Array(count);
	start[0] = at[0] = 0;
	for (let i = 1; i < count; i++) {
		start[i] = at[i] = at[parent[i]];
		at[parent[i]] += total[i];
	}
}

function nameOf(i) {
	const f = frame[i];
	return f >= 0 ? data.strings[data.frames.name[f]] : f === ROOT ? "all" : "(smaller frames)";
}

const moduleOf = i => frame[i] < 0 ? "" : data.strings[data.frames.module[frame[i]]];
function placeOf(i) {
	if (frame[i] < 0)
		return "";
	const file = data.strings[data.frames.file[frame[i]]], line = data.frames.line[frame[i]];
	return file && line > 0 ? file + ":" + line : file;
}

const isAncestor = (a, i) => a < i && end[a] > i;

function childAt(i, value) {
	for (let c = i + 1; c < end[i]; c = end[c])
		if (value >= start[c] && value < start[c] + total[c])
			return c;
	return -1;
}

/* ---- What is shown ---- */

const state = { type: data.type, base: false, zoom: 0, focus: 0, flames: false, search: "" };
const shown = { from: 0, span: 1 };	/* the values between the left edge and the right one */
let hits = null, hovered = -1, tallest = 0;

const type = () => data.types[state.type];

function takeValues() {
	const t = type();
	self = state.base ? t.base : t.new;
	addUp(self, total);
	if (data.difference)
		addUp(state.base ? t.new : t.base, other);
	placeNodes();
}

function deepest() {
	let deep = 0;
	for (let i = 0; i < count; i = total[i] > 0 ? i + 1 : end[i])
		if (total[i] > 0 && depth[i] > deep && (i >= state.zoom && i < end[state.zoom]))
			deep = depth[i];
	return Math.max(deep, depth[state.zoom]);
}

/* ---- Values in words (words.js) ---- */

const value = v => words(v, type().unit);

/* Of a difference: a node's values, new and base. */
const bothSides = i => state.base ? [other[i], total[i]] : [total[i], other[i]];

/* What became of it, -1 (gone) to 1 (new). */
function change(i) {
	const [now, before] = bothSides(i), more = Math.max(now, before);
	return more ? (now - before) / more : 0;
}

function changeWords(i) {
	const [now, before] = bothSides(i), sign = now >= before ? "+" : "−";
	const relative = before ? ` (${sign}${share(Math.abs(now - before), before)})` : " (new)";
	return now === before ? "the same" : sign + value(Math.abs(now - before)) + relative;
}

/* ---- Colours ---- */

const isDark = () => page.dataset.theme ? page.dataset.theme === "dark" : darkScheme.matches;
const inks = {};
let fills = [];

function takeColours() {
	for (const name of ["panel", "line", "ink", "box-ink", "match", "match-ink", "focus"])
		inks[name] = getComputedStyle(page).getPropertyValue("--" + name).trim();
	fills = data.frames.name.map((s, f) => hueColour(data.frames.hue[f], data.strings[s], isDark()));
}

function colourOf(i) {
	if (frame[i] < 0)
		return frame[i] === ROOT ? inks.line : inks.panel;
	if (hits && hits.frames[frame[i]])
		return inks.match;
	return data.difference ? changeColour(change(i), isDark()) : fills[frame[i]];
}

/* ---- Elements ---- */

function element(tag, attributes, ...children) {
	const e = document.createElementNS(XHTML, tag);
	for (const [key, v] of Object.entries(attributes || {}))
		if (key.startsWith("on"))
			e.addEventListener(key.slice(2), v);
		else if (v !== false)
			e.setAttribute(key, v === true ? "" : v);
	e.append(...children);
	return e;
}

function select(label, options, chosen, changed) {
	return element("label", {}, label, element("select", {
		onchange: event => changed(event.target.selectedIndex),
	}, ...options.map((text, i) => element("option", { selected: i === chosen }, text))));
}

const ui = {};

function buildTools() {
	ui.search = element("input", {
		type: "search", placeholder: "Search ( / )", spellcheck: "false",
		"aria-label": "Search functions by regular expression; module: searches modules",
		oninput: () => search(ui.search.value, true), onkeydown: searchKey,
	});
	ui.found = element("span", { class: "found", role: "status" });
	ui.reset = element("button", { type: "button", title: "Escape", onclick: () => zoomTo(0) },
			   "Reset zoom");
	ui.flip = element("button", { type: "button", onclick: flip });
	ui.theme = element("button", { type: "button", onclick: nextTheme });
	ui.types = data.types.length > 1 && select("Value", data.types.map(t => t.type), state.type,
		i => { state.type = i; valuesChanged(); remember(true); });
	ui.sides = data.difference && select("Width", ["new", "base"], 0,
		i => { state.base = i === 1; valuesChanged(); remember(true); });
	return element("div", { class: "tools", role: "toolbar", "aria-label": "Flame graph" },
		ui.search, ui.found, element("span", { class: "gap" }),
		...[ui.types, ui.sides, ui.reset, ui.flip, ui.theme].filter(Boolean));
}

function buildGraph() {
	ui.canvas = element("canvas", { "aria-hidden": "true" });
	ui.spacer = element("div");
	ui.items = ["item0", "item1"].map(id => element("div", { class: "unseen", role: "treeitem", id }));
	ui.scroller = element("div", {
		class: "scroller", tabindex: "0", role: "tree", "aria-activedescendant": "item0",
		"aria-label": "Flame graph: arrow keys move, Enter zooms, Escape resets, slash searches",
		onscroll: draw, onkeydown: graphKey, onclick: click, onmousemove: hover,
		onmouseleave: () => hoverOn(-1), onfocus: () => focusOn(state.focus), onblur: draw,
	}, ui.spacer, ...ui.items);
	ui.tip = element("div", { class: "tip", role: "tooltip", hidden: true });
	return element("div", { class: "graph" }, ui.canvas, ui.scroller, ui.tip);
}

function buildHeader() {
	ui.meta = element("p");
	const head = element("header", {}, element("h1", {}, data.title), ui.meta);
	if (data.comments.length)
		head.append(element("details", {}, element("summary", {}, data.comments.join(" · ")),
				    element("ul", {}, ...data.comments.map(c => element("li", {}, c)))));
	return head;
}

function build() {
	ui.status = element("div", { class: "status" });
	ui.legend = element("div", { class: "legend" });
	const app = element("div", { id: "app" }, buildHeader(), buildTools(), buildGraph(),
			    element("footer", {}, ui.status, ui.legend));
	if (!inSvg)
		return document.body.append(app);
	const stage = document.createElementNS(SVG, "foreignObject");
	stage.setAttribute("width", "100%");
	stage.setAttribute("height", "100%");
	document.getElementById("picture").remove();
	page.removeAttribute("viewBox");
	page.setAttribute("width", "100%");
	page.setAttribute("height", "100%");
	stage.append(app);
	page.append(stage);
}

function describe() {
	const sums = bothSides(0).map(value), parts = [];
	const duration = data.difference ? 0 : data.duration_nanos;	/* both together */
	parts.push(`${type().type} ` + (data.difference ? `new ${sums[0]}, base ${sums[1]}` : sums[0]) +
		(duration > 0 ? " in " + words(duration, "nanoseconds") : ""));
	if (data.time_nanos > 0 && data.time_nanos < 8e21)	/* what a Date can hold */
		parts.push(new Date(data.time_nanos / 1e6).toISOString().slice(0, 19)
			.replace("T", " ") + " UTC");
	parts.push(`${(count - 1).toLocaleString("en-US")} frames`);
	if (data.left_out)
		parts.push(`${data.left_out.toLocaleString("en-US")} smaller ones left out`);
	ui.meta.textContent = parts.join(" · ");
}

function modulesBySelf() {
	const sums = new Map();
	for (let i = 0; i < count; i++)
		if (frame[i] >= 0) {
			const name = moduleOf(i), hue = data.frames.hue[frame[i]];
			const sum = sums.get(name) || { name, hue, value: 0 };
			sum.value += self[i];
			sums.set(name, sum);
		}
	return [...sums.values()].filter(m => m.name && m.value > 0)
		.sort((a, b) => b.value - a.value);
}

function drawLegend() {
	if (data.difference) {
		const stops = [-1, -.5, 0, .5, 1].map(c => changeColour(c, isDark())).join(",");
		return ui.legend.replaceChildren(element("span", {}, "less than base",
			element("span", { class: "scale",
					  style: `background:linear-gradient(90deg,${stops})` }),
			"more than base; full colour: gone, or new"));
	}
	ui.legend.replaceChildren(...modulesBySelf().slice(0, 12).map(m => element("button", {
		type: "button", title: m.name + ", its own share",
		onclick: () => search("module:" + literally(m.name), false),
	}, element("span", { class: "swatch", style: `background:${hueColour(m.hue, "", isDark())}` }),
	`${baseName(m.name)} ${share(m.value, total[0])}`)));
}

/* ---- Drawing ---- */

let context, width = 1, height = 1, pending = 0, printing = false;
const widths = new Map();

function textWidth(text) {
	let w = widths.get(text);
	if (w === undefined) {
		if (widths.size > 50000)
			widths.clear();
		w = context.measureText(text).width;
		widths.set(text, w);
	}
	return w;
}

/* What of a name has room: a shorter form of it, or the beginning of the shortest. */
function fit(name, room) {
	if (textWidth(name) <= room)
		return name;
	const forms = shorten(name), fitting = forms.find(form => textWidth(form) <= room);
	if (fitting)
		return fitting;
	const text = forms.at(-1);
	let low = 0, high = Math.min(text.length, Math.ceil(room / 2));
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (context.measureText(text.slice(0, middle) + "…").width <= room)
			low = middle;
		else
			high = middle - 1;
	}
	return low > 1 ? text.slice(0, low) + "…" : "";
}

const contentHeight = () => Math.max((tallest + 1) * ROW + 1, height);
const rowTop = d => (state.flames ? contentHeight() - (d + 1) * ROW : d * ROW) -
	(printing ? 0 : ui.scroller.scrollTop);

function drawBox(i, x, w, y) {
	const left = Math.max(x, 0), right = Math.min(x + w, width), gap = w > 3 ? 1 : 0.3;
	const hit = hits && frame[i] >= 0 && hits.frames[frame[i]], faded = hits && !hit;
	const dim = faded || isAncestor(i, state.zoom);
	context.globalAlpha = dim ? 0.45 : 1;
	context.fillStyle = colourOf(i);
	context.fillRect(left, y, Math.max(right - left - gap, 0.5), ROW - 1);
	context.globalAlpha = 1;
	if (right - left > TEXT_MIN) {
		context.fillStyle = inks[frame[i] < 0 || dim ? "ink" : hit ? "match-ink" : "box-ink"];
		context.fillText(fit(nameOf(i), right - left - 9), left + 4, y + ROW / 2);
	}
	if (i === hovered || (i === state.focus && document.activeElement === ui.scroller)) {
		context.strokeStyle = inks.focus;
		context.lineWidth = i === hovered ? 1 : 2;
		context.strokeRect(left + 1, y + 1, Math.max(right - left - gap - 2, 1), ROW - 3);
	}
}

/* What is too narrow to be a box by itself: neighbours in a row become one, of the colour
 * of what was found among them, if anything was. */
function drawRun(run) {
	const y = rowTop(run.depth);
	context.globalAlpha = hits && !run.hit ? 0.3 : 0.75;
	context.fillStyle = hits && run.hit ? inks.match : run.fill;
	context.fillRect(run.from, y, Math.max(run.to - run.from, 0.7), ROW - 1);
	context.globalAlpha = 1;
}

function extendRun(runs, i, x, w) {
	const d = depth[i], run = runs[d], hit = hits !== null && hits.preceding[end[i]] > hits.preceding[i];
	if (run && x - run.to < 1 && run.hit === hit) {
		run.to = x + w;
		return;
	}
	if (run)
		drawRun(run);
	runs[d] = { depth: d, from: x, to: x + w, hit, fill: colourOf(i) };
}

function drawNodes() {
	const scale = width / shown.span, runs = [];
	for (let i = 0; i < count;) {
		const x = (start[i] - shown.from) * scale, w = total[i] * scale;
		const y = rowTop(depth[i]), inSight = y > -ROW && y < height;
		if (w <= 0 || x + w <= 0 || x >= width) {
			i = end[i];
		} else if (w < TINY) {
			if (inSight)
				extendRun(runs, i, x, w);
			i = end[i];
		} else {
			if (inSight)
				drawBox(i, x, w, y);
			i++;
		}
	}
	runs.forEach(drawRun);
}

const paperHeight = () => Math.min((tallest + 1) * ROW, 8000);

function sizeCanvas(ratio) {
	const w = Math.round(width * ratio), h = Math.round(height * ratio);
	if (ui.canvas.width === w && ui.canvas.height === h)
		return;		/* setting it anew would be slow */
	ui.canvas.width = w;
	ui.canvas.height = h;
	ui.canvas.style.width = width + "px";
	ui.canvas.style.height = height + "px";
}

function drawNow() {
	const ratio = printing ? 2 : devicePixelRatio || 1;
	pending = 0;
	width = Math.max(ui.scroller.clientWidth, 1);
	height = printing ? paperHeight() : Math.max(ui.scroller.clientHeight, 1);
	sizeCanvas(ratio);
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.font = "12px system-ui, -apple-system, 'Segoe UI', sans-serif";
	context.textBaseline = "middle";
	context.clearRect(0, 0, width, height);
	drawNodes();
}

function draw() {
	if (!pending)
		pending = requestAnimationFrame(drawNow);
}

/* ---- Zoom ---- */

let animation = 0;

function animateTo(from, span) {
	const first = { ...shown }, began = performance.now();
	cancelAnimationFrame(animation);
	const step = now => {
		const passed = Math.min(Math.max((now - began) / ANIMATION_MS, 0), 1);
		const t = reducedMotion.matches ? 1 : passed;
		const eased = 1 - (1 - t) ** 3;
		shown.from = first.from + (from - first.from) * eased;
		shown.span = first.span + (span - first.span) * eased;
		drawNow();
		if (t < 1)
			animation = requestAnimationFrame(step);
	};
	step(began);
}

function layOut() {
	tallest = deepest();
	ui.spacer.style.height = (tallest + 1) * ROW + 1 + "px";
	height = Math.max(ui.scroller.clientHeight, 1);
	ui.reset.disabled = state.zoom === 0;
}

/* Brings a row into sight, with some of its neighbours. */
function scrollToRow(d) {
	const top = state.flames ? contentHeight() - (d + 1) * ROW : d * ROW;
	const box = ui.scroller, margin = Math.min(3 * ROW, box.clientHeight / 3);
	if (top < box.scrollTop + margin)
		box.scrollTop = top - margin;
	else if (top + ROW > box.scrollTop + box.clientHeight - margin)
		box.scrollTop = top + ROW + margin - box.clientHeight;
}

function zoomTo(i, quietly) {
	if (total[i] <= 0)
		i = 0;
	state.zoom = state.focus = i;
	layOut();
	scrollToRow(depth[i]);
	animateTo(start[i], total[i] || 1);
	hoverOn(-1);
	focusOn(i);
	if (!quietly)
		remember(true);
}

function valuesChanged() {
	takeValues();
	describe();
	drawLegend();
	if (state.search)
		search(state.search, true, true);
	zoomTo(state.zoom, true);
}

/* ---- Search ---- */

function matcher(text) {
	const module = text.startsWith("module:"), pattern = module ? text.slice(7) : text;
	const flags = /\p{Lu}/u.test(pattern.replace(/\\./g, "")) ? "" : "i";
	let regex;
	try {
		regex = new RegExp(pattern, flags);
	} catch {
		return null;
	}
	return f => regex.test(data.strings[module ? data.frames.module[f] : data.frames.name[f]]);
}

function countHits(frames) {
	const preceding = new Int32Array(count + 1);
	let sum = 0, outside = 0;
	for (let i = 0; i < count; i++) {
		const hit = frame[i] >= 0 && frames[frame[i]] ? 1 : 0;
		preceding[i + 1] = preceding[i] + hit;
		if (hit && i >= outside) {	/* what is called below is part of it already */
			sum += total[i];
			outside = end[i];
		}
	}
	return { frames, preceding, sum };
}

function search(text, typed, quietly) {
	const match = text ? matcher(text) : null;
	state.search = text;
	if (!typed)
		ui.search.value = text;
	hits = match ? countHits(data.frames.name.map((_, f) => match(f))) : null;
	ui.found.classList.toggle("bad", Boolean(text && !match));
	ui.found.textContent = !text ? "" : !match ? "no regular expression yet" :
		`${share(hits.sum, total[0])} matched ` +
		`(${value(hits.sum)} in ${hits.preceding[count]} frames)`;
	draw();
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
			ui.scroller.focus();
	} else if (event.key === "Enter" && hits && hits.preceding[count]) {
		ui.scroller.focus();
		nextHit(state.focus, 1);
	}
}

function nextHit(from, step) {
	if (!hits || !hits.preceding[count])
		return;
	let i = from;
	do
		i = (i + step + count) % count;
	while (!(frame[i] >= 0 && hits.frames[frame[i]] && total[i] > 0) && i !== from);
	if (i < state.zoom || i >= end[state.zoom])
		zoomTo(0);
	focusOn(i);
}

/* ---- Pointing and the keyboard ---- */

function nodeAt(event) {
	const box = ui.scroller.getBoundingClientRect();
	const y = event.clientY - box.top + ui.scroller.scrollTop;
	const row = Math.floor((state.flames ? contentHeight() - y : y) / ROW);
	const at = shown.from + (event.clientX - box.left) / width * shown.span;
	let i = 0;
	while (i >= 0 && depth[i] < row)
		i = childAt(i, at);
	return row >= 0 && i >= 0 && at >= start[i] && at < start[i] + total[i] ? i : -1;
}

const isZoomed = i => state.zoom && i >= state.zoom && i < end[state.zoom];

function tipCells(i) {
	if (data.difference)
		return [...["new", "base"].map((side, n) => [side, value(bothSides(i)[n]),
			share(bothSides(i)[n], bothSides(0)[n]) + " of " + side]),
			["change", changeWords(i)]];
	const rows = [["total", total[i]]];
	if (self[i] && self[i] !== total[i])
		rows.push(["self", self[i]]);
	return rows.map(([label, v]) => [label, value(v), share(v, total[0]) + " of all",
		isZoomed(i) ? `${share(v, total[state.zoom])} of ${fit(nameOf(state.zoom), 160)}` : ""]);
}

function fillTip(i) {
	const rows = tipCells(i).map(cells =>
		element("tr", {}, ...cells.filter(Boolean).map(c => element("td", {}, c))));
	ui.tip.replaceChildren(element("b", {}, nameOf(i)),
		...[placeOf(i), moduleOf(i)].filter(Boolean).map(text => element("div", {}, text)),
		element("table", {}, ...rows));
}

/* In one line, for the foot of the page and for who listens to it. */
function sentence(i) {
	const parts = [nameOf(i), data.difference ? `${value(total[i])}, ${changeWords(i)}` :
		`${value(total[i])}, ${share(total[i], total[0])} of all`];
	if (isZoomed(i) && i !== state.zoom)
		parts.push(share(total[i], total[state.zoom]) + " of " + nameOf(state.zoom));
	return parts.concat(placeOf(i), baseName(moduleOf(i))).filter(Boolean).join(" · ");
}

function showTip(x, y) {
	const box = ui.scroller.getBoundingClientRect();
	ui.tip.hidden = false;
	const w = ui.tip.offsetWidth, h = ui.tip.offsetHeight;
	const left = Math.min(Math.max(x + 14, 4), Math.max(box.width - w - 4, 4));
	const top = y + 20 + h > box.height ? Math.max(y - h - 10, 4) : y + 20;
	ui.tip.style.left = left + "px";
	ui.tip.style.top = top + "px";
}

function hoverOn(i) {
	if (i === hovered)
		return;
	hovered = i;
	if (i >= 0)
		fillTip(i);
	else
		ui.tip.hidden = true;
	ui.status.textContent = sentence(i >= 0 ? i : state.focus);
	draw();
}

function hover(event) {
	const i = nodeAt(event), box = ui.scroller.getBoundingClientRect();
	hoverOn(i);
	ui.scroller.style.cursor = i >= 0 ? "pointer" : "default";
	if (i >= 0)
		showTip(event.clientX - box.left, event.clientY - box.top);
}

function click(event) {
	const i = nodeAt(event);
	if (i >= 0 && frame[i] !== LEFT_OUT)
		zoomTo(i);
}

/* The frame that the keyboard is at. Two elements take turns, as the same one would not
 * be read out again. */
function focusOn(i) {
	const item = ui.items.reverse()[0];
	state.focus = i;
	item.setAttribute("aria-level", depth[i] + 1);
	item.setAttribute("aria-label", sentence(i));
	item.setAttribute("aria-selected", "true");
	ui.items[1].removeAttribute("aria-selected");
	ui.scroller.setAttribute("aria-activedescendant", item.id);
	ui.status.textContent = sentence(i);
	draw();
}

function widestChild(i) {
	let best = -1;
	for (let c = i + 1; c < end[i]; c = end[c])
		if (total[c] > 0 && (best < 0 || total[c] > total[best]))
			best = c;
	return best;
}

/* The next frame in the same row, to the left (-1) or right (1), within the zoom. */
function neighbour(i, step) {
	for (let n = i + step; n > state.zoom && n < end[state.zoom]; n += step)
		if (depth[n] === depth[i] && total[n] > 0)
			return n;
	return -1;
}

function move(i) {
	if (i < 0)
		return;
	if (i < state.zoom || i >= end[state.zoom])
		zoomTo(i);
	scrollToRow(depth[i]);
	hoverOn(-1);
	focusOn(i);
}

function graphKey(event) {
	const i = state.focus, up = state.flames ? "ArrowDown" : "ArrowUp";
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	switch (event.key) {
	case "ArrowUp": case "ArrowDown":
		move(event.key === up ? parent[i] : widestChild(i));
		break;
	case "ArrowLeft": move(neighbour(i, -1)); break;
	case "ArrowRight": move(neighbour(i, 1)); break;
	case "Home": move(state.zoom); break;
	case "Enter": case " ":
		if (frame[i] !== LEFT_OUT)
			zoomTo(i);
		break;
	case "Backspace": zoomTo(0); break;
	case "n": case "N": nextHit(i, event.key === "n" ? 1 : -1); break;
	default: return;
	}
	event.preventDefault();
}

function pageKey(event) {
	const find = event.key === "f" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
	if (find || (event.key === "/" && event.target !== ui.search)) {
		event.preventDefault();
		ui.search.focus();
		ui.search.select();
	} else if (event.key === "Escape") {
		zoomTo(0);
	}
}

/* ---- Settings, and the address that keeps them ---- */

function flip() {
	state.flames = !state.flames;
	showDirection();
	remember(false);
}

function showDirection() {
	ui.flip.textContent = state.flames ? "Root on top" : "Root at the bottom";
	layOut();
	ui.scroller.scrollTop = state.flames ? contentHeight() : 0;
	scrollToRow(depth[state.focus]);
	draw();
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
	draw();
}

let remembered = "";

function remember(asStep) {
	const parts = new URLSearchParams();
	if (state.zoom)
		parts.set("zoom", state.zoom);
	if (state.search)
		parts.set("search", state.search);
	if (state.type !== data.type)
		parts.set("type", type().type);
	if (state.base)
		parts.set("width", "base");
	if (state.flames)
		parts.set("root", "bottom");
	const hash = String(parts);
	if (hash === remembered)
		return;
	remembered = hash;
	history[asStep ? "pushState" : "replaceState"](null, "", "#" + hash);
}

function recall() {
	remembered = location.hash.slice(1);
	const parts = new URLSearchParams(remembered), zoom = Number(parts.get("zoom"));
	const named = data.types.findIndex(t => t.type === parts.get("type"));
	state.type = named >= 0 ? named : data.type;
	state.base = data.difference && parts.get("width") === "base";
	state.flames = parts.get("root") === "bottom";
	state.zoom = Number.isInteger(zoom) && zoom > 0 && zoom < count ? zoom : 0;
	if (ui.types)
		ui.types.lastChild.selectedIndex = state.type;
	if (ui.sides)
		ui.sides.lastChild.selectedIndex = state.base ? 1 : 0;
	takeValues();
	search(parts.get("search") || "", false, true);
	describe();
	drawLegend();
	showDirection();
	zoomTo(state.zoom, true);
}

let themeBefore;

function print(on) {
	printing = on;
	if (on)
		themeBefore = page.dataset.theme;
	setTheme(on ? "light" : themeBefore);
	ui.canvas.parentNode.style.height = on ? paperHeight() + "px" : "";
	drawNow();
}

linkNodes();
build();
context = ui.canvas.getContext("2d");
takeValues();
shown.span = total[0] || 1;
themeChanged();
recall();
addEventListener("keydown", pageKey);
addEventListener("popstate", recall);
addEventListener("hashchange", () => location.hash.slice(1) !== remembered && recall());
addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(false));
darkScheme.addEventListener("change", themeChanged);
new ResizeObserver(() => { layOut(); draw(); }).observe(ui.scroller);
})();
