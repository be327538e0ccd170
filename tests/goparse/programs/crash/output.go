//go:build go1.23

package main

import (
	"os"
	"runtime/debug"
)

func init() {
	if path := os.Getenv("CRASH_FILE"); path != "" {
		file, err := os.Create(path)
		if err != nil {
			panic(err)
		}
		debug.SetCrashOutput(file, debug.CrashOptions{})
	}
}
