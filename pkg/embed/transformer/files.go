package transformer

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Names of the files of a model.
const (
	fileConfig    = "config.json"
	fileWeights   = "model.safetensors"
	fileWords     = "vocab.txt"
	fileTokenizer = "tokenizer_config.json"
	filePooling   = "1_Pooling/config.json"
	fileLength    = "sentence_bert_config.json"
	filePrompts   = "config_sentence_transformers.json"
)

// settings are what the files of a model say about it.
type settings struct {
	Type         string  `json:"model_type"`
	Hidden       int     `json:"hidden_size"`
	Layers       int     `json:"num_hidden_layers"`
	Heads        int     `json:"num_attention_heads"`
	Intermediate int     `json:"intermediate_size"`
	Positions    int     `json:"max_position_embeddings"`
	Words        int     `json:"vocab_size"`
	Activation   string  `json:"hidden_act"`
	Epsilon      float64 `json:"layer_norm_eps"`
	Position     string  `json:"position_embedding_type"`

	// Length is the most tokens of a text, the two around it included.
	Length int
	// Cased says that letters keep their case and accents.
	Cased bool
	// First takes the vector of the first token for the text's; else the mean of all.
	First bool
	// QueryPrompt and DocumentPrompt stand before texts.
	QueryPrompt, DocumentPrompt string
}

// Is reports whether a folder holds a model of this kind.
func Is(folder string) bool {
	var s settings
	return readJSON(folder, fileConfig, &s) == nil && s.Type == "bert"
}

// readSettings reads them, with the defaults that sentence-transformers has. Errors are
// those of Open.
func readSettings(folder string) (s settings, err error) {
	if err := readJSON(folder, fileConfig, &s); err != nil {
		return s, err
	}
	if err := s.check(folder); err != nil {
		return s, err
	}
	tokenizer := struct {
		Lower *bool `json:"do_lower_case"`
	}{}
	pooling := struct {
		First bool `json:"pooling_mode_cls_token"`
		Mean  bool `json:"pooling_mode_mean_tokens"`
	}{Mean: true}
	length := struct {
		Most int `json:"max_seq_length"`
	}{}
	prompts := struct {
		Prompts map[string]string `json:"prompts"`
	}{}
	for name, into := range map[string]any{fileTokenizer: &tokenizer, filePooling: &pooling, fileLength: &length, filePrompts: &prompts} {
		if err := readJSON(folder, name, into); err != nil && document.KindOf(err) != document.NotFound {
			return s, err
		}
	}
	if !pooling.First && !pooling.Mean {
		return s, document.Errorf(document.InvalidRequest, "%s pools in a way that freshet has not: it takes the first token or the mean", filepath.Join(folder, filePooling))
	}
	s.First = pooling.First
	s.Cased = tokenizer.Lower != nil && !*tokenizer.Lower
	s.Length = s.Positions
	if length.Most > 0 {
		s.Length = min(s.Length, length.Most)
	}
	s.QueryPrompt = prompts.Prompts["query"]
	s.DocumentPrompt = prompts.Prompts["document"]
	if s.DocumentPrompt == "" {
		s.DocumentPrompt = prompts.Prompts["passage"]
	}
	return s, nil
}

// check refuses what the forward pass has not.
func (s *settings) check(folder string) error {
	file := filepath.Join(folder, fileConfig)
	switch {
	case s.Type != "bert":
		return document.Errorf(document.InvalidRequest, "%s describes a model of the type %q: freshet runs bert itself; have others served by a model server", file, s.Type)
	case s.Activation != "gelu":
		return document.Errorf(document.InvalidRequest, "%s asks for the activation %q: freshet has gelu", file, s.Activation)
	case s.Position != "" && s.Position != "absolute":
		return document.Errorf(document.InvalidRequest, "%s asks for positions of the type %q: freshet has absolute ones", file, s.Position)
	case s.Hidden < 1 || s.Hidden > 4096 || s.Layers < 1 || s.Layers > 64 || s.Heads < 1 || s.Intermediate < 1 || s.Intermediate > 16384 ||
		s.Positions < 3 || s.Positions > 1<<16 || s.Words < 1 || s.Words > 1<<20 || s.Hidden%s.Heads != 0 || s.Hidden%panel != 0 || s.Intermediate%panel != 0:
		return document.Errorf(document.InvalidRequest, "%s has sizes that do not fit together, or that freshet does not take", file)
	}
	return nil
}

// readJSON reads a file of a model. The error is NotFound where it is not there, and
// InvalidRequest where it is none.
func readJSON(folder, name string, into any) error {
	b, err := readFile(folder, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return document.Errorf(document.InvalidRequest, "%s is damaged: load the model again: %w", filepath.Join(folder, name), err)
	}
	return nil
}

func readFile(folder, name string) ([]byte, error) {
	path := filepath.Join(folder, filepath.FromSlash(name))
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, document.Errorf(document.NotFound, "there is no %s: a model is a folder with %s, %s and %s", path, fileConfig, fileWeights, fileWords)
	}
	if err != nil {
		return nil, document.Errorf(document.Unavailable, "%s cannot be read: %w", path, err)
	}
	return b, nil
}
