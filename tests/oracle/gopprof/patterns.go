// Common and random patterns, matched by Go's regexp and by ours (tests/tools/pprof_pattern.c):
// both must refuse the same patterns, and match the same texts with the others.
package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

var written = []string{
	``, `main`, `^main\.`, `main\.(*T)`, `main\.\(\*T\)`, `std::.*<int>`, `a|b|`, `|`, `()`, `()*`,
	`(a|b)*c`, `(?i)MAIN`, `(?i:m)AIN`, `m(?i)AIN|x`, `(m(?i)A|I)N`, `(?-i)a`, `(?i-s)a`, `(?-)a`,
	`(?i-)a`, `(?)a`, `(?i)*`, `a(?i)*`, `a*(?i)*`, `a*(?i)+?(?-i){2}b`, `(?P<name>a)b`, `(?<n>a)b`,
	`(?P<a-b>a)`, `(?P<>a)`, `(?P=name)`, `(?P>a)`, `(?'n'a)`, `(?=a)`, `(?!a)`, `(?<=a)b`,
	`(?<!a)b`, `(?>a)`, `(?|a)`, `(?#a)`, `(a)\1`, `\0`, `\01`, `\1`, `\8`, `\12`, `\777`, `\x`,
	`\x4`, `\x41`, `\xg1`, `\x{41}`, `\x{}`, `\x{110000}`, `\x{10ffff}`, `\x{d800}`, `\C`, `\Z`,
	`\z`, `\A`, `\a`, `\e`, `\K`, `\R`, `\X`, `\N`, `\h`, `\H`, `\V`, `\v`, `\G`, `\Q`, `\Qa*b\E`,
	`\Qa*`, `\Q\E*`, `a\Q\E*`, `\Qab\E+$`, `\E`, `\`, `a\`, `\_`, `\-`, `\ä`, `\.`, `\q`,
	`a**`, `a*+`, `a++`, `a?+`, `a*?`, `a+?`, `a??`, `a???`, `a{2}{3}`, `a{2}*`, `a{2}+`, `a{2}?`,
	`a{,5}`, `a{}`, `a{1`, `a{1,`, `a{1,2`, `a{01}`, `a{1,01}`, `a{1000}`, `a{1001}`, `a{2,1}`,
	`a{99999999999}`, `a{0}b`, `{1}`, `*`, `+a`, `?`, `|*`, `(*)`, `a|*`, `^*`, `$+`, `\b?a`,
	`(?m)^*a`, `[a`, `[`, `[]`, `[]a]`, `[^]a]`, `[^`, `[]-a]`, `[a-]`, `[-a]`, `[a-b-c]`, `[--a]`,
	`[z-a]`, `[a-\d]`, `[\d-a]`, `[\da]`, `[^\D]`, `[^\W_]`, `[\w\W]`, `[^\w\W]`, `[[:alpha:]]`,
	`[[:^alpha:]]`, `[[:alpha:]`, `[:alpha:]`, `[[:foo:]]`, `[[:d:]]`, `[[:word:]-]`, `[[a]`,
	`[[.a.]]`, `[[=a=]]`, `[a&&b]`, `[a||b]`, `[\]]`, `[\b]`, `[\Qa\E]`, `[\n]`, `[\x00-\x{10ffff}]`,
	`[^\x00-\x{10ffff}]`, `(?i)[k]`, `(?i)[^k]`, `(?i)s`, `(?i)[^s]`, `(?i)\w`, `(?i)\W`,
	`(?i)[[:^alpha:]]`, `(?i)[[:lower:]]`, `(?i)[^\W]`, `(?i)ß`, `(?i)Σ`, `(?i)ς`, `(?i)µ`, `(?i)Ω`,
	`(?i)i`, `(?i)İ`, `(?i)ı`, `(?i)ǆ`, `\pL`, `\pN`, `\p{L}`, `\p{Lu}`, `\p{^Lu}`, `\P{^Lu}`,
	`\p{Greek}`, `\P{Greek}`, `[\p{Greek}x]`, `[^\p{Greek}]`, `\p{Han}`, `\p{}`, `\p`, `\pé`, `\p{Foo}`,
	`\p{Any}`, `\P{Any}`, `\p{ASCII}`, `\p{Greek`, `^$`, `$^`, `^`, `$`, `a$`, `a$b`, `(?m)^b`,
	`(?m)a$`, `(?m)^$`, `(?m)$`, `(?s)a.b`, `a.b`, `(?s-s)a.b`, `(?ms)^.$`, `\ba`, `a\b`, `\Ba`, `a\B`,
	`é\b`, `\bé`, `(`, `)`, `a)`, `(a`, `((a)`, `(?:a`, `(?i`, `(?`, `(?:`, `(?P<a`, `.`, `..`, `^.$`,
	`(?U)a*`, `(?U)a*?b`, `(a*)*b`, `(a|aa)+$`, `((a?){5}){5}b`, `a.*b.*c`, `x*y*z*`, `runtime\..*`,
	`^(a)|(b)$`, `(?i:a(?-i:b)c)`, `(?i)a(?-i)b`, "a\tb", "(?x) a b", "#a", " ", "a b", "\x00", "\xff",
	"[\xff]", "a\xc3", `�`, `[^a]`, `\D`, `\S`, `\W+`, `\s`, `\d`,
}

var texts = []string{
	"", "a", "b", "ab", "abc", "aa", "aaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "main", "main.main",
	"main.(*T).Run", "MAIN", "Main", "mAIN", "std::vector<int>::push_back", "x", "X", "k", "K", "K", "s",
	"S", "ſ", "ß", "ẞ", "Σ", "σ", "ς", "µ", "μ", "Ω", "Ω", "i", "I", "İ", "ı", "Ǆ", "ǅ", "ǆ", "é", "É",
	"aé", "漢", "\n", "a\n", "\na", "a\nb", "a\n\nb", "\r", "a\r", "\r\n", "\v", "\f", "\t", " ", "a b",
	"\x00", "a\x00b", "\xff", "a\xffb", "\xc3", "\xed\xa0\x80", "�", "😀", "\u2028", "\u0085", "_", "-",
	"]", "[", "^", "{", "a{,5}", "a{}", "a{1", "a*", "+", ".", "\\", "a&b", "|", "0", "9", "Z", "z", "xyz",
	":", "[:alpha:]", "runtime.mallocgc", "C", "c", "y", "ÿ", "ā",
}

var pieces = []string{
	`a`, `b`, `k`, `S`, `é`, `.`, `\w`, `\W`, `\d`, `\s`, `\S`, `[ab]`, `[^ab]`, `[a-k]`, `[^\W_]`, `\b`,
	`\B`, `^`, `$`, `\A`, `\z`, `(`, `(`, `(?:`, `(?i)`, `(?i:`, `(?-i)`, `(?s)`, `(?m)`, `(?m:`, `)`, `)`,
	`)`, `|`, `*`, `+`, `?`, `??`, `{2}`, `{0,2}`, `{1,}`, `{,2}`, "\n", `\Qa.\E`, `\x{212a}`, `\pL`,
	`\p{Greek}`, `[[:^lower:]]`, `]`, `-`, `[`, `\\`, `\.`,
}

func random(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.Intn(10) {
		b.WriteString(pieces[r.Intn(len(pieces))])
	}
	return b.String()
}

func randomText(r *rand.Rand) string {
	letters := []string{"a", "b", "A", "k", "K", "s", "ſ", "\n", ".", "é", "α", "\xff", "-", "1", " "}
	var b strings.Builder
	for range r.Intn(12) {
		b.WriteString(letters[r.Intn(len(letters))])
	}
	return b.String()
}

func ask(tool string, patterns, texts []string) []string {
	var in bytes.Buffer
	for _, p := range patterns {
		in.WriteString("x" + hex.EncodeToString([]byte(p)))
		for _, t := range texts {
			in.WriteString("\tx" + hex.EncodeToString([]byte(t)))
		}
		in.WriteString("\n")
	}
	cmd := exec.Command(tool)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	check(err)
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

func compareAnswers(tool string, patterns, texts []string) (differences int) {
	answers := ask(tool, patterns, texts)
	if len(answers) != len(patterns) {
		check(fmt.Errorf("%d answers to %d patterns", len(answers), len(patterns)))
	}
	for i, p := range patterns {
		rx, err := regexp.Compile(p)
		refused := strings.HasPrefix(answers[i], "bad")
		if (err != nil) != refused {
			fmt.Printf("%q: Go says %v, we say %s\n", p, err, answers[i])
			differences++
		}
		if err != nil || refused {
			continue
		}
		want := make([]byte, len(texts))
		for j, t := range texts {
			want[j] = '0'
			if rx.MatchString(t) {
				want[j] = '1'
			}
		}
		for j := range texts {
			if string(want) != answers[i] && (j >= len(answers[i]) || answers[i][j] != want[j]) {
				fmt.Printf("%q: on %.60q Go says %c, we say %.60s\n", p, texts[j], want[j], answers[i])
				differences++
				break
			}
		}
	}
	return differences
}

func patterns(tool, count, seed string) {
	n, err := strconv.Atoi(count)
	check(err)
	s, err := strconv.Atoi(seed)
	check(err)
	differences := compareAnswers(tool, written, texts)
	r := rand.New(rand.NewSource(int64(s)))
	for ; n > 0; n -= 1000 {
		var list, on []string
		for range min(n, 1000) {
			list = append(list, random(r))
		}
		// Long texts are for our second matcher (pcre2_dfa_match; pprof/select/pattern.h).
		before := strings.Repeat([]string{"-", "\n", "é"}[r.Intn(3)], 3000*(r.Intn(8)/7))
		for range 40 {
			on = append(on, before+randomText(r))
		}
		differences += compareAnswers(tool, list, on)
	}
	if differences > 0 {
		check(fmt.Errorf("%d differences", differences))
	}
}
