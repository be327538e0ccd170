// For tests/oracle/merge.test: every operation of pprof/{merge,scale,labels}.h on every profile
// is done by tests/tools/pprof_ops and by google/pprof, and the results are compared value by
// value, order included. It prints a line "ok …" or "not ok …" for each operation.
//
//	gopprof operations TOOL SAMPLER WORK FOLDERS… -- SEED COUNT
//
// TOOL is pprof_ops, WORK a folder to work in; FOLDERS hold profiles in any form that
// google/pprof reads. COUNT random profiles are made from SEED.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/driver"
	"github.com/google/pprof/profile"
)

type bench struct {
	tool, sampler, work string
	cases, failures     map[string]int
	order               []string
}

// through returns p after it was written and read: what a file cannot represent is gone.
func through(p *profile.Profile) *profile.Profile {
	q, err := profile.ParseData(encoded(p))
	check(err)
	return q
}

func (b *bench) path(name string) string { return filepath.Join(b.work, name) }

func (b *bench) store(name string, p *profile.Profile) string {
	check(os.WriteFile(b.path(name), encoded(p), 0o644))
	return b.path(name)
}

// verdict counts a case of an operation; the first failing case of each operation is shown.
func (b *bench) verdict(operation, what string, problem error) {
	if b.cases[operation] == 0 {
		b.order = append(b.order, operation)
	}
	b.cases[operation]++
	if problem == nil {
		return
	}
	b.failures[operation]++
	if b.failures[operation] == 1 {
		fmt.Printf("%s, %s: %v\n", operation, what, problem)
	}
}

// differences reports a difference in any field, in ids or in order.
func differences(have, want *profile.Profile) error {
	have, want = through(have), through(want)
	if bytes.Equal(encoded(have), encoded(want)) {
		return nil
	}
	return fmt.Errorf("profiles differ\n--- have\n%s\n--- want\n%s", have, want)
}

// place is a location in full: its mapping and functions by their contents, not by ids, which
// our decoder assigns anew.
func place(l *profile.Location, ordered bool) string {
	var out strings.Builder
	address, m := l.Address, profile.Mapping{}
	if l.Mapping != nil {
		m = *l.Mapping
		m.ID = 1
	}
	if l.Mapping != nil && !ordered { // of equal mappings, any may have come first
		address -= m.Start
		m = profile.Mapping{ID: 1, Limit: (m.Limit - m.Start + 0xfff) >> 12,
			Offset: m.Offset, File: cmp.Or(m.BuildID, m.File)}
	}
	fmt.Fprintf(&out, "  %x %v %+v", address, l.IsFolded, m)
	for _, line := range l.Line {
		f := *line.Function
		f.ID = 0
		fmt.Fprintf(&out, " %d:%d %+v", line.Line, line.Column, f)
	}
	return out.String()
}

// samples returns the samples of p, each in full.
func samples(p *profile.Profile, ordered bool) (all []string) {
	places := map[*profile.Location]string{}
	for _, l := range p.Location {
		places[l] = place(l, ordered)
	}
	for _, s := range p.Sample {
		lines := []string{fmt.Sprintln(s.Value, s.Label, s.NumLabel, s.NumUnit)}
		for _, l := range s.Location {
			lines = append(lines, places[l])
		}
		all = append(all, strings.Join(lines, "\n"))
	}
	if !ordered {
		slices.Sort(all)
	}
	return all
}

// inContents reports differences in the contents of samples; ids, and the order unless
// `ordered`, may differ.
func inContents(have, want *profile.Profile, ordered bool) error {
	var sides [2]string
	for i, p := range []*profile.Profile{through(have), through(want)} {
		all := samples(p, ordered)
		p.Sample, p.Location, p.Function, p.Mapping = nil, nil, nil, nil
		sides[i] = p.String() + p.DropFrames + "\n" + p.KeepFrames + "\n" +
			strings.Join(all, "\n")
	}
	if sides[0] == sides[1] {
		return nil
	}
	return fmt.Errorf("profiles differ\n--- have\n%s\n--- want\n%s", sides[0], sides[1])
}

// anew lists the operations that build a new profile: every number of it is compared.
var anew = []string{"merge", "compact"}

func (b *bench) differ(operation string, have, want *profile.Profile) error {
	if strings.HasPrefix(operation, "command") {
		for _, p := range []*profile.Profile{have, want} {
			p.DropFrames, p.KeepFrames = "", "" // the command pprof has used them
		}
		return differences(have, want)
	}
	if slices.Contains(anew, operation) {
		return differences(have, want)
	}
	return inContents(have, want, operation != "common")
}

// compare runs a command that writes OUT, and compares that with `want`; nil: the command must
// fail.
func (b *bench) compare(operation, what string, want *profile.Profile, command ...string) {
	out := b.path("out")
	os.Remove(out)
	text, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	switch {
	case want == nil && err == nil:
		err = fmt.Errorf("google/pprof refuses, we do not")
	case want == nil:
		err = nil
	case err != nil:
		err = fmt.Errorf("%v: %s", err, text)
	default:
		err = b.differ(operation, parse(out), want)
	}
	b.verdict(operation, what, err)
}

