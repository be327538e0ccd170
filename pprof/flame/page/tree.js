/*
 * Stacks merged into a tree. Its arrays are in the order in which parents come before their
 * children, so "everything below node i" is i + 1 … end[i] - 1, and all walks are loops.
 *
 * The tree of a profile begins at the root of all stacks. Those of a function, its callers and its
 * callees, begin at the function: at its outermost call in each stack, so that no sample counts
 * twice.
 */
"use strict";

/* Which frames of a sample make its path: steps are from `from` to `to`, exclusive, in either
 * direction; from === to: the sample is at the root. */
const wholeStack = (frames, s) => [frames.at[s], frames.at[s + 1], 1];

function callPath(frames, s, f, outwards) {
	for (let i = frames.at[s]; i < frames.at[s + 1]; i++)
		if (frames.stack[i] === f)
			return outwards ? [i - 1, frames.at[s] - 1, -1] : [i + 1, frames.at[s + 1], 1];
	return null;
}

class Tree {
	static MAX = 4e6;	/* nodes; what a stack has beyond them is joined to the caller */

	/* rootFrame: of the node 0. pathOf(s): as wholeStack, or null. isHidden: by frame. */
	constructor(frames, rootFrame, pathOf, isHidden) {
		const samples = frames.at.length - 1;
		this.frames = frames;
		this.leaf = new Int32Array(samples).fill(-1);
		this.nodes = 1;
		this.cut = 0;	/* samples */
		this.made = { frame: Int32Array.of(rootFrame), parent: Int32Array.of(-1), depth: Int32Array.of(0) };
		this.table = new Int32Array(4096).fill(-1);
		for (let s = 0; s < samples; s++)
			this.addStack(frames, s, pathOf(s), isHidden);
		this.order(frames);
		delete this.made;
		delete this.table;
	}

	addStack(frames, s, path, isHidden) {
		if (!path)
			return;
		const [from, to, step] = path, stack = frames.stack;
		let node = 0;
		let i = from;
		for (; i !== to && this.nodes < Tree.MAX; i += step)
			if (!isHidden[stack[i]])
				node = this.child(node, stack[i]);
		this.cut += i === to ? 0 : 1;
		this.leaf[s] = node;
	}

	/* Finds or adds a child: a hash table with open addresses. */
	child(node, f) {
		const { frame, parent } = this.made, mask = this.table.length - 1;
		let at = (Math.imul(node, 0x9e3779b1) ^ Math.imul(f, 0x85ebca6b)) >>> 7 & mask;
		for (let n; (n = this.table[at]) >= 0; at = at + 1 & mask)
			if (parent[n] === node && frame[n] === f)
				return n;
		const added = this.nodes++;
		this.table[at] = added;
		if (added === frame.length)
			this.grow();
		this.made.frame[added] = f;
		this.made.parent[added] = node;
		this.made.depth[added] = this.made.depth[node] + 1;
		if (this.nodes * 2 > this.table.length)
			this.rehash();
		return added;
	}

	grow() {
		for (const key of Object.keys(this.made)) {
			const more = new Int32Array(this.made[key].length * 2);
			more.set(this.made[key]);
			this.made[key] = more;
		}
	}

	rehash() {
		const { frame, parent } = this.made, table = new Int32Array(this.table.length * 4).fill(-1);
		const mask = table.length - 1;
		for (let n = 1; n < this.nodes; n++) {
			let at = (Math.imul(parent[n], 0x9e3779b1) ^ Math.imul(frame[n], 0x85ebca6b)) >>> 7 & mask;
			while (table[at] >= 0)
				at = at + 1 & mask;
			table[at] = n;
		}
		this.table = table;
	}

	/* Numbers the nodes anew: siblings by name, each before all that it calls. */
	order(frames) {
		const made = this.made, count = this.count = this.nodes;
		const first = new Int32Array(count).fill(-1), next = new Int32Array(count).fill(-1);
		const number = new Int32Array(count);
		this.linkByName(frames, first, next);
		this.frame = new Int32Array(count);
		this.parent = new Int32Array(count).fill(-1);
		this.depth = new Int32Array(count);
		this.end = new Int32Array(count);
		for (let n = 0, i = 0; n >= 0; i++) {
			number[n] = i;
			this.frame[i] = made.frame[n];
			this.depth[i] = made.depth[n];
			this.parent[i] = n ? number[made.parent[n]] : -1;
			if (first[n] >= 0) {
				n = first[n];
				continue;
			}
			while (n >= 0 && next[n] < 0) {
				this.end[number[n]] = i + 1;
				n = made.parent[n];
			}
			if (n >= 0) {
				this.end[number[n]] = i + 1;
				n = next[n];
			}
		}
		for (let s = 0; s < this.leaf.length; s++)
			if (this.leaf[s] >= 0)
				this.leaf[s] = number[this.leaf[s]];
	}

