package remote

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/provider"
)

// asked is what a server is to embed.
type asked struct {
	model string
	dims  int // 0: as the model makes them
	query bool
	texts []string
}

// answer is what it says, in the order of the texts. tokens is 0 where it does not
// count them.
type answer struct {
	vectors [][]float32
	tokens  int
}

// wire is a format in which servers are asked for vectors.
type wire interface {
	// server completes the address and the headers, and names the path of requests.
	server(c config.Embedder, at *provider.Server) (path string)
	// most is how many texts the server takes at once.
	most() int
	// body is what is sent, as JSON.
	body(a asked) any
	// read takes an answer to n texts. The error says what is wrong with its form.
	read(raw []byte, n int) (answer, error)
}

// wires are the formats by provider.
var wires = map[string]wire{
	config.OpenAI: openAI{},
	config.Azure:  openAI{azure: true},
	config.Cohere: cohere{},
	config.Voyage: voyage{},
	config.Ollama: ollama{},
	config.TEI:    tei{},
}

// row is a vector as servers write it: a list of numbers, in which those that are
// none are null, or the bytes of float32 in base64.
type row []float32

// UnmarshalJSON implements json.Unmarshaler.
func (r *row) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return r.base64(raw)
	}
	raw, ok := bytes.CutPrefix(raw, []byte("["))
	if !ok {
		return fmt.Errorf("a vector is no list")
	}
	raw = bytes.TrimSpace(bytes.TrimSuffix(raw, []byte("]")))
	if len(raw) == 0 {
		return nil
	}
	out := make(row, 0, bytes.Count(raw, []byte(","))+1)
	for number := range bytes.SplitSeq(raw, []byte(",")) {
		number = bytes.TrimSpace(number)
		if string(number) == "null" {
			out = append(out, float32(math.NaN()))
			continue
		}
		x, err := strconv.ParseFloat(string(number), 32)
		if err != nil {
			return fmt.Errorf("a value of a vector is %.20q", number)
		}
		out = append(out, float32(x))
	}
	*r = out
	return nil
}

func (r *row) base64(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data)%4 != 0 {
		return fmt.Errorf("a vector is no list, and no base64 of numbers")
	}
	out := make(row, len(data)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	*r = out
	return nil
}

// inOrder checks that there is a vector for each of n texts.
func inOrder(rows []row, n int) ([][]float32, error) {
	if len(rows) != n {
		return nil, fmt.Errorf("%d vectors for %d texts", len(rows), n)
	}
	out := make([][]float32, n)
	for i, r := range rows {
		out[i] = r
	}
	return out, nil
}
