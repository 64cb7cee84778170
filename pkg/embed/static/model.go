package static

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"github.com/freshet-dev/freshet/pkg/embed"
)

// Dims is the length of a model's vectors, and of a row of its table.
const Dims = 256

// maxTokens bounds a vocabulary, so that lookups stay short (see
// vocabularySlots) and sums within their lanes (see weightSum).
const maxTokens = 24_576

// The bundled model, never written to.
var (
	//go:embed table_int8.bin
	bundledTable []byte
	//go:embed scales_f32.bin
	bundledScales []byte
	//go:embed vocab.txt
	bundledVocabulary string
)

// rules names the tokenizer, the pooling and the rounding, which decide about
// a vector beside the model's data.
const rules = "fsh-tok-1/tf0.75/int8-max"

// Model is the data of a static model. It is not changed after it is made, and
// safe for concurrent use.
type Model struct {
	table      []byte // int8, Dims a row
	scales     []byte // one little-endian float32 a row; value = int8 × scale
	vocabulary string // one token a line, id = line number from 0
}

// Bundled is the model inside the program.
func Bundled() *Model { return &Model{bundledTable, bundledScales, bundledVocabulary} }

// Identity names the model. It is "static-" and the first 12 hexadecimal digits
// of the SHA-256 of the length-prefixed data, rules and prefix rule.
func (m *Model) Identity() string {
	h := sha256.New()
	for _, part := range [][]byte{m.table, m.scales, []byte(m.vocabulary), []byte(rules), []byte(embed.PrefixRule)} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write(part)
	}
	return "static-" + hex.EncodeToString(h.Sum(nil))[:12]
}

// floats decodes the scales of rows rows and checks that all fits together.
func (m *Model) floats(rows int) ([]float64, error) {
	if rows > maxTokens || len(m.scales) != 4*rows || len(m.table) != Dims*rows {
		return nil, fmt.Errorf("%d tokens (at most %d can be), but %d bytes of scales and %d of table", rows, maxTokens, len(m.scales), len(m.table))
	}
	scales := make([]float64, rows)
	for i := range scales {
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(m.scales[4*i:])))
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			return nil, fmt.Errorf("scale %d is %v", i, v)
		}
		scales[i] = v
	}
	return scales, nil
}

// tokens returns the vocabulary by id.
func (m *Model) tokens() []string {
	return strings.Split(strings.TrimSuffix(m.vocabulary, "\n"), "\n")
}
