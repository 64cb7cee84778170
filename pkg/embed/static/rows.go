package static

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Rows returns the table as floats, Dims a token, in the order of the
// vocabulary. The slice is the caller's.
func (m *Model) Rows() ([]float32, error) {
	scales, err := m.floats(len(m.tokens()))
	if err != nil {
		return nil, err
	}
	rows := make([]float32, len(m.table))
	for i, b := range m.table {
		rows[i] = float32(float64(int8(b)) * scales[i/Dims])
	}
	return rows, nil
}

// WithRows returns a model with the same vocabulary and these rows, each rounded
// to int8 with the scale max|x| / 127. Rows that m has already keep their bytes,
// so that what was not trained is not rounded twice.
func (m *Model) WithRows(rows []float32) (*Model, error) {
	before, err := m.Rows()
	if err != nil {
		return nil, err
	}
	if len(rows) != len(before) {
		return nil, fmt.Errorf("%d values for a table of %d", len(rows), len(before))
	}
	out := &Model{append([]byte(nil), m.table...), append([]byte(nil), m.scales...), m.vocabulary}
	for at := 0; at < len(rows); at += Dims {
		row := rows[at : at+Dims]
		if same(row, before[at:at+Dims]) {
			continue
		}
		scale, err := round(out.table[at:at+Dims], row)
		if err != nil {
			return nil, fmt.Errorf("token %d: %w", at/Dims, err)
		}
		binary.LittleEndian.PutUint32(out.scales[4*(at/Dims):], math.Float32bits(scale))
	}
	return out, nil
}

func same(a, b []float32) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// round writes row as int8 and returns the scale.
func round(into []byte, row []float32) (float32, error) {
	var largest float64
	for _, x := range row {
		v := math.Abs(float64(x))
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("a value is %v", x)
		}
		largest = max(largest, v)
	}
	scale := float32(largest / 127)
	for i, x := range row {
		into[i] = 0
		if scale > 0 {
			into[i] = byte(int8(math.Round(max(-127, min(127, float64(x)/float64(scale))))))
		}
	}
	return scale, nil
}
