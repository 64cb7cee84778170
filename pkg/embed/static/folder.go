package static

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/document"
)

// The files of a model in a folder of its own; the first three are those of the
// bundled one.
const (
	tableFile      = "table_int8.bin"
	scalesFile     = "scales_f32.bin"
	vocabularyFile = "vocab.txt"
	aboutFile      = "model.json"
)

// folderFormat is raised when an older program could not use a folder.
const folderFormat = 1

// about is what stands in a folder beside the data. With it, files of two
// models are not taken for one, and what was cut short is noticed.
type about struct {
	Format   int    `json:"format"`
	Identity string `json:"identity"`
	Rules    string `json:"rules"`
	// From is the identity of the model that the training began with.
	From string `json:"from"`
}

// Load returns the model in a folder that Write has filled; "" is the bundled
// one. The error names the folder and the fix: NotFound where there is none,
// VersionMismatch for one of another version of freshet, InvalidRequest for a
// damaged one.
func Load(folder string) (*Model, error) {
	if folder == "" {
		return Bundled(), nil
	}
	raw, err := os.ReadFile(filepath.Join(folder, aboutFile))
	if err != nil {
		return nil, document.Errorf(document.NotFound, "there is no embedding model in %s (%w): name a folder that a training has written or that a BERT encoder is published as, or leave embedder.model out for the bundled model", folder, err).Do(document.DoEmbedderTrain)
	}
	var a about
	if err := json.Unmarshal(raw, &a); err != nil || a.Format < 1 {
		return nil, damaged(folder, errors.New("model.json is not what a training writes"))
	}
	if a.Format > folderFormat || a.Rules != rules {
		return nil, document.Errorf(document.VersionMismatch, "the embedding model in %s is for another version of freshet (format %d, rules %q; here %d, %q): train it again with this one", folder, a.Format, a.Rules, folderFormat, rules)
	}
	m := &Model{}
	var vocabulary []byte
	for _, f := range []struct {
		name string
		into *[]byte
	}{{tableFile, &m.table}, {scalesFile, &m.scales}, {vocabularyFile, &vocabulary}} {
		if *f.into, err = os.ReadFile(filepath.Join(folder, f.name)); err != nil {
			return nil, damaged(folder, err)
		}
	}
	m.vocabulary = string(vocabulary)
	if _, err := m.floats(len(m.tokens())); err != nil {
		return nil, damaged(folder, err)
	}
	if id := m.Identity(); id != a.Identity {
		return nil, damaged(folder, fmt.Errorf("its files are those of %s, model.json is that of %s", id, a.Identity))
	}
	return m, nil
}

func damaged(folder string, cause error) error {
	return document.Errorf(document.InvalidRequest, "the embedding model in %s is damaged (%w): copy the whole folder again, or train it again", folder, cause)
}

// Open returns an embedder with the model in a folder; "" is the bundled one.
// Errors are those of Load.
func Open(folder string) (*Embedder, error) {
	m, err := Load(folder)
	if err != nil {
		return nil, err
	}
	e, err := m.Embedder()
	if err != nil && folder != "" {
		return nil, damaged(folder, err)
	}
	return e, err
}

// IdentityOf returns the identity of the model in a folder, "" for the bundled
// one. Whoever names a generation needs it. Errors are those of Load.
func IdentityOf(folder string) (string, error) {
	m, err := Load(folder)
	if err != nil {
		return "", err
	}
	return m.Identity(), nil
}

// Write makes the folder, which must not be there or be empty, with all or
// nothing of the model. from is the identity of the model that the training
// began with. A folder in use is a Conflict.
func (m *Model) Write(folder, from string) error {
	if err := CheckOut(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return cannotWrite(folder, err)
	}
	made, err := os.MkdirTemp(filepath.Dir(folder), ".model-")
	if err != nil {
		return cannotWrite(folder, err)
	}
	defer func() { _ = os.RemoveAll(made) }() // nothing is left there after the rename
	head, err := json.MarshalIndent(about{Format: folderFormat, Identity: m.Identity(), Rules: rules, From: from}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", aboutFile, err)
	}
	for name, content := range map[string][]byte{tableFile: m.table, scalesFile: m.scales, vocabularyFile: []byte(m.vocabulary), aboutFile: append(head, '\n')} {
		if err := os.WriteFile(filepath.Join(made, name), content, 0o644); err != nil {
			return cannotWrite(folder, err)
		}
	}
	// The services of a team may run as somebody else.
	if err := os.Chmod(made, 0o755); err != nil {
		return cannotWrite(folder, err)
	}
	if err := os.Rename(made, folder); err != nil {
		return cannotWrite(folder, err)
	}
	return nil
}

// CheckOut says whether Write could fill a folder, before a long training.
func CheckOut(folder string) error {
	list, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return cannotWrite(folder, err)
	case len(list) > 0:
		return document.Errorf(document.Conflict, "the folder %s is not empty: name a new one for the model, so that no running freshet loses its own", folder)
	}
	return nil
}

func cannotWrite(folder string, cause error) error {
	return document.Errorf(document.Forbidden, "cannot write the model to %s: %w: name a folder that can be made", folder, cause)
}
