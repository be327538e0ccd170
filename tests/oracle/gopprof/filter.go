// Filters and pruning: google/pprof's methods and our functions (tests/tools/pprof_filter.c),
// applied to the same files.
package main

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"
)

func compiled(text string) *regexp.Regexp {
	if text == "" {
		return nil
	}
	return regexp.MustCompile(text)
}

func bits(list ...bool) string {
	var b strings.Builder
	for _, bit := range list {
		b.WriteByte("01"[map[bool]int{false: 0, true: 1}[bit]])
	}
	return b.String()
}

// theirs does the operation with google/pprof and returns what has matched.
func theirs(p *profile.Profile, name string, a []string) string {
	a = append(a, "", "", "", "")
	switch name {
	case "names":
		return bits(flatten(p.FilterSamplesByName(compiled(a[0]), compiled(a[1]), compiled(a[2]),
			compiled(a[3])))...)
	case "showfrom":
		return bits(p.ShowFrom(compiled(a[0])))
	case "labels":
		show, hide := p.FilterTagsByName(compiled(a[0]), compiled(a[1]))
		return bits(show, hide)
	case "prune":
		p.Prune(compiled(a[0]), compiled(a[1]))
	case "prunefrom":
		p.PruneFrom(compiled(a[0]))
	case "uninteresting":
		return bits(p.RemoveUninteresting() != nil)
	}
	return ""
}

func flatten(a, b, c, d bool) []bool { return []bool{a, b, c, d} }

type filterTest struct {
	tool, folder string
	differences  int
	done         int
}

func (t *filterTest) try(what, file, name string, arguments ...string) {
	out := filepath.Join(t.folder, "ours.pb.gz")
	cmd := exec.Command(t.tool, append([]string{file, out, name}, arguments...)...)
	cmd.Stderr = os.Stderr
	said, err := cmd.Output()
	if err != nil {
		fmt.Printf("%s: %s %q: %v\n", what, name, arguments, err)
		t.differences++
		return
	}
	want := parse(file)
	matched := theirs(want, name, arguments)
	t.done++
	have := parse(out)
	if matched != string(said) ||
		!bytes.Equal(encoded(want.Compact()), encoded(have.Compact())) {
		fmt.Printf("%s: %s %q differs: matched %s, we say %s\n", what, name, arguments, matched, said)
		t.differences++
	}
}

// patternsFor returns parts of names that the profile has, and common patterns.
func patternsFor(r *rand.Rand, p *profile.Profile) []string {
	list := []string{"", "", "^$", ".", "nothing matches this", "a", "^[a-m]", "(?i)M", "\\.go$|\\.cc$", "lib"}
	var names []string
	for _, f := range p.Function {
		names = append(names, f.Name, f.Filename)
	}
	for _, m := range p.Mapping {
		names = append(names, m.File)
	}
	for range 8 {
		if len(names) == 0 {
			break
		}
		name := names[r.Intn(len(names))]
		if len(name) > 3 {
			from := r.Intn(len(name) - 2)
			name = name[from : from+2+r.Intn(len(name)-from-2)]
		}
		list = append(list, regexp.QuoteMeta(strings.ToValidUTF8(name, "")))
	}
	return list
}

func (t *filterTest) file(r *rand.Rand, what, file string) {
	p := parse(file)
	list := patternsFor(r, p)
	pick := func() string { return list[r.Intn(len(list))] }
	times := 6
	if short && len(p.Sample) > large {
		times = 2
	}
	for range times {
		t.try(what, file, "names", pick(), pick(), pick(), pick())
	}
	t.try(what, file, "names", pick(), "", "", "")
	t.try(what, file, "names", "", pick(), "", "")
	t.try(what, file, "names", "", "", pick(), "")
	t.try(what, file, "names", "", "", "", pick())
	keys := []string{"", ".", "bytes", "key", "^k.*1$", "thread", "[02468]$"}
	for range times / 2 {
		t.try(what, file, "showfrom", pick())
		t.try(what, file, "labels", keys[r.Intn(len(keys))], keys[r.Intn(len(keys))])
		if drop := pick(); drop != "" {
			t.try(what, file, "prune", drop, pick())
			t.try(what, file, "prunefrom", drop)
		}
	}
	t.try(what, file, "uninteresting")
}

