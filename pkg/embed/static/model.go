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

// Dims is the length of the model's vectors, and of a row of the table.
const Dims = 256

// The model, never written to: int8 rows, one little-endian float32 scale a row (value = int8 ×
// scale), and one token a line (id = line number from 0).
var (
	//go:embed table_int8.bin
	table []byte
	//go:embed scales_f32.bin
	scaleBytes []byte
	//go:embed vocab.txt
	vocabText string
)

// rules names the tokenizer, the pooling and the rounding, which decide about
// a vector beside the model's data.
const rules = "fsh-tok-1/tf0.75/int8-max"

// Identity names the model without reading it. It is "static-" and the first 12 hexadecimal digits of the SHA-256 of
// the length-prefixed data, rules and prefix rule.
func Identity() string {
	h := sha256.New()
	for _, part := range [][]byte{table, scaleBytes, []byte(vocabText), []byte(rules), []byte(embed.PrefixRule)} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write(part)
	}
	return "static-" + hex.EncodeToString(h.Sum(nil))[:12]
}

// loadScales decodes the scales of rows rows and checks them.
func loadScales(rows int) ([]float64, error) {
	if len(scaleBytes) != 4*rows || len(table) != Dims*rows {
		return nil, fmt.Errorf("bundled model: %d tokens, but %d bytes of scales and %d of table", rows, len(scaleBytes), len(table))
	}
	scales := make([]float64, rows)
	for i := range scales {
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(scaleBytes[4*i:])))
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			return nil, fmt.Errorf("bundled model: scale %d is %v", i, v)
		}
		scales[i] = v
	}
	return scales, nil
}

// loadVocabulary returns the tokens by id.
func loadVocabulary() []string {
	return strings.Split(strings.TrimSuffix(vocabText, "\n"), "\n")
}
