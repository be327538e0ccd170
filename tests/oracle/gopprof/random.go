// Random profiles that no runtime would write: ids without any order, equal functions and
// locations under several ids, mappings that are missing or moved, labels of every form, values
// that are zero, cancel each other or overflow.
package main

import (
	"fmt"
	"math"
	"math/rand"

	"github.com/google/pprof/profile"
)

// family makes profiles that have much in common.
type family struct {
	*rand.Rand
	types    []*profile.ValueType
	period   *profile.ValueType
	stacks   [][]int // of numbers of places
	overflow bool    // also values near the limits of 64 bits
}

func newFamily(seed int64, overflow bool) *family {
	f := &family{Rand: rand.New(rand.NewSource(seed)), overflow: overflow,
		period: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}}
	for i := range 1 + f.Intn(4) {
		f.types = append(f.types, &profile.ValueType{Type: fmt.Sprint("type", i),
			Unit: []string{"count", "bytes", "nanoseconds", ""}[f.Intn(4)]})
	}
	for range 1 + f.Intn(30) {
		stack := make([]int, f.Intn(12))
		for i := range stack {
			stack[i] = f.Intn(25)
		}
		f.stacks = append(f.stacks, stack)
	}
	return f
}

func (f *family) often() bool { return f.Intn(4) > 0 }

// ids returns distinct ids other than 0: from 1 on, or any numbers.
func (f *family) ids(n int) []uint64 {
	dense, used := f.often(), map[uint64]bool{0: true}
	ids := make([]uint64, n)
	for i := range ids {
		id := uint64(i + 1)
		for !dense && used[id] || !dense && f.Intn(3) > 0 {
			id = f.Uint64() >> f.Intn(64)
			if !used[id] {
				break
			}
		}
		for used[id] {
			id++
		}
		used[id] = true
		ids[i] = id
	}
	if f.Intn(5) == 0 {
		f.Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	}
	return ids
}

// mappings come from one pool and are mapped to other addresses each time. Some of the pool have
// neither name nor build ID, and some differ in size by less than a page.
func (f *family) mappings() []*profile.Mapping {
	pool := []profile.Mapping{
		{Limit: 0x5000, Offset: 0x1000, File: "/bin/program", BuildID: "abc"},
		{Limit: 0x5001, Offset: 0x1000, File: "/bin/program"},
		{Limit: 0x5fff, Offset: 0x1000, File: "/bin/program"},
		{Limit: 0x3000, File: "abc"}, {Limit: 0x3000, BuildID: "abc", File: "/lib/abc.so"},
		{}, {Limit: 0x10}, {Limit: math.MaxUint64}, {Limit: 0x2000, File: "[vdso]"},
		{Limit: 0x3000, File: "[kernel.kallsyms]_stext"},
	}
	f.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	pool = pool[:f.Intn(len(pool)+1)]
	ids := f.ids(len(pool))
	var out []*profile.Mapping
	for i, m := range pool {
		m.ID, m.Start = ids[i], f.Uint64()>>f.Intn(64)
		m.Limit += m.Start
		m.HasFunctions, m.HasFilenames = f.often(), f.often()
		m.HasLineNumbers, m.HasInlineFrames = f.often(), f.often()
		out = append(out, &m)
	}
	return out
}

func (f *family) functions() []*profile.Function {
	ids := f.ids(20)
	var out []*profile.Function
	for i := range 20 {
		same := i / (1 + f.Intn(2)) // some functions occur twice
		out = append(out, &profile.Function{ID: ids[i], Name: fmt.Sprint("f", same),
			SystemName: []string{"", fmt.Sprint("_Zf", same)}[same%2],
			Filename:   []string{"", "a.c", "b.c"}[same%3],
			StartLine:  []int64{0, 0, -5, math.MaxInt64}[same%4]})
	}
	return out
}

func (f *family) locations(mappings []*profile.Mapping, functions []*profile.Function) []*profile.Location {
	ids := f.ids(25)
	var out []*profile.Location
	for i := range 25 {
		l := &profile.Location{ID: ids[i], Address: uint64(i/2) * 16, IsFolded: i%9 == 0}
		if len(mappings) > 0 && i%5 > 0 {
			l.Mapping = mappings[i%len(mappings)]
			l.Address += l.Mapping.Start
		} else if f.Intn(8) == 0 {
			l.Address = f.Uint64()
		}
		for range i % 4 {
			l.Line = append(l.Line, profile.Line{Function: functions[(i/2+f.Intn(2))%20],
				Line: int64(i/4) * int64(f.Intn(2)), Column: int64(i % 2)})
		}
		out = append(out, l)
	}
	return out
}

func (f *family) value() int64 {
	switch n := f.Intn(20); {
	case n < 6:
		return 0
	case n < 16:
		return int64(f.Intn(9) - 4)
	case n == 16 && f.overflow:
		return []int64{math.MaxInt64, math.MinInt64, math.MaxInt64 - 1}[f.Intn(3)]
	case n == 17 && f.overflow:
		return int64(f.Uint64())
	default:
		return f.Int63n(1 << 50)
	}
}

// label gives a sample a label with strings, or with numbers; all, some or none have a unit.
func (f *family) label(s *profile.Sample) {
	key := []string{"thread", "", "bytes", "b", "Z", "wört"}[f.Intn(6)]
	if f.Intn(2) == 0 {
		for range 1 + f.Intn(3)/2 {
			s.Label[key] = append(s.Label[key], []string{"v", "w", "", "bytes"}[f.Intn(4)])
		}
		return
	}
	var units []string
	for range 1 + f.Intn(3)/2 {
		s.NumLabel[key] = append(s.NumLabel[key], []int64{0, 1, -1, math.MinInt64}[f.Intn(4)])
		units = append(units, []string{"", "bytes", "s"}[f.Intn(3)])
	}
	if len(s.NumLabel[key]) == len(units) && f.Intn(3) > 0 {
		s.NumUnit[key] = units
	} else {
		s.NumUnit[key] = make([]string, len(s.NumLabel[key]))
	}
}

func (f *family) sample(locations []*profile.Location) *profile.Sample {
	s := &profile.Sample{Label: map[string][]string{}, NumLabel: map[string][]int64{},
		NumUnit: map[string][]string{}}
	for _, place := range f.stacks[f.Intn(len(f.stacks))] {
		s.Location = append(s.Location, locations[place])
	}
	for range f.types {
		s.Value = append(s.Value, f.value())
	}
	for f.Intn(2) == 0 {
		f.label(s)
	}
	return s
}

func (f *family) member() *profile.Profile {
	p := &profile.Profile{PeriodType: f.period, Period: int64(f.Intn(3)) * 1000,
		TimeNanos: int64(f.Intn(4)-1) * 1e18, DurationNanos: int64(f.Intn(3)) * 1e9,
		DropFrames:        []string{"", "drop"}[f.Intn(2)],
		KeepFrames:        []string{"", "keep"}[f.Intn(2)],
		DocURL:            []string{"", "https://a", "https://b"}[f.Intn(3)],
		DefaultSampleType: []string{"", "type0", "type1", "none"}[f.Intn(4)]}
	for _, t := range f.types {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: t.Type, Unit: t.Unit})
	}
	for range f.Intn(4) {
		p.Comments = append(p.Comments, []string{"one", "two", ""}[f.Intn(3)])
	}
	p.Mapping, p.Function = f.mappings(), f.functions()
	p.Location = f.locations(p.Mapping, p.Function)
	for range f.Intn(60) {
		p.Sample = append(p.Sample, f.sample(p.Location))
	}
	return p
}
