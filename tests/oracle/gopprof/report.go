// What tests/oracle/report.test asks: pprof's own words, and legacy profiles in the
// form that all readers know.
package main

import (
	"os"

	"github.com/google/pprof/driver"
)

// drive is the command pprof.
func drive(arguments []string) {
	os.Args = append([]string{"pprof"}, arguments...)
	check(driver.PProf(&driver.Options{}))
}

// convert reads whatever profile.Parse reads and writes it as .pb.gz.
func convert(in, out string) {
	p := parse(in)
	file, err := os.Create(out)
	check(err)
	check(p.Write(file))
	check(file.Close())
}
