package transformer

import "math"

// A product in int8 is made of weights with a scale for each column, and of rows with a
// scale for each row: so a row's result does not depend on the others. Weights are kept
// with 128 added, as the instruction for it takes one side without a sign; what that adds
// to a sum is known beforehand.
const (
	byteStep  = 4   // values of a row that are multiplied at once
	byteShift = 128 // is added to weights
	byteMost  = 127 // of a value
)

// bytePanels is the right side of a product in int8, in panels as those of [panels], but
// with byteStep values of a column beside each other. Only processors with the
// instruction have it; others multiply the same whole numbers as float32, which holds
// them exactly.
type bytePanels struct {
	rows, columns int
	values        []uint8
}

// scaled is a matrix in int8, column after column, as a file has it.
type scaled struct {
	values []int8
	scales []float32 // of each column
}

// scale returns a matrix, given column after column, in int8.
func scale(m []float32, rows, columns int) scaled {
	s := scaled{make([]int8, rows*columns), make([]float32, columns)}
	for c := range columns {
		s.scales[c] = roundTo(s.values[c*rows:][:rows], m[c*rows:][:rows])
	}
	return s
}

// whole added to a float32 leaves no room for a fraction.
const whole = 3 << 22

// roundTo sets out to values in int8, and returns what each unit of them is worth. It
// rounds to the nearest, halves to even.
func roundTo(out []int8, values []float32) float32 {
	var bits uint32 // of a number without its sign grow with it
	for _, v := range values {
		bits = max(bits, math.Float32bits(v)&^(1<<31))
	}
	largest := math.Float32frombits(bits)
	if largest == 0 {
		clear(out)
		return 0
	}
	unit := byteMost / largest
	out = out[:len(values)]
	for i, v := range values {
		out[i] = int8(int32(math.Float32bits(float32(v*unit)+whole)) - wholeBits)
	}
	return largest / byteMost
}

// wholeBits are those of whole as a float32.
const wholeBits = 0x4b400000

func packBytes(s scaled, rows, columns int) bytePanels {
	p := bytePanels{rows: rows, columns: columns, values: make([]uint8, rows*up(columns, panel))}
	for i := range p.values {
		p.values[i] = byteShift
	}
	for c := range columns {
		for r, v := range s.values[c*rows:][:rows] {
			p.values[(c/panel*rows+r/byteStep*byteStep)*panel+c%panel*byteStep+r%byteStep] = uint8(int(v) + byteShift)
		}
	}
	return p
}

// rowsIn are the rows of the left side of products.
type rowsIn struct {
	values []float32 // as they are, or whole numbers
	bytes  []int8
	starts []int32   // of each sum, for what was added to the weights
	scales []float32 // of each row
}

// take rounds rows of a length to int8.
func (in *rowsIn) take(values []float32, rows, length int) {
	tall := up(rows, tileRows)
	in.bytes, in.starts, in.scales = grow(in.bytes, tall*length), grow(in.starts, tall), grow(in.scales, tall)
	for r := range rows {
		row := in.bytes[r*length:][:length]
		in.scales[r] = roundTo(row, values[r*length:][:length])
		var sum int32
		for _, v := range row {
			sum += int32(v)
		}
		in.starts[r] = -byteShift * sum
	}
	clear(in.bytes[rows*length:])
	clear(in.starts[rows:])
	clear(in.scales[rows:])
}

// widen makes whole numbers in float32 of the bytes, for processors without the
// instruction.
func (in *rowsIn) widen() {
	in.values = grow(in.values, len(in.bytes))
	for i, v := range in.bytes {
		in.values[i] = float32(v)
	}
}

// multiplyBytes sets out to the product of rows and weights, times the scales of both,
// plus bias. Of out there are rows, rounded up to tileRows.
func multiplyBytes(out []float32, in *rowsIn, rows int, p *bytePanels, scales, bias []float32) {
	width := p.columns
	rows = up(rows, tileRows)
	_, _, _, _ = out[rows*width-1], in.bytes[rows*p.rows-1], in.starts[rows-1], in.scales[rows-1]
	for at := 0; at < width; at += panel {
		b := p.values[at*p.rows:][: p.rows*panel : p.rows*panel]
		for r := 0; r < rows; r += tileRows {
			tileBytes(out[r*width+at:], width, in.bytes[r*p.rows:], p.rows, b, in.starts[r:], in.scales[r:], scales[at:], bias[at:])
		}
	}
}

// finish makes of sums of whole numbers what multiplyBytes does.
func finish(sums []float32, rows, width int, in *rowsIn, scales, bias []float32) {
	for r := range rows {
		row := sums[r*width:][:width]
		for c := range row {
			row[c] = float32(float32(row[c]*in.scales[r])*scales[c]) + bias[c]
		}
	}
}
