/* Values, names and colours, for flamegraph.js: no page is needed for what stands here. */
"use strict";

const SCALES = {
	nanoseconds: [["h", 36e11], ["min", 6e10], ["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]],
	microseconds: [["h", 3600e6], ["min", 60e6], ["s", 1e6], ["ms", 1e3], ["µs", 1]],
	milliseconds: [["h", 3600e3], ["min", 60e3], ["s", 1e3], ["ms", 1]],
	seconds: [["h", 3600], ["min", 60], ["s", 1]],
	bytes: [["TB", 2 ** 40], ["GB", 2 ** 30], ["MB", 2 ** 20], ["kB", 2 ** 10], ["B", 1]],
};

function words(value, unit) {
	const scales = Object.hasOwn(SCALES, unit) && SCALES[unit], size = Math.abs(value);
	const bare = scales || unit === "count" || !unit;
	if (!scales || !value)
		return value.toLocaleString("en-US") + (bare ? "" : " " + unit);
	const [name, factor] = scales.find(s => size >= s[1]) || scales.at(-1);
	const scaled = value / factor, digits = Math.abs(scaled) >= 100 ? 1 : 2;
	return +scaled.toFixed(factor === 1 ? 0 : digits) + " " + name;
}

function share(part, whole) {
	const percent = whole ? 100 * part / whole : 0;
	return percent.toFixed(percent > 0 && percent < 0.1 ? 3 : 2) + "%";
}

/* A name of the file system without its folders, a text as a regular expression. */
const baseName = path => path.slice(path.lastIndexOf("/", path.length - 2) + 1);
const literally = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/* From the whole name to its last part: without folders, then without arguments and
 * template arguments, then without what it belongs to. */
function shorten(name) {
	const forms = [name, name.replace(/^[^\s(<\[]*\/(?=[^\s/])/, "")
				 .replace(/ \S*\/([^/\s]+)$/, " $1")];
	if (!/operator|anonymous/.test(name) && name.includes("::")) {
		let plain = forms[1].replace(/\([^()]*\)( const)?$/, ""), before;
		do
			plain = (before = plain).replace(/<[^<>]*>/g, "");
		while (plain !== before);
		forms.push(plain);
	}
	const last = /(?:::|[\w)\]]\.)(~?[\w-]+)$/.exec(forms.at(-1));
	return last ? [...forms, last[1]] : forms;
}

/* Of a change from -1 (gone) to 1 (new): blue, grey, red. */
function changeColour(c, dark) {
	const hue = c > 0 ? 4 : 214, much = Math.abs(c);
	return dark ? `hsl(${hue} ${8 + 50 * much}% ${27 + 13 * much}%)` :
			  `hsl(${hue} ${8 + 70 * much}% ${89 - 28 * much}%)`;
}

/* data.frames.hue is of the module; the name moves it a little, so that neighbours are
 * told apart. Dark on light in the one theme, light on dark in the other: 4.5 to 1. */
function hueColour(hue, name, dark) {
	let n = 0;
	for (let i = 0; i < name.length; i++)
		n = (n * 31 + name.charCodeAt(i)) & 0xffff;
	const shade = n % 7 - 3;
	if (hue < 0)
		return dark ? `hsl(220 6% ${31 + shade / 2}%)` : `hsl(220 8% ${80 + shade}%)`;
	hue = (hue + n % 19 - 9 + 360) % 360;
	return dark ? `hsl(${hue} 36% ${31 + shade}%)` : `hsl(${hue} 58% ${75 + shade}%)`;
}
