// Package bubbles has tests that are stuck in a synctest bubble (Go 1.25), or group (1.24).
package bubbles
