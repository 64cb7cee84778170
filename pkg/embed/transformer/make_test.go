package transformer

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sizes of the model that the tests make.
const (
	madeHidden, madeWide, madeHeads, madeLayers, madePositions = 48, 80, 3, 2, 40
)

var madeWords = strings.Fields("[PAD] [UNK] [CLS] [SEP] [MASK] the heron weir stands in ##s ##ing stand a b c . , ( ) 湖 ## water")

// made is a model of random weights in a folder, with its weights as they were made.
type made struct {
	folder  string
	weights map[string][]float64
}

// writeModel writes a small model. change may change what its files say.
func writeModel(t testing.TB, change func(files map[string]any)) made {
	t.Helper()
	m := made{folder: t.TempDir(), weights: map[string][]float64{}}
	random := rand.New(rand.NewPCG(1, 2))
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var data []byte
	put := func(name string, shape ...int) {
		count := 1
		for _, n := range shape {
			count *= n
		}
		start := len(data)
		for range count {
			v := float32(random.NormFloat64() * 0.3)
			if strings.HasSuffix(name, "LayerNorm.weight") {
				v++
			}
			m.weights[name] = append(m.weights[name], float64(v))
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		header[name] = map[string]any{"dtype": "F32", "shape": shape, "data_offsets": []int{start, len(data)}}
	}
	linear := func(name string, in, out int) { put(name+".weight", out, in); put(name+".bias", out) }
	norm := func(name string) { put(name+".weight", madeHidden); put(name+".bias", madeHidden) }
	put("embeddings.word_embeddings.weight", len(madeWords), madeHidden)
	put("embeddings.position_embeddings.weight", madePositions, madeHidden)
	put("embeddings.token_type_embeddings.weight", 2, madeHidden)
	norm("embeddings.LayerNorm")
	for i := range madeLayers {
		at := fmt.Sprintf("encoder.layer.%d.", i)
		for _, part := range []string{"query", "key", "value"} {
			linear(at+"attention.self."+part, madeHidden, madeHidden)
		}
		linear(at+"attention.output.dense", madeHidden, madeHidden)
		norm(at + "attention.output.LayerNorm")
		linear(at+"intermediate.dense", madeHidden, madeWide)
		linear(at+"output.dense", madeWide, madeHidden)
		norm(at + "output.LayerNorm")
	}
	js, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	weights := binary.LittleEndian.AppendUint64(nil, uint64(len(js)))
	weights = append(append(weights, js...), data...)
	files := map[string]any{
		fileConfig: map[string]any{
			"model_type": "bert", "hidden_size": madeHidden, "num_hidden_layers": madeLayers, "num_attention_heads": madeHeads,
			"intermediate_size": madeWide, "max_position_embeddings": madePositions, "vocab_size": len(madeWords),
			"hidden_act": "gelu", "layer_norm_eps": 1e-12, "type_vocab_size": 2,
		},
		fileWords: []byte(strings.Join(madeWords, "\n") + "\n"), fileWeights: weights,
	}
	if change != nil {
		change(files)
	}
	for name, content := range files {
		b, raw := content.([]byte)
		if !raw {
			if b, err = json.Marshal(content); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(m.folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// vector is the definition of what a model makes of ids, value by value in float64.
func (m made) vector(ids []int32, first bool) []float64 {
	w := func(name string) []float64 { return m.weights[name] }
	norm := func(x []float64, name string) {
		mean, variance := 0.0, 0.0
		for _, v := range x {
			mean += v / float64(len(x))
		}
		for _, v := range x {
			variance += (v - mean) * (v - mean) / float64(len(x))
		}
		for i := range x {
			x[i] = (x[i]-mean)/math.Sqrt(variance+1e-12)*w(name + ".weight")[i] + w(name + ".bias")[i]
		}
	}
	linear := func(x []float64, name string) []float64 {
		out := append([]float64(nil), w(name+".bias")...)
		for o := range out {
			for i, v := range x {
				out[o] += v * w(name + ".weight")[o*len(x)+i]
			}
		}
		return out
	}
	x := make([][]float64, len(ids))
	for at, id := range ids {
		x[at] = make([]float64, madeHidden)
		for i := range x[at] {
			x[at][i] = w("embeddings.word_embeddings.weight")[int(id)*madeHidden+i] + w("embeddings.position_embeddings.weight")[at*madeHidden+i] +
				w("embeddings.token_type_embeddings.weight")[i]
		}
		norm(x[at], "embeddings.LayerNorm")
	}
	size := madeHidden / madeHeads
	for l := range madeLayers {
		name := fmt.Sprintf("encoder.layer.%d.", l)
		var q, k, v [][]float64
		for _, row := range x {
			q = append(q, linear(row, name+"attention.self.query"))
			k = append(k, linear(row, name+"attention.self.key"))
			v = append(v, linear(row, name+"attention.self.value"))
		}
		for at := range x {
			attended := make([]float64, madeHidden)
			for h := range madeHeads {
				scores, sum := make([]float64, len(x)), 0.0
				for other := range x {
					for i := h * size; i < (h+1)*size; i++ {
						scores[other] += q[at][i] * k[other][i] / math.Sqrt(float64(size))
					}
					scores[other] = math.Exp(scores[other])
					sum += scores[other]
				}
				for other := range x {
					for i := h * size; i < (h+1)*size; i++ {
						attended[i] += scores[other] / sum * v[other][i]
					}
				}
			}
			out := linear(attended, name+"attention.output.dense")
			for i := range out {
				out[i] += x[at][i]
			}
			norm(out, name+"attention.output.LayerNorm")
			wide := linear(out, name+"intermediate.dense")
			for i, u := range wide {
				wide[i] = u * 0.5 * (1 + math.Erf(u/math.Sqrt2))
			}
			for i, u := range linear(wide, name+"output.dense") {
				out[i] += u
			}
			norm(out, name+"output.LayerNorm")
			x[at] = out
		}
	}
	if first {
		x = x[:1]
	}
	sum, squares := make([]float64, madeHidden), 0.0
	for _, row := range x {
		for i, u := range row {
			sum[i] += u
		}
	}
	for _, u := range sum {
		squares += u * u
	}
	for i := range sum {
		sum[i] /= math.Sqrt(squares)
	}
	return sum
}
