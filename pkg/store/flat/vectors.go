package flat

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"unsafe"

	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store/internal/segment"
)

// The sections of a segment's payload.
const (
	sectionScales = iota // float32 a row
	sectionValues        // dims int8 a row
	payloadSections
)

var errVectors = errors.New("the vectors are damaged")

// vectors are those of a segment, one after the other. They are immutable.
type vectors struct {
	dims   int
	scales []byte
	values []int8
}

func loadVectors(dims int, s [][]byte, rows int) (*vectors, error) {
	if len(s) != payloadSections || len(s[sectionScales]) != 4*rows || len(s[sectionValues]) != dims*rows {
		return nil, errVectors
	}
	return &vectors{dims: dims, scales: s[sectionScales], values: asInt8(s[sectionValues])}, nil
}

// asInt8 returns the same memory as signed values.
func asInt8(b []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}

// asBytes returns the same memory as bytes.
func asBytes(v []int8) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

func (v *vectors) scale(row uint32) float32 {
	return math.Float32frombits(segment.Uint32At(v.scales, row))
}

// rows returns the values of rows from to to, the latter excluded.
func (v *vectors) rows(from, to int) []int8 { return v.values[from*v.dims : to*v.dims] }

// merge copies the rows that stay. See segment.Layout.
func merge(ctx context.Context, dims int, parts []segment.Source[*vectors], rows int) ([][]byte, error) {
	scales, values := make([]byte, 0, 4*rows), make([]byte, 0, dims*rows)
	for _, p := range parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for old, row := range p.Remap {
			if row != segment.Gone {
				scales = append(scales, p.Payload.scales[4*old:4*old+4]...)
				values = append(values, asBytes(p.Payload.rows(old, old+1))...)
			}
		}
	}
	return [][]byte{sectionScales: scales, sectionValues: values}, nil
}

// tail gathers vectors that are not in a segment yet.
type tail struct{ scales, values []byte }

// Add implements segment.Tail.
func (t *tail) Add(v embed.Vector) {
	t.scales = binary.LittleEndian.AppendUint32(t.scales, math.Float32bits(v.Scale))
	t.values = append(t.values, asBytes(v.Data)...)
}

// Size implements segment.Tail.
func (t *tail) Size() int { return len(t.scales) + len(t.values) }

// Seal implements segment.Tail.
func (t *tail) Seal() [][]byte {
	return [][]byte{sectionScales: t.scales, sectionValues: t.values}
}
