/*
 * A tree as a flame graph on a canvas. A frame out of sight or narrower than a pixel costs one step
 * of a loop. A tree item that follows the focus describes the canvas to screen readers.
 *
 * Names are foreign: they become text (textContent, fillText) and never markup.
 */
"use strict";

const XHTML = "http://www.w3.org/1999/xhtml", SVG = "http://www.w3.org/2000/svg";
const ROW = 20, TINY = 1.2, TEXT_MIN = 24, ANIMATION_MS = 180;
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

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

/* Widths of texts, which are slow to measure. */
const widths = new Map();

function textWidth(context, text) {
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
function fit(context, name, room) {
	if (name.length <= LONG && textWidth(context, name) <= room)
		return name;
	const forms = shorten(name), fitting = forms.find(form => textWidth(context, form) <= room);
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

class Graph {
	/* look: what the graph asks the page: name(tree, i), colour(tree, i), sentence(graph, i),
	 * hits, selected, inks; pointed(graph, i) and chosen(graph, i) tell the page. */
	constructor(look, label, id) {
		this.look = look;
		this.zoom = this.focus = 0;
		this.hovered = -1;
		this.flames = false;		/* the root at the bottom */
		this.from = 0;			/* the value at the left edge, */
		this.span = 1;			/* and up to the right one */
		this.width = this.height = 1;
		this.build(label, id);
		this.context = this.canvas.getContext("2d");
		this.observer = new ResizeObserver(() => this.tree && (this.layOut(), this.draw()));
		this.observer.observe(this.scroller);
	}

	build(label, id) {
		this.canvas = element("canvas", { "aria-hidden": "true" });
		this.spacer = element("div");
		this.items = [0, 1].map(n => element("div", { class: "unseen", role: "treeitem", id: id + n }));
		this.scroller = element("div", {
			class: "scroller", tabindex: "0", role: "tree", "aria-activedescendant": id + "0",
			"aria-label": label + ": arrow keys move, Enter zooms, Escape resets, slash searches, " +
				"question mark lists all keys",
			onscroll: () => this.draw(), onkeydown: e => this.key(e), onclick: e => this.click(e),
			onmousemove: e => this.hover(e), onmouseleave: () => this.hoverOn(-1),
			onfocus: () => this.focusOn(this.focus), onblur: () => this.draw(),
		}, this.spacer, ...this.items);
		this.box = element("div", { class: "graph" }, this.canvas, this.scroller);
	}

	/* Shows a tree. A node that has no value cannot be zoomed to. */
	show(tree, zoom) {
		this.tree = tree;
		this.hovered = -1;
		this.focus = 0;
		this.from = 0;
		this.span = tree.total[0] || 1;
		this.zoomTo(zoom < tree.count ? zoom : 0, true);
		this.scroller.scrollTop = this.flames ? this.contentHeight() : this.scroller.scrollTop;
	}

	/* ---- Drawing ---- */

	contentHeight() { return Math.max((this.tallest + 1) * ROW + 1, this.height); }

	rowTop(d) {
		return (this.flames ? this.contentHeight() - (d + 1) * ROW : d * ROW) -
			(this.printing ? 0 : this.scroller.scrollTop);
	}

	paperHeight() { return Math.min((this.tallest + 1) * ROW, 8000); }

	drawBox(i, x, w, y) {
		const { context: c, look, tree } = this, f = tree.frame[i], inks = look.inks;
		const left = Math.max(x, 0), right = Math.min(x + w, this.width), gap = w > 3 ? 1 : 0.3;
		const wide = Math.max(right - left - gap, 0.5), hit = look.hits && f >= 0 && look.hits[f];
		const dim = (look.hits && !hit) || (i < this.zoom && tree.end[i] > this.zoom);
		c.globalAlpha = dim ? 0.45 : 1;
		c.fillStyle = look.colour(tree, i);
		c.fillRect(left, y, wide, ROW - 1);
		c.globalAlpha = 1;
		if (f >= 0 && f === look.selected) {
			c.fillStyle = inks.accent;
			c.fillRect(left, y + ROW - 4, wide, 3);
		}
		if (right - left > TEXT_MIN) {
			c.fillStyle = inks[f < 0 || dim ? "ink" : hit ? "match-ink" : "box-ink"];
			c.fillText(fit(c, look.name(tree, i), right - left - 9), left + 4, y + ROW / 2);
		}
		if (i === this.hovered || (i === this.focus && document.activeElement === this.scroller)) {
			c.strokeStyle = inks.focus;
			c.lineWidth = i === this.hovered ? 1 : 2;
			c.strokeRect(left + 1, y + 1, Math.max(right - left - gap - 2, 1), ROW - 3);
		}
	}

	/* What is too narrow to be a box by itself: neighbours in a row become one, of the colour
	 * of what was found among them, if anything was. */
	drawRun(run) {
		const { context: c, look } = this;
		c.globalAlpha = look.hits && !run.hit ? 0.3 : 0.75;
		c.fillStyle = look.hits && run.hit ? look.inks.match : run.fill;
		c.fillRect(run.from, this.rowTop(run.depth), Math.max(run.to - run.from, 0.7), ROW - 1);
		c.globalAlpha = 1;
	}

	extendRun(runs, i, x, w) {
		const d = this.tree.depth[i], run = runs[d], before = this.hitsBefore;
		const hit = Boolean(before) && before[this.tree.end[i]] > before[i];
		if (run && x - run.to < 1 && run.hit === hit) {
			run.to = x + w;
			return;
		}
		if (run)
			this.drawRun(run);
		runs[d] = { depth: d, from: x, to: x + w, hit, fill: this.look.colour(this.tree, i) };
	}

	drawNodes() {
		const { tree, width, height } = this, scale = width / this.span, runs = [];
		for (let i = 0; i < tree.count;) {
			const x = (tree.start[i] - this.from) * scale, w = tree.total[i] * scale;
			const y = this.rowTop(tree.depth[i]), inSight = y > -ROW && y < height;
			if (w <= 0 || x + w <= 0 || x >= width) {
				i = tree.end[i];
			} else if (w < TINY) {
				if (inSight)
					this.extendRun(runs, i, x, w);
				i = tree.end[i];
			} else {
				if (inSight)
					this.drawBox(i, x, w, y);
				i++;
			}
		}
		runs.forEach(run => this.drawRun(run));
	}

	sizeCanvas(ratio) {
		const w = Math.round(this.width * ratio), h = Math.round(this.height * ratio);
		if (this.canvas.width === w && this.canvas.height === h)
			return;		/* setting it anew would be slow */
		this.canvas.width = w;
		this.canvas.height = h;
		this.canvas.style.width = this.width + "px";
		this.canvas.style.height = this.height + "px";
	}

	drawNow() {
		const ratio = this.printing ? 2 : devicePixelRatio || 1, c = this.context;
		this.pending = 0;
		if (!this.tree)
			return;
		this.width = Math.max(this.scroller.clientWidth, 1);
		this.height = this.printing ? this.paperHeight() : Math.max(this.scroller.clientHeight, 1);
		this.sizeCanvas(ratio);
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		c.font = "12px system-ui, -apple-system, 'Segoe UI', sans-serif";
		c.textBaseline = "middle";
		c.clearRect(0, 0, this.width, this.height);
		this.drawNodes();
	}

	draw() {
		if (!this.pending)
			this.pending = requestAnimationFrame(() => this.drawNow());
	}

	print(on) {
		this.printing = on;
		this.box.style.height = on && this.tree ? this.paperHeight() + "px" : "";
		this.drawNow();
	}

	/* ---- Search ---- */

	/* hits: by frame; null: nothing is searched. Returns the value and number of the found nodes. */
	search(hits) {
		const { tree } = this;
		let sum = 0, outside = 0;
		this.hitsBefore = hits && new Int32Array(tree.count + 1);
		for (let i = 0; hits && i < tree.count; i++) {
			const hit = tree.frame[i] >= 0 && hits[tree.frame[i]] && tree.total[i] > 0 ? 1 : 0;
			this.hitsBefore[i + 1] = this.hitsBefore[i] + hit;
			if (hit && i >= outside) {	/* what is called below is part of it already */
				sum += tree.total[i];
				outside = tree.end[i];
			}
		}
		return { sum, count: hits ? this.hitsBefore[tree.count] : 0 };
	}

	nextHit(step) {
		const { tree, look } = this, from = this.focus;
		if (!look.hits || !this.hitsBefore[tree.count])
			return;
		let i = from;
		do
			i = (i + step + tree.count) % tree.count;
		while (!(tree.frame[i] >= 0 && look.hits[tree.frame[i]] && tree.total[i] > 0) && i !== from);
		if (i < this.zoom || i >= tree.end[this.zoom])
			this.zoomTo(0);
		this.scrollToRow(tree.depth[i]);
		this.focusOn(i);
		look.chosen(this, i);
	}

	/* ---- Zoom ---- */

	animateTo(from, span) {
		const first = { from: this.from, span: this.span }, began = performance.now();
		cancelAnimationFrame(this.animation);
		const step = now => {
			const passed = Math.min(Math.max((now - began) / ANIMATION_MS, 0), 1);
			const t = reducedMotion.matches ? 1 : passed, eased = 1 - (1 - t) ** 3;
			this.from = first.from + (from - first.from) * eased;
			this.span = first.span + (span - first.span) * eased;
			this.drawNow();
			if (t < 1)
				this.animation = requestAnimationFrame(step);
		};
		step(began);
	}

	layOut() {
		this.tallest = this.tree.deepest(this.zoom);
		this.spacer.style.height = (this.tallest + 1) * ROW + 1 + "px";
		this.height = Math.max(this.scroller.clientHeight, 1);
	}

	/* Brings a row into sight, with some of its neighbours. */
	scrollToRow(d) {
		const top = this.flames ? this.contentHeight() - (d + 1) * ROW : d * ROW;
		const box = this.scroller, margin = Math.min(3 * ROW, box.clientHeight / 3);
		if (top < box.scrollTop + margin)
			box.scrollTop = top - margin;
		else if (top + ROW > box.scrollTop + box.clientHeight - margin)
			box.scrollTop = top + ROW + margin - box.clientHeight;
	}

	zoomTo(i, quietly) {
		const { tree } = this;
		if (!(tree.total[i] > 0))
			i = 0;
		this.zoom = this.focus = i;
		this.layOut();
		this.scrollToRow(tree.depth[i]);
		this.animateTo(tree.start[i], tree.total[i] || 1);
		this.hoverOn(-1);
		this.focusOn(i);
		if (!quietly)
			this.look.zoomed(this);
	}

	turn(flames) {
		this.flames = flames;
		this.layOut();
		this.scroller.scrollTop = flames ? this.contentHeight() : 0;
		this.scrollToRow(this.tree.depth[this.focus]);
		this.draw();
	}

	isZoomed(i) { return this.zoom && i >= this.zoom && i < this.tree.end[this.zoom]; }

	/* ---- Pointing and the keyboard ---- */

	nodeAt(event) {
		const { tree } = this, box = this.scroller.getBoundingClientRect();
		const y = event.clientY - box.top + this.scroller.scrollTop;
		const row = Math.floor((this.flames ? this.contentHeight() - y : y) / ROW);
		const at = this.from + (event.clientX - box.left) / this.width * this.span;
		let i = 0;
		while (i >= 0 && tree.depth[i] < row)
			i = tree.childAt(i, at);
		return row >= 0 && i >= 0 && at >= tree.start[i] && at < tree.start[i] + tree.total[i] ? i : -1;
	}

	hoverOn(i) {
		if (i === this.hovered)
			return;
		this.hovered = i;
		this.look.pointed(this, i >= 0 ? i : this.focus);
		this.draw();
	}

	hover(event) {
		const i = this.nodeAt(event);
		this.hoverOn(i);
		this.scroller.style.cursor = i >= 0 ? "pointer" : "default";
	}

	click(event) {
		const i = this.nodeAt(event);
		if (i >= 0)
			this.zoomTo(i);
		if (i >= 0)
			this.look.chosen(this, i);
	}

	/* The frame that the keyboard is at. Two elements take turns, as the same one would not
	 * be read out again. */
	focusOn(i) {
		const item = this.items.reverse()[0];
		this.focus = i;
		item.setAttribute("aria-level", this.tree.depth[i] + 1);
		item.setAttribute("aria-label", this.look.sentence(this, i));
		item.setAttribute("aria-selected", "true");
		this.items[1].removeAttribute("aria-selected");
		this.scroller.setAttribute("aria-activedescendant", item.id);
		this.look.pointed(this, i);
		this.draw();
	}

	move(i) {
		if (i < 0)
			return;
		if (i < this.zoom || i >= this.tree.end[this.zoom])
			this.zoomTo(i);
		this.scrollToRow(this.tree.depth[i]);
		this.hoverOn(-1);
		this.focusOn(i);
		this.look.chosen(this, i);
	}

	key(event) {
		const i = this.focus, { tree } = this, up = this.flames ? "ArrowDown" : "ArrowUp";
		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		switch (event.key) {
		case "ArrowUp": case "ArrowDown":
			this.move(event.key === up ? tree.parent[i] : tree.widestChild(i));
			break;
		case "ArrowLeft": this.move(tree.neighbour(i, -1, this.zoom)); break;
		case "ArrowRight": this.move(tree.neighbour(i, 1, this.zoom)); break;
		case "Home": this.move(this.zoom); break;
		case "Enter": case " ":
			this.zoomTo(i);
			this.look.chosen(this, i);
			break;
		case "Backspace": this.zoomTo(0); break;
		case "n": case "N": this.nextHit(event.key === "n" ? 1 : -1); break;
		default: return;
		}
		event.preventDefault();
	}
}