func (b *bench) operate(operation, what string, want *profile.Profile, arguments ...string) {
	command := append([]string{b.tool, operation, b.path("out")}, arguments...)
	b.compare(operation, what, want, command...)
}

func copies(ps []*profile.Profile) []*profile.Profile {
	var out []*profile.Profile
	for _, p := range ps {
		out = append(out, p.Copy())
	}
	return out
}

func (b *bench) storeAll(ps []*profile.Profile) []string {
	var paths []string
	for i, p := range ps {
		paths = append(paths, b.store(fmt.Sprint("in", i), p))
	}
	return paths
}

func (b *bench) merge(what string, ps ...*profile.Profile) {
	want, _ := profile.Merge(copies(ps))
	b.operate("merge", what, want, b.storeAll(ps)...)
}

// common merges profiles with different sample types by the types that they have in common.
func (b *bench) common(what string, pair ...*profile.Profile) {
	inputs := copies(pair)
	want := copies(pair)
	if profile.CompatibilizeSampleTypes(want) != nil {
		b.operate("common", what, nil, b.storeAll(inputs)...)
		return
	}
	sum, _ := profile.Merge(want)
	b.operate("common", what, sum, b.storeAll(inputs)...)
}

// withTypes returns p with its sample types in another order, and one less or one more.
func (f *family) withTypes(p *profile.Profile) *profile.Profile {
	p = p.Copy()
	order := f.Perm(len(p.SampleType))
	if f.Intn(2) == 0 && len(order) > 1 {
		order = order[1:]
	}
	extra := f.Intn(2) == 0
	old := p.SampleType
	p.SampleType = nil
	for _, i := range order {
		p.SampleType = append(p.SampleType, old[i])
	}
	if extra {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: "extra", Unit: "count"})
	}
	for _, s := range p.Sample {
		var values []int64
		for _, i := range order {
			values = append(values, s.Value[i])
		}
		if extra {
			values = append(values, 7)
		}
		s.Value = values
	}
	return p
}

// The short form leaves out some operations on large profiles, which take most of the time.
var short = os.Getenv("SAMPLER_TEST_LONG") != "1"

const large = 5000 // samples

var ratios = []float64{-1, 0, 0.5, 1, 2.5, 1e-3, 3, -0.25}

// single does all operations on a single profile.
func (b *bench) single(what string, p *profile.Profile, pick func(int) int) {
	in := b.store("in", p)
	b.operate("compact", what, p.Copy().Compact(), in)
	ratio := ratios[pick(len(ratios))]
	q := p.Copy()
	q.Scale(ratio)
	b.operate("scale", what, q, in, fmt.Sprint(ratio))
	if short && len(p.Sample) > large {
		return
	}
	q = p.Copy()
	arguments := []string{in}
	var each []float64
	for range p.SampleType {
		each = append(each, ratios[pick(len(ratios))])
		arguments = append(arguments, fmt.Sprint(each[len(each)-1]))
	}
	check(q.ScaleN(each))
	b.operate("scale-each", what, q, arguments...)
	b.labels(what, p, in, []string{"thread", "bytes", "new", ""}[pick(4)])
}

func (b *bench) labels(what string, p *profile.Profile, in, key string) {
	q := p.Copy()
	q.SetLabel(key, []string{"x", "w"})
	b.operate("set", what, q, in, key, "x", "w")
	q = p.Copy()
	q.RemoveLabel(key)
	b.operate("remove", what, q, in, key)
}

// pair does the operations on two profiles, by google/pprof's library and by its command.
func (b *bench) pair(what string, p, base *profile.Profile) {
	in, other := b.store("in", p), b.store("base", base)
	q := p.Copy()
	if q.Normalize(base.Copy()) != nil {
		q = nil
	}
	b.operate("normalize", what, q, in, other)
	if len(p.Mapping) == 0 || len(base.Mapping) == 0 {
		return // the command then invents a mapping, to look for symbols
	}
	for _, kind := range []string{"-diff_base", "-base"} {
		for _, normalize := range []bool{false, true} {
			b.difference(what, in, other, kind, normalize)
		}
	}
	merged := b.pprof("-normalize=false", in, other)
	b.compare("command_merge", what, merged, b.sampler, "merge", in, other, "-o", b.path("out"))
}

func (b *bench) difference(what, in, base, kind string, normalize bool) {
	theirs := []string{fmt.Sprintf("-normalize=%t", normalize), kind, base, in}
	ours := []string{b.sampler, "diff", base, in, "-o", b.path("out")}
	if kind == "-base" {
		ours = append(ours, "--subtract")
	}
	if normalize {
		ours = append(ours, "--normalize")
	}
	name := strings.Join(ours[6:], "")
	b.compare("command_diff"+strings.ReplaceAll(name, "--", "_"), what, b.pprof(theirs...), ours...)
}

