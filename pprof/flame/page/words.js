/* Values, names and colours: no page is needed for what stands here. */
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

/* A foreign text without control characters, what turns the direction of writing, and what is
 * invisible, except where a script or an emoji needs it: the rule of base/printable.h. */
const LATIN = "\\0-\\u036f", ACTS = "\\u2028-\\u202e\\u2066-\\u2069\\ufff9-\\ufffb\\ufffe\\uffff\\p{DI}";
const HARMLESS = new RegExp(`([^${LATIN}${ACTS}])\\p{VS}?(?:[\\u180e\\u200c\\u200d](?=[^${LATIN}${ACTS}]))?|` +
	`[\\x00-\\x1f\\x7f-\\x9f${ACTS}]`, "gu");
const printable = text => text.replace(HARMLESS, (all, shown) => shown ? all : "\ufffd");

/* ---- Short names; pprof/shortname.c does the same for the static picture ---- */

const LONG = 1000;	/* characters, more than a screen shows in a line */

/* What compilers and linkers add to a clone of a function (GCC's clone_function_name, LLVM's
 * ThinLTO and machine splitting), demanglers' form of it, Rust's hash, a symbol's version. */
const CLONE = new RegExp("(?:\\.(?:constprop|isra|part|cold|lto_priv|localalias|llvm|__uniq|_omp_fn|" +
	"omp_fn|resolver|warm)(?:\\.\\d+)*)+$|\\s?\\[clone [^\\]]*\\]$|::h[0-9a-f]{16}$|@@?[A-Z]+_[\\d.]+$");
const NAMELESS_GO = /^(?:(?:func|gowrap|deferwrap)?\d+|)$/;	/* closures: main.f.func1.2 */
const OPERATOR = /operator(?:\(\)|\[\]|->\*?|<=>|<<=?|>>=?|&&|\|\||\+\+|--|[-+*/%^&|~!=<>,]=?)/y;
/* Lambdas, closures, calls of objects. */
const NAMELESS = /^(?:\{.*\}|'.*'|_FUN|operator\(\)|\$_\d+)$/;

function withoutClone(name) {
	for (let before = ""; before !== name;)
		name = (before = name).replace(CLONE, "");
	return name;
}

/* Without template arguments and arguments, without the type that is returned. What stands in
 * parentheses or braces and has a name behind it is a scope: (anonymous namespace), a function's
 * lambda. */
function withoutArguments(name) {
	let out = "", depth = 0;
	for (let i = 0; i < name.length; i++) {
		const c = name[i];
		OPERATOR.lastIndex = i;
		const operator = !depth && c === "o" && !/\w/.test(name[i - 1] || " ") && OPERATOR.exec(name);
		if (operator) {
			out += operator[0];
			i += operator[0].length - 1;
		} else if (!depth && name.startsWith("(anonymous namespace)", i)) {
			out += "(anonymous\u00a0namespace)";
			i += 20;
		} else if (c === "<" || c === "(") {
			depth++;
		} else if ((c === ">" && name[i - 1] !== "-") || c === ")") {
			depth = Math.max(depth - 1, 0);
		} else if (!depth) {
			out += c;
		}
	}
	out = out.replace(/(?: const| volatile| &&?)+$/, "").replace(/\[abi:\w+\]/g, "");
	const operator = out.search(/\boperator\b/), head = operator < 0 ? out : out.slice(0, operator);
	return out.slice(head.lastIndexOf(" ") + 1).replace(/^(?:::)+/, "").replaceAll("\u00a0", " ");
}

/* The last part of a list that has a name of its own, and what follows it. */
function named(parts, nameless, separator) {
	let from = parts.length - 1;
	while (from > 0 && nameless.test(parts[from]))
		from--;
	return parts.slice(from).join(separator);
}

/* From the whole name to its last part: without folders, without arguments and what was added to
 * a clone, without the scope. A name that is not understood has fewer forms. */
function shorten(name) {
	if (name.length > LONG)
		return [name.slice(0, LONG) + "…"];
	const python = /^py::([^:]+):/.exec(name);	/* CPython's perf map */
	if (python)
		return [name, python[1]];
	const forms = [name, name.replace(/^[^\s(<\[]*\/(?=[^\s/])/, "")
				 .replace(/ \S*\/([^/\s]+)$/, " $1")];
	let bare = withoutClone(forms[1]);
	if (bare.includes("::") || /[\w>\]]\(|\boperator\b|\w<.*>$/.test(bare)) {
		bare = withoutArguments(bare);
		/* The call of a lambda: the lambda is what has a place in the source. */
		const parts = bare.replace(/([}'])::operator\(\)$/, "$1").split("::");
		forms.push(bare, named(parts, NAMELESS, "::"));
	} else if (/^[^\s.[\]]+\.[^\s]*$/.test(bare)) {		/* Go; Java and others with dots */
		const parts = bare.replace(/\[[^\]]*\]/g, "").split(/\.(?![^(]*\))/);
		forms.push(bare, named(parts, NAMELESS_GO, "."));
	} else {
		forms.push(bare, bare.replace(/^[\w.+-]+!(?=.)/, ""));	/* cc1!fun_b1f500 */
	}
	return forms.filter((form, i) => form && forms.indexOf(form) === i);
}

/* Of a change from -1 (gone) to 1 (new): blue, grey, red. */
function changeColour(c, dark) {
	const hue = c > 0 ? 4 : 214, much = Math.abs(c);
	return dark ? `hsl(${hue} ${8 + 50 * much}% ${27 + 13 * much}%)` :
			  `hsl(${hue} ${8 + 70 * much}% ${89 - 28 * much}%)`;
}

/* The hue is of the module; the name moves it a little, so that neighbours are
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
