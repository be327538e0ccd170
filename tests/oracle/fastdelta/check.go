package main

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"sort"
	"strings"

	"github.com/DataDog/dd-trace-go/v2/profiler/internal/fastdelta"
	"github.com/google/pprof/profile"
)

// parse reads a profile and sorts labels with the same key: their order matters for
// google/pprof, not for us and for fastdelta.
func parse(data []byte) *profile.Profile {
	p, err := profile.ParseData(data)
	fatal(err)
	for _, s := range p.Sample {
		for _, all := range s.Label {
			sort.Strings(all)
		}
		for k := range s.NumLabel {
			sort.Sort(&numbers{s.NumLabel[k], s.NumUnit[k]})
		}
	}
	return p
}

type numbers struct {
	num  []int64
	unit []string // as many as num, or none
}

func (n *numbers) Len() int { return len(n.num) }

func (n *numbers) Less(a, b int) bool {
	if n.num[a] != n.num[b] || n.unit == nil {
		return n.num[a] < n.num[b]
	}
	return n.unit[a] < n.unit[b]
}

func (n *numbers) Swap(a, b int) {
	n.num[a], n.num[b] = n.num[b], n.num[a]
	if n.unit != nil {
		n.unit[a], n.unit[b] = n.unit[b], n.unit[a]
	}
}

// key is a sample's stack and labels as text.
func key(s *profile.Sample) string {
	var parts []string
	for k, all := range s.Label {
		parts = append(parts, fmt.Sprintf("%s=%q", k, all))
	}
	for k, all := range s.NumLabel {
		var both []string
		for i, n := range all {
			unit := ""
			if i < len(s.NumUnit[k]) {
				unit = s.NumUnit[k][i]
			}
			both = append(both, fmt.Sprint(n, unit))
		}
		sort.Strings(both)
		parts = append(parts, fmt.Sprintf("%s:%q", k, both))
	}
	sort.Strings(parts)
	for _, l := range s.Location {
		parts = append(parts, fmt.Sprintf("%x", l.Address))
	}
	return strings.Join(parts, " ")
}

// values returns, by key, the values of all samples that have one that is not zero.
func values(p *profile.Profile) map[string][]int64 {
	all := map[string][]int64{}
	for _, s := range p.Sample {
		k := key(s)
		if all[k] == nil {
			all[k] = make([]int64, len(s.Value))
		}
		for i, v := range s.Value {
			all[k][i] += v
		}
	}
	for k, v := range all {
		if !nonzero(v) {
			delete(all, k)
		}
	}
	return all
}

func nonzero(values []int64) bool {
	for _, v := range values {
		if v != 0 {
			return true
		}
	}
	return false
}

// golden is the delta by google/pprof: old scaled by -1 in the columns that count from the
// start and by 0 in the others, and merged with new. Samples that are only in old are left out.
func golden(fields string, before, after []byte) *profile.Profile {
	old, now := parse(before), parse(after)
	there := map[string]bool{}
	for _, s := range now.Sample {
		there[key(s)] = true
	}
	ratios := make([]float64, len(old.SampleType))
	for i, t := range old.SampleType {
		if strings.Contains(","+fields+",", ","+t.Type+"/"+t.Unit+",") {
			ratios[i] = -1
		}
	}
	for _, s := range old.Sample { // not by ScaleN, which calculates in float64
		for i, r := range ratios {
			s.Value[i] *= int64(r)
		}
	}
	var left []*profile.Sample
	for _, s := range old.Sample {
		if there[key(s)] {
			left = append(left, s)
		}
	}
	old.Sample = left
	merged, err := profile.Merge([]*profile.Profile{old, now})
	fatal(err)
	return merged
}

func differ(what string, have, want map[string][]int64) {
	for k, v := range want {
		if !reflect.DeepEqual(have[k], v) {
			fatal(fmt.Errorf("%s: %s: %v, not %v", what, k, have[k], v))
		}
	}
	for k, v := range have {
		if want[k] == nil {
			fatal(fmt.Errorf("%s: %s is too many: %v", what, k, v))
		}
	}
}

// checkRecords: all functions and label strings that the samples refer to must exist.
func checkRecords(what string, have, want *profile.Profile) {
	lines := func(p *profile.Profile) map[string]bool {
		all := map[string]bool{}
		for _, l := range p.Location {
			for _, line := range l.Line {
				all[fmt.Sprintf("%x %s %s %d", l.Address, line.Function.Name,
					line.Function.Filename, line.Line)] = true
			}
		}
		return all
	}
	if !reflect.DeepEqual(lines(have), lines(want)) {
		fatal(fmt.Errorf("%s: locations differ", what))
	}
	if have.TimeNanos != want.TimeNanos || have.DurationNanos != want.DurationNanos {
		fatal(fmt.Errorf("%s: time %d for %d, not %d for %d", what, have.TimeNanos,
			have.DurationNanos, want.TimeNanos, want.DurationNanos))
	}
}

// check compares a delta of ours with that of google/pprof, and with that of the reference,
// which must be the same record for record.
func check(fields, before, after, out string) {
	old, now, have := plain(read(before)), plain(read(after)), parse(read(out))
	fatal(have.CheckValid())
	differ(out+": google/pprof", values(have), values(golden(fields, old, now)))
	dc := fastdelta.NewDeltaComputer(types(fields)...)
	var theirs bytes.Buffer
	fatal(dc.Delta(old, io.Discard))
	fatal(dc.Delta(now, &theirs))
	want := parse(theirs.Bytes())
	differ(out+": fastdelta", values(have), values(want))
	checkRecords(out, have, want)
}
