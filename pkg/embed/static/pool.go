package static

import (
	"encoding/binary"
	"math"
)

// One text's sum is made in 64-bit words of two 32-bit lanes: a byte of the
// table, made unsigned by adding 128, times an integer weight. The weights of
// a text add up to weightSum at most, so that 255 × weightSum fits a lane:
// weightSum + rounding of all rows (maxTokens / 2) < 2³²/255 = 16,843,009.
// Measured: within 2e-6 of float64 for texts of up to 500 tokens (rounding to
// int8 costs a thousand times that), a fifth of the time of converting each
// byte to a float, and equal on every platform.
const weightSum = 16_800_000

// A row is 32 words of 8 bytes; byte b of word w adds to lane b/4 of
// accumulator 4w + b%4.
const (
	rowWords = Dims / 8
	signBits = 0x8080808080808080
	lanes    = 0x000000ff000000ff
)

// accumulator holds the sums of one text.
type accumulator [Dims / 2]uint64

// addRow adds weight × (row + 128).
func (acc *accumulator) addRow(row []byte, weight uint64) {
	row = row[:Dims]
	for w := range rowWords {
		v := binary.LittleEndian.Uint64(row[8*w:]) ^ signBits
		a := acc[4*w : 4*w+4 : 4*w+4]
		a[0] += (v & lanes) * weight
		a[1] += (v >> 8 & lanes) * weight
		a[2] += (v >> 16 & lanes) * weight
		a[3] += (v >> 24 & lanes) * weight
	}
}

// unit writes the sum as a unit vector of float64 and reports whether it has
// a direction. total is the sum of the weights.
func (acc *accumulator) unit(out *[Dims]float64, total uint64) bool {
	offset := int64(128 * total)
	var sum float64
	for w := range rowWords {
		for b := range 8 {
			lane := acc[4*w+b%4] >> (32 * (b / 4)) & 0xffffffff
			x := float64(int64(lane) - offset)
			out[8*w+b] = x
			sum += float64(x * x) // the conversion keeps it from being fused on arm64
		}
	}
	if sum == 0 {
		return false
	}
	norm := math.Sqrt(sum)
	for i := range out {
		out[i] /= norm
	}
	return true
}

// damp returns tf^0.75 by two square roots, which every platform rounds
// alike.
func damp(tf float64) float64 { return math.Sqrt(tf * math.Sqrt(tf)) }
