package transformer

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// tensors are the weights of a file in the format safetensors: eight bytes with the
// length of a header, the header as JSON (name to type, shape and range), and the values,
// little-endian (github.com/huggingface/safetensors).
type tensors struct {
	entries map[string]tensorEntry
	data    []byte
}

type tensorEntry struct {
	Type    string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// maxHeader bounds the header.
const maxHeader = 16 << 20

func parseTensors(b []byte) (*tensors, error) {
	if len(b) < 8 {
		return nil, fmt.Errorf("it has %d bytes only", len(b))
	}
	n := binary.LittleEndian.Uint64(b)
	if n > maxHeader || n > uint64(len(b)-8) {
		return nil, fmt.Errorf("its header of %d bytes does not fit", n)
	}
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(b[8:8+n], &raw); err != nil {
		return nil, fmt.Errorf("its header is none: %w", err)
	}
	t := &tensors{entries: map[string]tensorEntry{}, data: b[8+n:]}
	for name, js := range raw {
		if name == "__metadata__" {
			continue
		}
		var e tensorEntry
		if err := json.Unmarshal(js, &e); err != nil {
			return nil, fmt.Errorf("its header is none at %q: %w", name, err)
		}
		if e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] || e.Offsets[1] > len(t.data) {
			return nil, fmt.Errorf("the values of %q are not in it", name)
		}
		t.entries[strings.TrimPrefix(name, "bert.")] = e
	}
	return t, nil
}

// floats returns a tensor whose shape is known.
func (t *tensors) floats(name string, shape ...int) ([]float32, error) {
	e, ok := t.entries[name]
	if !ok {
		return nil, fmt.Errorf("it has no %q", name)
	}
	count := 1
	for _, n := range shape {
		count *= n
	}
	if fmt.Sprint(e.Shape) != fmt.Sprint(shape) {
		return nil, fmt.Errorf("%q has the shape %v, not %v", name, e.Shape, shape)
	}
	b := t.data[e.Offsets[0]:e.Offsets[1]]
	size, value := 4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
	switch e.Type {
	case "F32":
	case "F16":
		size, value = 2, func(b []byte) float32 { return half(binary.LittleEndian.Uint16(b)) }
	case "BF16":
		size, value = 2, func(b []byte) float32 {
			return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16)
		}
	default:
		return nil, fmt.Errorf("%q has values of the type %s: freshet reads F32, F16 and BF16", name, e.Type)
	}
	if len(b) != size*count {
		return nil, fmt.Errorf("%q has %d bytes, not %d", name, len(b), size*count)
	}
	out := make([]float32, count)
	for i := range out {
		out[i] = value(b[size*i:])
	}
	return out, nil
}

// scaleOf is what the name of the scales of a matrix in int8 ends with.
const scaleOf = "_scale"

// isScaled reports whether a matrix is one in int8.
func (t *tensors) isScaled(name string) bool { return t.entries[name].Type == "I8" }

// bytes returns a tensor in int8 whose shape is known.
func (t *tensors) bytes(name string, shape ...int) ([]int8, error) {
	e, count := t.entries[name], 1
	for _, n := range shape {
		count *= n
	}
	b := t.data[e.Offsets[0]:e.Offsets[1]]
	if fmt.Sprint(e.Shape) != fmt.Sprint(shape) || len(b) != count {
		return nil, fmt.Errorf("%q has the shape %v and %d bytes, not %v", name, e.Shape, len(b), shape)
	}
	out := make([]int8, count)
	for i, v := range b {
		if out[i] = int8(v); out[i] < -byteMost {
			return nil, fmt.Errorf("%q has the value %d: freshet makes none below %d", name, out[i], -byteMost)
		}
	}
	return out, nil
}

// half is a value of IEEE 754 binary16.
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exponent {
	case 0: // zero, or too small to be normal
		f := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
