package dot

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// maxDims is the most that a store takes.
const maxDims = 16384

// dotNaive is the definition.
func dotNaive(query, rows []int8, count int) []int32 {
	out := make([]int32, count)
	for i := range out {
		for j, q := range query {
			out[i] += int32(q) * int32(rows[i*len(query)+j])
		}
	}
	return out
}

func checkKernels(t *testing.T, query, rows []int8, count int) {
	t.Helper()
	want := dotNaive(query, rows, count)
	for _, k := range kernels() {
		// Guard values behind the results show a kernel that writes too far.
		got := make([]int32, count+2)
		got[count], got[count+1] = 7, 7
		k.Dot(got[:count:count], NewQuestion(query), rows)
		if !slices.Equal(got[:count], want) {
			t.Fatalf("%s, %d dims: %v, want %v", k.Name, len(query), got[:count], want)
		}
		if got[count] != 7 || got[count+1] != 7 {
			t.Fatalf("%s, %d dims, wrote behind its results", k.Name, len(query))
		}
	}
}

func TestKernels_EqualTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	fills := []func() int8{
		func() int8 { return int8(r.IntN(256) - 128) },
		func() int8 { return -128 },
		func() int8 { return 127 },
		func() int8 { return []int8{-128, 127}[r.IntN(2)] },
		func() int8 { return int8(r.IntN(3) - 1) },
	}
	dims := []int{255, 256, 257, 383, 384, 512, 768, 1000, 1024, 1536, maxDims - 1, maxDims}
	for d := 1; d <= 200; d++ {
		dims = append(dims, d)
	}
	for _, d := range dims {
		for _, queryFill := range fills {
			for _, rowFill := range fills {
				query := make([]int8, d)
				for i := range query {
					query[i] = queryFill()
				}
				// An odd number of rows, at an odd address.
				rows := make([]int8, 3*d+1)[1:]
				for i := range rows {
					rows[i] = rowFill()
				}
				checkKernels(t, query, rows, 3)
			}
		}
	}
}

func TestKernelsWithNoRows_DoNothing(t *testing.T) {
	for _, k := range kernels() {
		k.Dot(nil, NewQuestion([]int8{1, 2, 3}), nil)
	}
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte{128, 127, 0, 255, 1}, uint8(2))
	f.Add(make([]byte, 300), uint8(64))
	f.Fuzz(func(t *testing.T, data []byte, dims uint8) {
		if dims == 0 || len(data) < 2*int(dims) {
			return
		}
		values := make([]int8, len(data))
		for i, b := range data {
			values[i] = int8(b)
		}
		query, rows := values[:dims], values[dims:]
		checkKernels(t, query, rows, len(rows)/int(dims))
	})
}

func BenchmarkKernels(b *testing.B) {
	const dims, count = 256, 4096 // one megabyte
	query, rows := make([]int8, dims), make([]int8, dims*count)
	out := make([]int32, count)
	for _, k := range kernels() {
		b.Run(k.Name, func(b *testing.B) {
			b.SetBytes(dims * count)
			for b.Loop() {
				k.Dot(out, NewQuestion(query), rows)
			}
		})
	}
}