var randomNames = []string{"", "main", "main.main", "main.(*T).Run", ".ppc", "std::vector<int>::push(int)",
	"(anonymous namespace)::f(int)", "A::operator()(int)", "operator()", "f(", "(", "malloc", "operator new",
	"a", "b", "b.c", "漢字", "bad\xffutf8", "runtime.mallocgc", "x(y)(anonymous namespace)"}

// randomProfile has names that are pruned specially, calls inlined in each other, locations
// without lines or function, and labels in every shape.
func randomProfile(r *rand.Rand) *profile.Profile {
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "n", Unit: "count"}, {Type: "s", Unit: "bytes"}},
		DropFrames: []string{"", "malloc", "a|b", "main.*", "(?i)MAIN", "operator.*", "b)|(a", "(", "[[:foo:]]"}[r.Intn(9)],
		KeepFrames: []string{"", "", "b", "main.main", ")"}[r.Intn(5)],
	}
	for i := range r.Intn(4) {
		p.Mapping = append(p.Mapping, &profile.Mapping{ID: uint64(i + 1), Start: uint64(i) << 20,
			Limit: uint64(i+1) << 20, File: []string{"", "/lib/libc.so", "/bin/main", "a"}[r.Intn(4)]})
	}
	for i, name := range randomNames {
		p.Function = append(p.Function, &profile.Function{ID: uint64(i + 1), Name: name,
			SystemName: name, Filename: []string{"", "a.go", "/src/b.cc", "main.c"}[r.Intn(4)]})
	}
	for i := range 1 + r.Intn(30) {
		l := &profile.Location{ID: uint64(i + 1), Address: uint64(r.Intn(1 << 22))}
		if len(p.Mapping) > 0 && r.Intn(4) > 0 {
			l.Mapping = p.Mapping[r.Intn(len(p.Mapping))]
		}
		for range r.Intn(4) {
			line := profile.Line{Function: p.Function[r.Intn(len(p.Function))], Line: int64(r.Intn(9))}
			l.Line = append(l.Line, line)
		}
		p.Location = append(p.Location, l)
	}
	for range r.Intn(40) {
		s := &profile.Sample{Value: []int64{r.Int63n(100) - 20, r.Int63n(5)},
			Label: map[string][]string{}, NumLabel: map[string][]int64{}, NumUnit: map[string][]string{}}
		for range r.Intn(9) {
			s.Location = append(s.Location, p.Location[r.Intn(len(p.Location))])
		}
		for range r.Intn(4) {
			key := fmt.Sprint("key", r.Intn(4))
			s.Label[key] = append(s.Label[key], []string{"a", "b", "main", "main.go:7"}[r.Intn(4)])
		}
		for range r.Intn(4) {
			key := []string{"bytes", "request", "key1", "time"}[r.Intn(4)]
			s.NumLabel[key] = append(s.NumLabel[key], []int64{1, 64, 1 << 20, -5, 3000000}[r.Intn(5)])
			s.NumUnit[key] = append(s.NumUnit[key],
				map[string][]string{"bytes": {"", "kb"}, "request": {"", ""}, "key1": {"", "weird"},
					"time": {"ms", "nanoseconds"}}[key][r.Intn(2)])
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

// randomFiles writes random profiles; tests/oracle/filter.test runs pprof on them, too.
func randomFiles(folder, count, seed string) {
	n, err := strconv.Atoi(count)
	check(err)
	s, err := strconv.Atoi(seed)
	check(err)
	r := rand.New(rand.NewSource(int64(s)))
	for i := range n {
		file := filepath.Join(folder, fmt.Sprintf("random%d.pb.gz", i))
		var b bytes.Buffer
		check(randomProfile(r).Write(&b))
		check(os.WriteFile(file, b.Bytes(), 0o644))
	}
}

func filtered(tool, seed string, files []string) {
	s, err := strconv.Atoi(seed)
	check(err)
	folder, err := os.MkdirTemp("", "gopprof")
	check(err)
	defer os.RemoveAll(folder)
	t := filterTest{tool: tool, folder: folder}
	r := rand.New(rand.NewSource(int64(s)))
	for _, file := range files {
		t.file(r, filepath.Base(file), file)
	}
	fmt.Println(t.done, "compared")
	if t.differences > 0 {
		check(fmt.Errorf("%d differences", t.differences))
	}
}
