package embed

import (
	"fmt"
	"math"
)

// Round makes a Vector of values of any length: brought to length one, then to
// int8 with the scale max|x| / 127. The error says what is no direction: a value
// that is no number, or none but zeros.
func Round(values []float32) (Vector, error) {
	var sum, largest float64
	for i, x := range values {
		v := float64(x)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Vector{}, fmt.Errorf("value %d of its vector is %v", i, v)
		}
		sum += float64(v * v) // converted, so that nothing is fused
		largest = max(largest, math.Abs(v))
	}
	if sum == 0 || math.IsInf(sum, 0) {
		return Vector{}, fmt.Errorf("its vector has no direction")
	}
	norm := math.Sqrt(sum)
	scale := float32(largest / norm / 127)
	if scale == 0 {
		return Vector{}, fmt.Errorf("its vector has no direction")
	}
	out := Vector{Scale: scale, Data: make([]int8, len(values))}
	for i, x := range values {
		out.Data[i] = int8(math.Round(max(-127, min(127, float64(x)/norm/float64(scale)))))
	}
	return out, nil
}
