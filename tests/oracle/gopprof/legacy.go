// Legacy profiles: google/pprof's conversions compared with those of sampler.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/pprof/profile"
)

// legacy compares, for each file F of the folder, google/pprof's profile with that in F.ours,
// which is not compressed; if there is no F.ours, sampler has refused F. It prints each
// difference and fails if there was one.
func legacy(folder string) {
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	check(err)
	read, refused, differ := 0, 0, 0
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
			fmt.Printf("%s: read by google/pprof alone\n", filepath.Base(file))
		default:
			read++
			if have, want := again(ours), again(encoded(theirs)); have != want {
				fmt.Printf("%s: differs\n--- have\n%s\n--- want\n%s\n",
					filepath.Base(file), have, want)
				break
			}
			continue
		}
		differ++
	}
	fmt.Printf("%d read, %d refused by both, %d differ\n", read, refused, differ)
	if differ > 0 {
		os.Exit(1)
	}
}

// again is the profile after a round trip, with every field, in a comparable form.
func again(data []byte) string {
	p, err := profile.ParseUncompressed(data)
	check(err)
	return p.String() + string(encoded(p))
}
