package main

import (
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
)

// message is a protobuf message that is being written.
type message []byte

func (m *message) number(field int, v uint64) {
	*m = binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field)<<3), v)
}

func (m *message) bytes(field int, b []byte) {
	*m = binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field)<<3|2), uint64(len(b)))
	*m = append(*m, b...)
}

// numbers writes a repeated field packed, or one by one.
func (m *message) numbers(field int, all []uint64, packed bool) {
	if !packed {
		for _, v := range all {
			m.number(field, v)
		}
		return
	}
	var b []byte
	for _, v := range all {
		b = binary.AppendUvarint(b, v)
	}
	m.bytes(field, b)
}

type label struct{ key, str, num, unit uint64 }

type sample struct {
	stack  []int // numbers of places
	values []int64
	labels []label
}

// pair makes profiles of a process at two moments, with ids and order as a writer may choose them.
type pair struct {
	*rand.Rand
	columns, places int
	samples         []sample
	texts           []string
}

var columns = []string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}
var units = []string{"count", "bytes", "count", "bytes"}

func (p *pair) text(s string) uint64 {
	for i, t := range p.texts {
		if t == s {
			return uint64(i)
		}
	}
	p.texts = append(p.texts, s)
	return uint64(len(p.texts) - 1)
}

func (p *pair) value() int64 {
	switch p.Intn(6) {
	case 0:
		return 0
	case 1:
		return p.Int63n(1 << 60)
	default:
		return p.Int63n(1000)
	}
}

func (p *pair) randomSample() sample {
	var s sample
	for range p.Intn(6) {
		s.stack = append(s.stack, p.Intn(p.places))
	}
	for range p.columns {
		s.values = append(s.values, p.value())
	}
	for range p.Intn(3) {
		switch l := (label{key: uint64(1 + p.Intn(3))}); p.Intn(3) {
		case 0:
			l.str = uint64(4 + p.Intn(3))
			s.labels = append(s.labels, l)
		case 1:
			l.num = uint64(1 + p.Intn(4))
			s.labels = append(s.labels, l)
		default:
			l.num, l.unit = uint64(1+p.Intn(4)), uint64(7+p.Intn(2))
			s.labels = append(s.labels, l)
		}
	}
	return s
}

// later changes the samples: some values grow or shrink, some samples are new, and their order
// and that of their labels changes.
func (p *pair) later() {
	for i := range p.samples {
		s := &p.samples[i]
		for c := range s.values {
			if p.Intn(3) == 0 {
				s.values[c] += p.Int63n(100) - 20
			}
		}
		p.Shuffle(len(s.labels), func(a, b int) { s.labels[a], s.labels[b] = s.labels[b], s.labels[a] })
	}
	for range p.Intn(4) {
		p.samples = append(p.samples, p.randomSample())
	}
	p.Shuffle(len(p.samples), func(a, b int) { p.samples[a], p.samples[b] = p.samples[b], p.samples[a] })
}

// ids returns n ids: from 1 on, backwards from some number, or random ones.
func (p *pair) ids(n int) []uint64 {
	ids, base, kind := make([]uint64, n), uint64(p.Intn(1000)), p.Intn(3)
	for i := range ids {
		switch kind {
		case 0:
			ids[i] = uint64(i + 1)
		case 1:
			ids[i] = base + uint64(n-i)
		default:
			ids[i] = uint64(p.Int63())<<8 | uint64(i) + 1
		}
	}
	return ids
}

func (p *pair) encode(time int64) []byte {
	packed, first := p.Intn(2) == 0, p.Intn(2) == 0
	locations, functions := p.ids(p.places), p.ids(p.places)
	var samples, tables, rest, strings message
	for c := range p.columns {
		var t message
		t.number(1, p.text(columns[c]))
		t.number(2, p.text(units[c]))
		rest.bytes(1, t)
	}
	for _, s := range p.samples {
		var m message
		var stack, values []uint64
		for _, place := range s.stack {
			stack = append(stack, locations[place])
		}
		for _, v := range s.values {
			values = append(values, uint64(v))
		}
		m.numbers(1, stack, packed)
		m.numbers(2, values, packed)
		for _, l := range s.labels {
			var lm message
			lm.number(1, l.key)
			lm.number(2, l.str)
			lm.number(3, l.num)
			lm.number(4, l.unit)
			m.bytes(3, lm)
		}
		samples.bytes(2, m)
	}
	for i := range p.places {
		var l, line, f message
		line.number(1, functions[i])
		line.number(2, uint64(i))
		l.number(1, locations[i])
		l.number(3, uint64(0x1000+i))
		l.bytes(4, line)
		tables.bytes(4, l)
		f.number(1, functions[i])
		f.number(2, p.text(fmt.Sprint("f", i)))
		tables.bytes(5, f)
	}
	rest.number(9, uint64(time))
	for _, t := range p.texts {
		strings.bytes(6, []byte(t))
	}
	if first {
		return append(append(append(strings, rest...), tables...), samples...)
	}
	return append(append(append(samples, tables...), rest...), strings...)
}

// writePairs writes N.old and N.new for N from 0 to count - 1.
func writePairs(folder string, count int, seed int64) {
	for n := range count {
		p := &pair{Rand: rand.New(rand.NewSource(seed + int64(n)))}
		p.columns, p.places = 2+2*p.Intn(2), 1+p.Intn(12)
		p.texts = []string{"", "k1", "k2", "k3", "v1", "v2", "v3", "u1", "u2"}
		for range p.Intn(30) {
			p.samples = append(p.samples, p.randomSample())
		}
		write := func(name string, data []byte) {
			fatal(os.WriteFile(filepath.Join(folder, fmt.Sprint(n, name)), data, 0o666))
		}
		write(".old", p.encode(1000))
		p.later()
		p.texts = p.texts[:9]
		write(".new", p.encode(4000))
	}
}
