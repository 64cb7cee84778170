package config

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Overridden are the variables of the environment that hold over what the file at path
// says of embedders, in the order of their keys; none where there is no file. A model
// that it leaves out is chosen, too, beside a provider; a key may well come from there.
func Overridden(path string, environ ...string) ([]string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, document.Errorf(document.Forbidden, "cannot read the configuration %s: %w", path, err)
	}
	file := Default()
	if err := decode(path, text, reflect.ValueOf(&file).Elem()); err != nil {
		return nil, err
	}
	over := file
	set, err := over.override(environ)
	if err != nil {
		return nil, err
	}
	says := func(section, key string) bool {
		text, err := Written(path, text, section, key)
		return err != nil || text != "" // it is written in another way, or there
	}
	var out []string
	for _, key := range Differences(file, over) {
		at := max(0, strings.LastIndex(key, "."))
		section, name := key[:at], strings.TrimPrefix(key[at:], ".")
		if set[key] == "" || !slices.Contains(embedderSections(), section) || !slices.Contains(EmbedderKeys(), name) {
			continue
		}
		if says(section, name) || name == "model" && says(section, "provider") {
			out = append(out, set[key])
		}
	}
	return out, nil
}

func embedderSections() []string {
	out := []string{EmbedderSection("")}
	for _, name := range document.Collections {
		out = append(out, EmbedderSection(name))
	}
	return out
}
