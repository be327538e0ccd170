//go:build go1.23

package main

import "iter"

func numbers(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

func init() {
	extra = append(extra, func() {
		next, _ := iter.Pull(numbers)
		next()
		go func() {
			for range numbers {
				<-never
			}
		}()
	})
}
