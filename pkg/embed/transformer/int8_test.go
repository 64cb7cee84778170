package transformer

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

// inInt8 converts a model of random weights into int8, and returns its folder.
func inInt8(t *testing.T, m made) string {
	t.Helper()
	archive := m.archive(t, nil)
	folder := filepath.Join(t.TempDir(), "int8")
	if err := published(archive).Convert(archive, folder, Int8); err != nil {
		t.Fatal(err)
	}
	return folder
}

// ways runs a test with each kind of product that this processor has for int8.
func ways(t *testing.T, test func(t *testing.T)) {
	plainly(t, func(t *testing.T) {
		if fastBytes {
			t.Run("bytes", test)
			fastBytes = false
			defer func() { fastBytes = true }()
		}
		t.Run("whole numbers in float32", test)
	})
}

func TestProductInInt8_IsThatOfWholeNumbers(t *testing.T) {
	ways(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(3, 4))
		for _, size := range [][3]int{{1, 16, 16}, {7, 48, 80}, {25, 80, 48}, {12, 384, 32}} {
			rows, length, columns := size[0], size[1], size[2]
			normal := func(n int) []float32 {
				out := make([]float32, n)
				for i := range out {
					out[i] = float32(random.NormFloat64())
				}
				return out
			}
			weights, bias := scale(normal(length*columns), length, columns), normal(columns)
			in := make([]float32, up(rows, tileRows)*length)
			copy(in, normal(rows*length))
			p, l := &pass{rows: rows}, newScaled(weights, bias, length, 1)
			out := make([]float32, up(rows, tileRows)*columns)
			p.linear(in, [][]float32{out}, &l)
			for r := range rows {
				row := make([]int8, length)
				unit := roundTo(row, in[r*length:][:length])
				for c := range columns {
					sum := 0
					for i, v := range row {
						sum += int(v) * int(weights.values[c*length+i])
					}
					want := float32(float32(float32(sum)*unit)*weights.scales[c]) + bias[c]
					if got := out[r*columns+c]; got != want {
						t.Fatalf("%v: value %d of row %d is %g, want %g", size, c, r, got, want)
					}
				}
			}
		}
	})
}

// Rounding takes the nearest of 255 values, the largest being one of them.
func TestRoundedRow_IsNearestToItself(t *testing.T) {
	for _, values := range [][]float32{{0, 0}, {1, -1, .5, .25}, {3e-30, -1e-30}, {-2e30, 1e30, 0}, {.1, .2, .3, -.4}} {
		out := make([]int8, len(values))
		unit := roundTo(out, values)
		for i, v := range values {
			if d := math.Abs(float64(v) - float64(unit)*float64(out[i])); d > float64(unit)*.5001 {
				t.Errorf("%v: %g became %d × %g", values, v, out[i], unit)
			}
		}
	}
}

// Vectors of a model in int8 are near those of the model, and the same whatever they are
// embedded with and however its products are made.
func TestModelInInt8_MakesNearlyTheSameVectors(t *testing.T) {
	m := writeModel(t, nil)
	folder := inInt8(t, m)
	var first [][]int8
	ways(t, func(t *testing.T) {
		e, err := Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		many := slices.Concat(texts, texts, texts)
		together, errs := e.EmbedDocuments(t.Context(), many)
		var all [][]int8
		for i, text := range many {
			alone, err := e.EmbedDocuments(t.Context(), []string{text})
			if errs[i] != nil || err[0] != nil {
				t.Fatal(errs[i], err)
			}
			if !slices.Equal(alone[0].Data, together[i].Data) || alone[0].Scale != together[i].Scale {
				t.Errorf("%q has another vector alone than among others", text)
			}
			want := m.vector(e.model.words.cut(text, e.model.Length), true)
			var dot, squares float64
			for j, v := range together[i].Data {
				x := float64(v)
				dot, squares = dot+x*want[j], squares+x*x
			}
			if cosine := dot / math.Sqrt(squares); cosine < .99 {
				t.Errorf("%q: cosine %.4f with the model in float32", text, cosine)
			}
			all = append(all, together[i].Data)
		}
		if first == nil {
			first = all
		}
		for i := range all {
			for j, v := range all[i] {
				// Attention is made in float32, whose last bit is the kernel's.
				if d := int(v) - int(first[i][j]); d < -1 || d > 1 {
					t.Errorf("%q: value %d is %d, and was %d in another way", many[i], j, v, first[i][j])
				}
			}
		}
	})
	one, err := SpaceOf(folder)
	if err != nil {
		t.Fatal(err)
	}
	archive := m.archive(t, nil)
	float := filepath.Join(t.TempDir(), "float32")
	if err := published(archive).Convert(archive, float, Float32); err != nil {
		t.Fatal(err)
	}
	if other, err := SpaceOf(float); err != nil || other.Identity == one.Identity {
		t.Errorf("in float32 it is %s, in int8 %s (%v)", other.Identity, one.Identity, err)
	}
}

func TestDamagedModelInInt8_IsRefused(t *testing.T) {
	folder := inInt8(t, writeModel(t, nil))
	file := filepath.Join(folder, fileWeights)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"half of it":  whole[:len(whole)/2],
		"no scales":   []byte(strings.Replace(string(whole), `dense.weight_scale`, `dense.weight_skale`, 1)),
		"other shape": []byte(strings.Replace(string(whole), `"dtype":"I8"`, `"dtype":"I9"`, 1)),
	} {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(folder); document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%s: %v, want %s", name, err, document.InvalidRequest)
		}
	}
}