// silent is pprof's user interface; it reads and prints nothing.
type silent struct{}

func (silent) ReadLine(string) (string, error)     { return "", io.EOF }
func (silent) Print(...any)                        {}
func (silent) PrintErr(...any)                     {}
func (silent) IsTerminal() bool                    { return false }
func (silent) WantBrowser() bool                   { return false }
func (silent) SetAutoComplete(func(string) string) {}

// blind finds no programs; otherwise each run would start a handful for their versions.
type blind struct{}

func (blind) Open(string, uint64, uint64, uint64, string) (driver.ObjFile, error) {
	return nil, fmt.Errorf("not looked for")
}

func (blind) Disasm(string, uint64, uint64, bool) ([]driver.Inst, error) {
	return nil, fmt.Errorf("not looked for")
}

// pprof returns the profile that the command `pprof -proto` writes; nil if it refuses.
func (b *bench) pprof(arguments ...string) *profile.Profile {
	out := b.path("theirs")
	os.Remove(out)
	os.Args = append([]string{"pprof", "-proto", "-symbolize=none", "-all_frames", "-output", out},
		arguments...)
	flag.CommandLine = flag.NewFlagSet("pprof", flag.ContinueOnError) // PProf defines its own
	if driver.PProf(&driver.Options{UI: silent{}, Obj: blind{}}) != nil {
		return nil
	}
	return parse(out)
}

// known returns every profile below the folders that google/pprof can read.
func known(folders []string) (names []string, profiles []*profile.Profile) {
	for _, folder := range folders {
		check(filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if p, err := profile.ParseData(data); err == nil && len(p.SampleType) > 0 {
				names = append(names, filepath.Base(path))
				profiles = append(profiles, through(p))
			}
			return nil
		}))
	}
	return names, profiles
}

// tame returns p without values so large that a product exceeds 64 bits: its result in Go
// depends on the processor.
func tame(p *profile.Profile) *profile.Profile {
	p = p.Copy()
	for _, s := range p.Sample {
		for i, v := range s.Value {
			if v > 1<<60 || v < -1<<60 {
				s.Value[i] = v / 16
			}
		}
	}
	return p
}

// files does all operations on the profiles of files, each with each, in the short form with
// each ninth.
func (b *bench) files(folders []string) {
	names, profiles := known(folders)
	if len(profiles) < 10 {
		check(fmt.Errorf("only %d profiles in %v", len(profiles), folders))
	}
	for i, p := range profiles {
		n := i
		b.single(names[i], tame(p), func(limit int) int { n++; return n % limit })
		for j, q := range profiles {
			if short && i/2 != j/2 && (i+j)%9 != 0 {
				continue
			}
			both := len(p.Sample)+len(q.Sample) > large
			if i/2 != j/2 && (both || p.PeriodType.Type != q.PeriodType.Type) {
				continue // a few cases are enough of those that fail or take long
			}
			what := names[i] + " and " + names[j]
			b.merge(what, p, q)
			if both && short {
				continue
			}
			b.pair(what, tame(p), tame(q))
		}
	}
	fmt.Printf("%d profiles of files\n", len(profiles))
}

func (b *bench) random(seed int64, count int) {
	for i := range count / 3 {
		what := fmt.Sprintf("random %d", seed+int64(i))
		f := newFamily(seed+int64(i), true)
		b.merge(what, f.member(), f.member(), f.member())
		one := f.member()
		b.merge(what, one, one)
		b.common(what, f.member(), f.withTypes(f.member()))
		f.overflow = false // see tame
		p, q := through(f.member()), through(f.member())
		b.single(what, p, f.Intn)
		p.DefaultSampleType, q.DefaultSampleType = "", "" // pprof requires one that exists
		if len(q.Sample) > 0 && len(p.Sample) > 0 {
			b.pair(what, p, q)
		}
	}
}

func operations(arguments []string) {
	end := slices.Index(arguments, "--")
	if end < 4 || len(arguments) != end+3 {
		check(fmt.Errorf("usage: gopprof operations TOOL SAMPLER WORK FOLDERS… -- SEED COUNT"))
	}
	seed, err := strconv.ParseInt(arguments[end+1], 10, 64)
	check(err)
	count, err := strconv.Atoi(arguments[end+2])
	check(err)
	b := &bench{tool: arguments[0], sampler: arguments[1], work: arguments[2],
		cases: map[string]int{}, failures: map[string]int{}}
	b.files(arguments[3:end])
	b.random(seed, count)
	for _, operation := range b.order {
		verdict := "ok"
		if b.failures[operation] > 0 {
			verdict = "not ok"
		}
		fmt.Printf("%s %s: %d cases, %d differ\n", verdict, operation, b.cases[operation],
			b.failures[operation])
	}
	if len(b.failures) > 0 {
		os.Exit(1)
	}
}
