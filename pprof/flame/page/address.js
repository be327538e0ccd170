/* The address of the page keeps the view: a link to the page shows what its sender saw. */
"use strict";

let remembered = "";

function remember(asStep) {
	const parts = new URLSearchParams(), first = firstState();
	const put = (key, v) => v && parts.set(key, v);
	put("zoom", state.zoom);
	put("search", state.search);
	put("type", state.type !== first.type && typeName(state.type));
	put("show", state.side);
	put("thread", state.thread);
	put("file", state.file);
	put("labels", state.labels.length && JSON.stringify(state.labels));
	put("focus", state.focus.join());
	put("hide", state.hide.join());
	put("idle", state.idle && "shown");
	put("root", state.flames && "bottom");
	put("callers", state.sandwich >= 0 && String(state.sandwich));
	put("table", state.table !== undefined && (state.table ? "shown" : "folded"));
	const hash = String(parts);
	if (hash === remembered)
		return;
	remembered = hash;
	history[asStep ? "pushState" : "replaceState"](null, "", "#" + hash);
}

function pairs(text) {
	try {
		return JSON.parse(text).filter(l => Array.isArray(l) && l.length === 2).map(l => l.map(String));
	} catch {
		return [];
	}
}

/* What does not fit this page (an address that was made by hand, or for another) is ignored. */
function recall() {
	remembered = location.hash.slice(1);
	const parts = new URLSearchParams(remembered), text = key => parts.get(key) || "";
	const isFrame = f => Number.isInteger(f) && f >= 0 && f < frames.list.length;
	const list = key => text(key).split(",").filter(Boolean).map(Number).filter(isFrame);
	const type = profile.types.findIndex((_, t) => typeName(t) === parts.get("type")), zoom = Number(text("zoom"));
	const callersOf = parts.has("callers") ? Number(text("callers")) : -1;
	state = Object.assign(firstState(), {
		search: text("search"), flames: text("root") === "bottom", idle: text("idle") === "shown",
		thread: labels.threads.includes(text("thread")) ? text("thread") : "",
		file: fileNames().includes(text("file")) ? text("file") : "",
		labels: pairs(text("labels")), focus: list("focus"), hide: list("hide"),
		side: isDifference && SIDES[Number(text("show"))] ? Number(text("show")) : 0,
		type: type >= 0 ? type : head.type, zoom: Number.isInteger(zoom) && zoom > 0 ? zoom : 0,
		sandwich: isFrame(callersOf) ? callersOf : -1,
		table: parts.has("table") ? text("table") === "shown" : undefined,
	});
	placeTable();
	showAll();
	select(state.sandwich, false);
}
