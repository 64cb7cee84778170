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
	bias   []float32
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
	linearOf := func(name string, in, out int) linear {
		w, bias := floats(name+".weight", out, in), floats(name+".bias", out)
		if err != nil {
			return linear{}
		}
		return linear{packTransposed(w, in, out), bias}
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
		l := layer{
			query: linearOf(at+"attention.self.query", m.Hidden, m.Hidden), key: linearOf(at+"attention.self.key", m.Hidden, m.Hidden),
			value: linearOf(at+"attention.self.value", m.Hidden, m.Hidden), output: linearOf(at+"attention.output.dense", m.Hidden, m.Hidden),
			attended: normOf(at + "attention.output.LayerNorm"),
			wide:     linearOf(at+"intermediate.dense", m.Hidden, m.Intermediate), narrow: linearOf(at+"output.dense", m.Intermediate, m.Hidden),
			done: normOf(at + "output.LayerNorm"),
		}
		// The scores of attention are divided by the root of a head's size.
		scale := float32(1 / math.Sqrt(float64(m.Hidden/m.Heads)))
		for _, values := range [][]float32{l.query.weight.values, l.query.bias} {
			for i := range values {
				values[i] *= scale
			}
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
