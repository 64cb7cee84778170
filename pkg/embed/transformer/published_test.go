package transformer

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/freshet-dev/freshet/pkg/document"
)

// archive packs a model as its publishers do: in the format ONNX, with matrices turned
// round and named by numbers.
func (m made) archive(t testing.TB, change func(files map[string][]byte)) []byte {
	t.Helper()
	field := func(b []byte, number protowire.Number, value []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), value)
	}
	var graph []byte
	tensor := func(name string, shape []int, values []float64) {
		var b, raw []byte
		for _, n := range shape {
			b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), uint64(n))
		}
		b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), onnxFloat)
		for _, v := range values {
			raw = protowire.AppendFixed32(raw, math.Float32bits(float32(v)))
		}
		graph = field(graph, 5, field(field(b, 8, []byte(name)), 9, raw))
	}
	for i, name := range slices.Sorted(maps.Keys(m.weights)) {
		values := m.weights[name]
		switch {
		case strings.HasPrefix(name, "embeddings.") && !strings.Contains(name, "LayerNorm"):
			tensor(name, []int{len(values) / madeHidden, madeHidden}, values)
		case strings.HasSuffix(name, ".bias"), strings.Contains(name, "LayerNorm"):
			tensor(name, []int{len(values)}, values)
		default:
			in := madeHidden
			if strings.HasSuffix(name, ".output.dense.weight") && !strings.Contains(name, "attention") {
				in = madeWide
			}
			out := len(values) / in
			turned := make([]float64, len(values))
			for o := range out {
				for k := range in {
					turned[k*out+o] = values[o*in+k]
				}
			}
			number := "onnx::MatMul_" + string(rune('A'+i))
			tensor(number, []int{in, out}, turned)
			node := field(field(nil, 1, []byte("x")), 1, []byte(number))
			node = field(node, 3, []byte("/"+strings.ReplaceAll(strings.TrimSuffix(name, ".weight"), ".", "/")+"/MatMul"))
			graph = field(graph, 1, field(node, 4, []byte("MatMul")))
		}
	}
	ids := map[string]int{}
	for i, w := range madeWords {
		ids[w] = i
	}
	// layer.0 is a name with a point in it.
	graph = bytes.ReplaceAll(graph, []byte("encoder/layer/0"), []byte("encoder/layer.0"))
	graph = bytes.ReplaceAll(graph, []byte("encoder/layer/1"), []byte("encoder/layer.1"))
	tokenizer, err := json.Marshal(map[string]any{"model": map[string]any{"type": "WordPiece", "vocab": ids}})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"a/made.onnx": field(nil, 7, graph), "made-tokenizer.json": tokenizer}
	if change != nil {
		change(files)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, b := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func published(archive []byte) Published {
	sum := sha256.Sum256(archive)
	return Published{Name: "made", Sum: hex.EncodeToString(sum[:]), heads: madeHeads, pooling: "cls", length: 30, prompts: map[string]string{"query": "the "}}
}

func TestConvertedModel_MakesTheSameVectors(t *testing.T) {
	m := writeModel(t, func(files map[string]any) {
		files[filePooling] = map[string]any{"pooling_mode_cls_token": true}
		files[fileLength] = map[string]any{"max_seq_length": 30}
		files[filePrompts] = map[string]any{"prompts": map[string]string{"query": "the "}}
	})
	archive := m.archive(t, nil)
	folder := filepath.Join(t.TempDir(), "models", "made")
	if err := published(archive).Convert(archive, folder, Float32); err != nil {
		t.Fatal(err)
	}
	want, err := Open(m.folder)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		a, _ := want.EmbedQuery(t.Context(), text)
		b, _ := got.EmbedQuery(t.Context(), text)
		if a.Scale != b.Scale || !slices.Equal(a.Data, b.Data) {
			t.Errorf("%q has another vector", text)
		}
	}
	if err := published(archive).Convert(archive, folder, Float32); document.KindOf(err) != document.Conflict {
		t.Errorf("a second time: %v, want %s", err, document.Conflict)
	}
}

func TestDamagedArchive_LeavesNoModel(t *testing.T) {
	m := writeModel(t, nil)
	whole := m.archive(t, nil)
	for name, archive := range map[string][]byte{
		"no archive":       []byte("no archive"),
		"half of it":       whole[:len(whole)/2],
		"no model":         m.archive(t, func(f map[string][]byte) { delete(f, "a/made.onnx") }),
		"no tokenizer":     m.archive(t, func(f map[string][]byte) { delete(f, "made-tokenizer.json") }),
		"another model":    m.archive(t, func(f map[string][]byte) { f["a/made.onnx"] = []byte("\x3a\x02\x0a\x00") }),
		"half of a model":  m.archive(t, func(f map[string][]byte) { b := f["a/made.onnx"]; f["a/made.onnx"] = b[:len(b)/2] }),
		"another alphabet": m.archive(t, func(f map[string][]byte) { f["made-tokenizer.json"] = []byte(`{"model":{"type":"BPE"}}`) }),
		"gaps in the words": m.archive(t, func(f map[string][]byte) {
			f["made-tokenizer.json"] = []byte(`{"model":{"type":"WordPiece","vocab":{"a":0,"b":2}}}`)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			folder := filepath.Join(parent, "made")
			if err := published(archive).Convert(archive, folder, Float32); document.KindOf(err) != document.InvalidRequest {
				t.Errorf("%v, want %s", err, document.InvalidRequest)
			}
			left, err := os.ReadDir(parent)
			if err != nil || len(left) > 0 {
				t.Errorf("%v is left behind: %v", left, err)
			}
		})
	}
	if err := Models[0].Convert(whole, filepath.Join(t.TempDir(), "made"), Float32); document.KindOf(err) != document.InvalidRequest {
		t.Errorf("an archive with another sum: %v", err)
	}
	if _, err := Find("made"); document.KindOf(err) != document.NotFound || !strings.Contains(err.Error(), Models[0].Name) {
		t.Errorf("a model that nobody knows: %v", err)
	}
	if _, err := os.Stat("made"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func FuzzOnnx(f *testing.F) {
	m := writeModel(f, nil)
	z, err := zip.NewReader(bytes.NewReader(m.archive(f, nil)), int64(len(m.archive(f, nil))))
	if err != nil {
		f.Fatal(err)
	}
	b, err := member(z, ".onnx")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b[:600])
	f.Add([]byte("\x3a\x02\x0a\x00"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		if weights, err := onnxWeights(b); err == nil {
			_, _ = asTensors(weights)
		}
	})
}
