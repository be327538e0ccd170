package main

import (
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"

	"github.com/google/pprof/profile"
)

// node is one field of a message. It can be broken and put together again with correct lengths
// around it: damage that flipped bits would not cause.
type node struct {
	field uint64
	wire  uint64
	value uint64
	bytes []byte
	kids  []*node
	deep  bool // the field has kids instead of bytes
}

// inner lists the fields that are messages themselves, by the message that contains them.
var inner = map[string]map[uint64]string{
	"profile": {1: "type", 2: "sample", 3: "mapping", 4: "location", 5: "function", 11: "type"},
	"sample":  {3: "label"}, "location": {4: "line"},
}

func apart(data []byte, message string) (nodes []*node) {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		data = data[n:]
		kid := &node{field: tag >> 3, wire: tag & 7}
		kid.value, n = binary.Uvarint(data)
		data = data[n:]
		if kid.wire == 2 {
			kid.bytes, data = data[:kid.value], data[kid.value:]
			var name string
			name, kid.deep = inner[message][kid.field]
			if kid.deep {
				kid.kids = apart(kid.bytes, name)
			}
		}
		nodes = append(nodes, kid)
	}
	return nodes
}

func together(nodes []*node) (data []byte) {
	for _, n := range nodes {
		data = binary.AppendUvarint(data, n.field<<3|n.wire)
		switch n.wire {
		case 2:
			bytes := n.bytes
			if n.deep {
				bytes = together(n.kids)
			}
			data = binary.AppendUvarint(data, uint64(len(bytes)))
			data = append(data, bytes...)
		case 1:
			data = binary.LittleEndian.AppendUint64(data, n.value)
		case 5:
			data = binary.LittleEndian.AppendUint32(data, uint32(n.value))
		default:
			data = binary.AppendUvarint(data, n.value)
		}
	}
	return data
}

func odd(r *rand.Rand) uint64 {
	odds := []uint64{0, 1, 2, 3, 4, 5, 17, 300, 1 << 31, 1 << 32, 1<<32 + 1, 1 << 63, ^uint64(0)}
	return odds[r.Intn(len(odds))]
}

// breakOne changes one field, at any depth.
func breakOne(r *rand.Rand, nodes []*node) []*node {
	if len(nodes) == 0 {
		return append(nodes, &node{field: uint64(r.Intn(17)), value: odd(r)})
	}
	at := r.Intn(len(nodes))
	n := nodes[at]
	if n.deep && r.Intn(4) != 0 {
		n.kids = breakOne(r, n.kids)
		return nodes
	}
	switch r.Intn(12) {
	case 0:
		return append(nodes[:at:at], nodes[at+1:]...)
	case 1: // repeat the field at the end
		return append(nodes, n)
	case 2:
		other := r.Intn(len(nodes))
		nodes[at], nodes[other] = nodes[other], nodes[at]
	case 3:
		n.wire, n.value = uint64([]int{0, 0, 0, 1, 2, 3, 5, 6}[r.Intn(8)]), odd(r)
	case 4:
		n.field = uint64(r.Intn(18))
	case 5: // change a byte of packed numbers, a string or a message
		if n.wire == 2 && len(n.bytes) > 0 {
			n.deep, n.bytes = false, append([]byte(nil), n.bytes...)
			n.bytes[r.Intn(len(n.bytes))] = byte(r.Intn(256))
		}
	case 6:
		if n.wire == 2 && len(n.bytes) > 0 {
			n.deep, n.bytes = false, n.bytes[:r.Intn(len(n.bytes))]
		}
	default:
		n.value = odd(r)
	}
	return nodes
}

func breakBytes(r *rand.Rand, data []byte) []byte {
	data = append([]byte(nil), data...)
	at := r.Intn(len(data))
	switch r.Intn(4) {
	case 0:
		return data[:at]
	case 1:
		return append(data[:at], data[at+1:]...)
	case 2:
		data[at] = byte(r.Intn(256))
	default:
		data[at] ^= 1 << r.Intn(8)
	}
	return data
}

// small is a profile in which each field is likely to be hit.
func small() *profile.Profile {
	p := made()
	p.Location = p.Location[:5]
	p.Sample = p.Sample[:3]
	p.Sample[2].Location = p.Location
	return p
}

func verdict(data []byte) (text string) {
	defer func() {
		if recover() != nil {
			text = "panic"
		}
	}()
	p, err := profile.ParseUncompressed(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return "bad: " + err.Error()
	}
	return "ok"
}

// broken prints google/pprof's verdict on each file: first its own test data, unchanged, then
// `count` profiles broken at random.
func broken(folder, testdata, count, seed string) {
	number, err := strconv.Atoi(count)
	check(err)
	start, err := strconv.Atoi(seed)
	check(err)
	bases := [][]byte{encoded(small()), encoded(made())}
	files, err := filepath.Glob(filepath.Join(testdata, "*"))
	check(err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		check(err)
		if p, err := profile.ParseData(data); err == nil {
			bases = append(bases, encoded(p))
		}
	}
	for i := range len(bases) + number {
		r := rand.New(rand.NewSource(int64(start + i)))
		base := bases[0]
		if i < len(bases) || r.Intn(4) == 0 {
			base = bases[i%len(bases)]
		}
		data := base
		for n := r.Intn(3); i >= len(bases) && n >= 0; n-- {
			if r.Intn(8) == 0 {
				data = breakBytes(r, data)
				break
			}
			nodes := apart(base, "profile")
			for ; n >= 0; n-- {
				nodes = breakOne(r, nodes)
			}
			data = together(nodes)
		}
		name := fmt.Sprintf("%05d.pb", i)
		check(os.WriteFile(filepath.Join(folder, name), data, 0o644))
		fmt.Println(name, verdict(data))
	}
}
