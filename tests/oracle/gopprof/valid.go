// Checks that files are valid profiles for google/pprof.
package main

import (
	"fmt"
	"os"

	"github.com/google/pprof/profile"
)

func valid(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	p, err := profile.ParseData(data)
	if err != nil {
		return err
	}
	return p.CheckValid()
}

func allValid(paths []string) {
	for _, path := range paths {
		if err := valid(path); err != nil {
			check(fmt.Errorf("%s: %v", path, err))
		}
	}
}
