package transformer

import (
	"crypto/sha256"
	"fmt"
	"math"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/document"
)

// model is an encoder with its weights. It is not changed once it is made.
type model struct {
	settings
	words *words

	word, position, kind []float32 // of each word, place and (the first) kind of text
	begin                layerNorm
	layers               []layer
}

type layerNorm struct{ weight, bias []float32 }

// linear is a product and a sum.
type linear struct {
	weight panels
	bytes  bytePanels // in place of weight, where the processor multiplies bytes
	scales []float32  // of each column of a model in int8; nil: it is none
	bias   []float32
}

// newLinear makes one of weights, given column after column.
func newLinear(w []float32, bias []float32, rows int) linear {
	return linear{weight: packTransposed(w, rows, len(bias)), bias: bias}
}

// newScaled makes one of weights in int8. factor is for all that it makes.
func newScaled(w scaled, bias []float32, rows int, factor float32) linear {
	l := linear{scales: make([]float32, len(bias)), bias: bias}
	for c, s := range w.scales {
		l.scales[c] = s * factor
	}
	if fastBytes {
		l.bytes = packBytes(w, rows, len(bias))
		return l
	}
	values := make([]float32, len(w.values))
	for i, v := range w.values {
		values[i] = float32(v)
	}
	l.weight = packTransposed(values, rows, len(bias))
	return l
}

// layer is one of the encoder (Devlin et al., "BERT", 2018).
type layer struct {
	query, key, value, output linear
	attended                  layerNorm
	wide, narrow              linear
	done                      layerNorm
}

// read reads the model in a folder.
func read(folder string) (*model, error) {
	s, err := readSettings(folder)
	if err != nil {
		return nil, err
	}
	m := &model{settings: s}
	vocabulary, err := readFile(folder, fileWords)
	if err != nil {
		return nil, err
	}
	if m.words, err = newWords(vocabulary, s.Words, s.Cased); err != nil {
		return nil, document.Errorf(document.InvalidRequest, "%s is damaged, or of another model: %w", filepath.Join(folder, fileWords), err)
	}
	b, err := readFile(folder, fileWeights)
	if err != nil {
		return nil, err
	}
	t, err := parseTensors(b)
	if err == nil {
		err = m.take(t)
	}
	if err != nil {
		return nil, document.Errorf(document.InvalidRequest, "%s is damaged, or of another model: %w", filepath.Join(folder, fileWeights), err)
	}
	return m, nil
}

// take takes the weights out of a file's tensors.
func (m *model) take(t *tensors) (err error) {
	floats := func(name string, shape ...int) (out []float32) {
		if err == nil {
			out, err = t.floats(name, shape...)
		}
		return out
	}
	linearOf := func(name string, in, out int, factor float32) linear {
		bias := floats(name+".bias", out)
		for i := range bias {
			bias[i] *= factor
		}
		if t.isScaled(name + ".weight") {
			w := scaled{scales: floats(name+".weight"+scaleOf, out)}
			if err == nil {
				w.values, err = t.bytes(name+".weight", out, in)
			}
			if err != nil {
				return linear{}
			}
			return newScaled(w, bias, in, factor)
		}
		w := floats(name+".weight", out, in)
		if err != nil {
			return linear{}
		}
		for i := range w {
			w[i] *= factor
		}
		return newLinear(w, bias, in)
	}
	normOf := func(name string) layerNorm {
		return layerNorm{floats(name+".weight", m.Hidden), floats(name+".bias", m.Hidden)}
	}
	kinds := 2
	if e, ok := t.entries["embeddings.token_type_embeddings.weight"]; ok && len(e.Shape) == 2 {
		kinds = e.Shape[0]
	}
	m.word = floats("embeddings.word_embeddings.weight", m.Words, m.Hidden)
	m.position = floats("embeddings.position_embeddings.weight", m.Positions, m.Hidden)
	m.kind = floats("embeddings.token_type_embeddings.weight", kinds, m.Hidden)
	m.begin = normOf("embeddings.LayerNorm")
	for i := range m.Layers {
		at := fmt.Sprintf("encoder.layer.%d.", i)
		// The scores of attention are divided by the root of a head's size.
		root := float32(1 / math.Sqrt(float64(m.Hidden/m.Heads)))
		l := layer{
			query: linearOf(at+"attention.self.query", m.Hidden, m.Hidden, root), key: linearOf(at+"attention.self.key", m.Hidden, m.Hidden, 1),
			value: linearOf(at+"attention.self.value", m.Hidden, m.Hidden, 1), output: linearOf(at+"attention.output.dense", m.Hidden, m.Hidden, 1),
			attended: normOf(at + "attention.output.LayerNorm"),
			wide:     linearOf(at+"intermediate.dense", m.Hidden, m.Intermediate, 1), narrow: linearOf(at+"output.dense", m.Intermediate, m.Hidden, 1),
			done: normOf(at + "output.LayerNorm"),
		}
		m.layers = append(m.layers, l)
	}
	return err
}

// identify is the hash of all that a text's vector depends on.
func identify(folder string) (string, error) {
	s, err := readSettings(folder)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, name := range []string{fileWords, fileWeights} {
		b, err := readFile(folder, name)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(b)
		h.Write(sum[:])
	}
	fmt.Fprintf(h, "%+v", s)
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}
