/*
 * The table of functions: what each spends itself and in all, sorted by a click on a column's head,
 * searched by the page's search. Only the rows in sight are elements.
 */
"use strict";

const LINE = 24;	/* pixels */

class FunctionTable {
	/* look: name(f), number(column, f), cells(f), chosen(f), opened(f) */
	constructor(look) {
		this.look = look;
		this.rows = [];
		this.selected = -1;
		this.column = "self";
		this.upwards = false;
		this.heads = [["self", "Self"], ["total", "Total"], ["name", "Function"]].map(([id, text]) =>
			element("th", { scope: "col", role: "columnheader", class: id }, element("button", {
				type: "button", onclick: () => this.sortBy(id) }, text)));
		this.body = element("tbody");
		this.scroller = element("div", {
			class: "lines", tabindex: "0", role: "grid", "aria-label": "Functions: up and down select, " +
				"Enter shows callers and callees",
			onscroll: () => this.draw(), onkeydown: e => this.key(e), onclick: e => this.click(e),
			ondblclick: e => this.click(e, true),
		}, element("table", { role: "presentation" }, element("thead", {},
			element("tr", { role: "row" }, ...this.heads)), this.body));
		this.box = element("div", { class: "functions" }, this.scroller);
		new ResizeObserver(() => this.draw()).observe(this.scroller);
	}

	/* frames: the numbers of the functions to list. */
	list(frames) {
		this.rows = frames;
		this.sort();
	}

	sortBy(column) {
		this.upwards = this.column === column ? !this.upwards : column === "name";
		this.column = column;
		this.sort();
		this.scroller.scrollTop = 0;
	}

	sort() {
		const { look, column } = this, sign = this.upwards ? 1 : -1;
		const key = column === "name" ? look.name : f => look.number(column, f);
		const keys = new Map(this.rows.map(f => [f, key(f)]));
		this.rows.sort((a, b) => {
			const x = keys.get(a), y = keys.get(b);
			return x < y ? -sign : x > y ? sign : look.number("total", b) - look.number("total", a) || a - b;
		});
		for (const head of this.heads) {
			const own = head.className === column;
			head.setAttribute("aria-sort", !own ? "none" : this.upwards ? "ascending" : "descending");
		}
		this.draw();
	}

	select(f) {
		this.selected = f;
		const at = this.rows.indexOf(f), box = this.scroller;
		if (at >= 0 && at * LINE < box.scrollTop)
			box.scrollTop = at * LINE;
		else if (at >= 0 && (at + 2) * LINE > box.scrollTop + box.clientHeight)
			box.scrollTop = (at + 2) * LINE - box.clientHeight;
		this.draw();
	}

	/* The head takes one line. */
	draw() {
		const box = this.scroller, from = Math.max(Math.floor(box.scrollTop / LINE) - 4, 0);
		const to = Math.min(from + Math.ceil(box.clientHeight / LINE) + 8, this.rows.length);
		const room = lines => element("tr", { "aria-hidden": "true", style: `height:${lines * LINE}px` });
		box.setAttribute("aria-rowcount", this.rows.length + 1);
		this.body.replaceChildren(room(from), ...this.rows.slice(from, to).map((f, i) =>
			this.row(f, from + i)), room(this.rows.length - to));
		if (this.rows.length)
			return;
		this.body.replaceChildren(element("tr", {}, element("td", { colspan: "3", class: "none" },
								     "no function")));
	}

	row(f, at) {
		const own = f === this.selected, cells = this.look.cells(f);
		const row = element("tr", { role: "row", "aria-rowindex": at + 2, "aria-selected": String(own),
					    id: "line" + f, "data-f": f },
			...cells.map((cell, i) => element("td", { role: "gridcell", class: i < 2 ? "number" : "name",
								  title: cell.title || false },
				cell.bar ? element("i", { style: `width:${cell.bar}` }) : "", element("span", {}, cell.text))));
		if (own)
			this.scroller.setAttribute("aria-activedescendant", row.id);
		return row;
	}

	click(event, open) {
		const row = event.target.closest("[data-f]");
		if (!row)
			return;
		const f = Number(row.dataset.f);
		this.look.chosen(f);
		if (open)
			this.look.opened(f);
	}

	key(event) {
		const at = this.rows.indexOf(this.selected);
		const to = { ArrowDown: at + 1, ArrowUp: Math.max(at - 1, 0), Home: 0, End: this.rows.length - 1,
			     PageDown: at + 10, PageUp: Math.max(at - 10, 0) }[event.key];
		if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.scroller)
			return;
		if (event.key === "Enter" && at >= 0)
			this.look.opened(this.selected);
		else if (to === undefined || !this.rows.length)
			return;
		else
			this.look.chosen(this.rows[Math.min(to, this.rows.length - 1)]);
		event.preventDefault();
	}
}
