// Legacy profiles: google/pprof's conversions compared with those of sampler.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"
)

// legacy compares, for each file F of the folder, google/pprof's profile with that in F.ours,
// which is not compressed; if there is no F.ours, sampler has refused F. It prints each
// difference and fails if there was one. Names that stand in a text's comments are none, and
// neither are files that sampler alone refuses: their number is printed.
func legacy(folder string) {
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	check(err)
	read, refused, alone, differ := 0, 0, 0, 0
	for _, file := range files {
		if strings.HasSuffix(file, ".ours") {
			continue
		}
		data, err := os.ReadFile(file)
		check(err)
		theirs, why := profile.ParseData(data)
		ours, err := os.ReadFile(file + ".ours")
		switch {
		case why != nil && err != nil:
			refused++
			continue
		case why != nil:
			fmt.Printf("%s: read by sampler alone: %v\n", filepath.Base(file), why)
		case err != nil:
			alone++
			continue
		default:
			read++
			if isText.Match(data) {
				dropAsGo(theirs)
			}
			have, want := profileOf(ours), again(encoded(theirs))
			if len(theirs.Function) == 0 {
				if why := removeNames(have, data); why != "" {
					fmt.Printf("%s: %s\n", filepath.Base(file), why)
					break
				}
			}
			if have := again(encoded(have)); have != want {
				fmt.Printf("%s: differs\n--- have\n%s\n--- want\n%s\n",
					filepath.Base(file), have, want)
				break
			}
			continue
		}
		differ++
	}
	fmt.Printf("%d read, %d refused by both, %d by sampler alone, %d differ\n",
		read, refused, alone, differ)
	if differ > 0 {
		os.Exit(1)
	}
}

func profileOf(data []byte) *profile.Profile {
	p, err := profile.ParseUncompressed(data)
	check(err)
	return p
}

var isText = regexp.MustCompile(`^(\S+ profile: total|heap profile:|---) `)

// dropAsGo leaves of google/pprof's patterns for legacy profiles (addLegacyFrameInfo) what matches
// functions of Go.
func dropAsGo(p *profile.Profile) {
	switch {
	case strings.Contains(p.DropFrames, "tc_malloc"):
		p.DropFrames = `runtime\..*`
	case strings.Contains(p.DropFrames, "SpinLock"), strings.Contains(p.DropFrames, "__restore"):
		p.DropFrames = ""
	}
}

// statement is what a comment says of an address.
type statement struct {
	address uint64
	name    string
	file    string
	line    int64
}

var (
	comment  = regexp.MustCompile(`^#\t0x([0-9a-f]+)\t*([^\t]*)\t*(.*)$`)
	distance = regexp.MustCompile(`\+0x[0-9a-f]+$`)
	fileLine = regexp.MustCompile(`^(.*):(0|[1-9][0-9]*)$`)
)

// comments returns what the text's comments say.
func comments(text []byte) map[statement]bool {
	found := map[statement]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		m := comment.FindStringSubmatch(strings.TrimSuffix(line, "\r"))
		if m == nil {
			continue
		}
		address, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			continue
		}
		p := statement{address, distance.ReplaceAllString(m[2], ""), m[3], 0}
		if f := fileLine.FindStringSubmatch(m[3]); f != nil {
			if line, err := strconv.ParseInt(f[2], 10, 64); err == nil {
				p.file, p.line = f[1], line
			}
		}
		found[p] = true
	}
	return found
}

// removeNames removes from a profile the names that stand in its text's comments, which
// google/pprof does not read. It returns what is wrong if there are others.
func removeNames(p *profile.Profile, text []byte) string {
	said := comments(text)
	named := map[*profile.Mapping]bool{}
	for _, l := range p.Location {
		for _, line := range l.Line {
			f := line.Function
			at := statement{l.Address, f.Name, f.Filename, line.Line}
			if !said[at] || f.SystemName != f.Name {
				return fmt.Sprintf("no comment says %v", at)
			}
			named[l.Mapping] = true
		}
		l.Line = nil
	}
	for _, m := range p.Mapping {
		if m.HasFunctions != named[m] {
			return fmt.Sprintf("mapping %d: has_functions is %v", m.ID, m.HasFunctions)
		}
		m.HasFunctions, m.HasFilenames, m.HasLineNumbers = false, false, false
	}
	p.Function = nil
	return ""
}

// again is the profile after a round trip, with every field, in a comparable form.
func again(data []byte) string {
	p := profileOf(data)
	return p.String() + string(encoded(p))
}