	/* The nodes of the last name are put first into their parents' lists. */
	linkByName(frames, first, next) {
		const { frame, parent } = this.made, ofFrame = new Int32Array(frames.list.length).fill(-1);
		const same = new Int32Array(this.count).fill(-1);
		for (let n = 1; n < this.count; n++) {
			same[n] = ofFrame[frame[n]];
			ofFrame[frame[n]] = n;
		}
		for (let i = frames.byName.length - 1; i >= 0; i--)
			for (let n = ofFrame[frames.byName[i]]; n >= 0; n = same[n]) {
				next[n] = first[parent[n]];
				first[parent[n]] = n;
			}
	}

	/* Adds up weights of samples: self and total of each node, and where it stands. `against`:
	 * weights of the other side of a difference, or null. */
	sum(weights, against) {
		this.self = this.leafSums(weights);
		this.total = this.totals(this.self);
		this.other = against && this.totals(this.leafSums(against));
		this.start = new Float64Array(this.count);
		const at = new Float64Array(this.count);
		for (let i = 1; i < this.count; i++) {	/* what a node spends itself is the gap at its end */
			this.start[i] = at[i] = at[this.parent[i]];
			at[this.parent[i]] += this.total[i];
		}
	}

	leafSums(weights) {
		const sums = new Float64Array(this.count);
		for (let s = 0; s < this.leaf.length; s++)
			if (this.leaf[s] >= 0)
				sums[this.leaf[s]] += weights[s];
		return sums;
	}

	totals(self) {
		const sums = Float64Array.from(self);
		for (let i = this.count - 1; i > 0; i--)
			sums[this.parent[i]] += sums[i];
		return sums;
	}

	/* Of each frame: what it spends itself, and in all, where a recursive call counts once. */
	functions(self, total) {
		const out = { self: new Float64Array(this.frames.list.length),
			      total: new Float64Array(this.frames.list.length) };
		const until = new Int32Array(this.frames.list.length);
		for (let i = 0; i < this.count; i++) {
			const f = this.frame[i];
			if (f < 0)
				continue;
			out.self[f] += self[i];
			if (i >= until[f]) {
				out.total[f] += total[i];
				until[f] = this.end[i];
			}
		}
		return out;
	}

	/* How many nodes have a value. */
	shown() {
		let n = 0;
		for (let i = 1; i < this.count; i = this.isSeen(i) ? i + 1 : this.end[i])
			n += this.isSeen(i) ? 1 : 0;
		return n;
	}

	isSeen(i) { return this.total[i] > 0; }

	childAt(i, value) {
		for (let c = i + 1; c < this.end[i]; c = this.end[c])
			if (value >= this.start[c] && value < this.start[c] + this.total[c])
				return c;
		return -1;
	}

	widestChild(i) {
		let best = -1;
		for (let c = i + 1; c < this.end[i]; c = this.end[c])
			if (this.total[c] > 0 && (best < 0 || this.total[c] > this.total[best]))
				best = c;
		return best;
	}

	/* The next frame in the same row, to the left (-1) or right (1), below `top`. */
	neighbour(i, step, top) {
		for (let n = i + step; n > top && n < this.end[top]; n += step)
			if (this.depth[n] === this.depth[i] && this.total[n] > 0)
				return n;
		return -1;
	}

	/* The last row below a node. */
	deepest(top) {
		let deep = this.depth[top];
		for (let i = top; i < this.end[top]; i = this.total[i] > 0 ? i + 1 : this.end[i])
			if (this.total[i] > 0 && this.depth[i] > deep)
				deep = this.depth[i];
		return deep;
	}

	/* From a node to the root. */
	path(i) {
		const out = [];
		for (; i >= 0; i = this.parent[i])
			if (this.frame[i] >= 0)
				out.push(this.frame[i]);
		return out;
	}
}
