// For tests/oracle/report.test: pprof's own output, and legacy profiles converted to the common
// format.
package main

import (
	"os"

	"github.com/google/pprof/driver"
)

// drive runs the command pprof.
func drive(arguments []string) {
	os.Args = append([]string{"pprof"}, arguments...)
	check(driver.PProf(&driver.Options{}))
}

// convert reads a file in any form that profile.Parse accepts, and writes it as .pb.gz.
func convert(in, out string) {
	p := parse(in)
	file, err := os.Create(out)
	check(err)
	check(p.Write(file))
	check(file.Close())
}
