package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/freshet-dev/freshet/pkg/document"
)

// weigh takes the weights of the order from the file that the configuration names.
// It holds the keys of query.ranking alone, so that what tunes can write it whole
// and nobody's own settings are in its way. Weights stand in one place: who names
// a file has none in query.ranking.
func (c *Config) weigh() error {
	file := c.Query.Weights
	switch {
	case file == "":
		return nil
	case !filepath.IsAbs(file):
		return document.Errorf(document.InvalidRequest, "query.weights is %q: use an absolute path", file)
	case c.Query.Ranking != defaultRanking():
		return document.Errorf(document.InvalidRequest, "query.ranking and query.weights both say what signals weigh: move the keys of query.ranking into %s", file)
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return document.Errorf(document.NotFound, "query.weights: there is no file %s: tune to have one written, or leave the key out", file)
	}
	if err != nil {
		return document.Errorf(document.Forbidden, "cannot read the weights %s: %w", file, err)
	}
	if err := decode(file, text, reflect.ValueOf(&c.Query.Ranking).Elem()); err != nil {
		return err
	}
	p := &Problems{File: file}
	if p.limits(reflect.ValueOf(c.Query.Ranking), ""); len(p.List) > 0 {
		return p
	}
	return nil
}

// WeightsYAML returns the weights that differ from the default, as a file for
// query.weights, and how many they are.
func (r Ranking) WeightsYAML() ([]byte, int, error) {
	var b bytes.Buffer
	n := 0
	v, normal := reflect.ValueOf(r), reflect.ValueOf(defaultRanking())
	for i := range v.NumField() {
		if v.Field(i).Equal(normal.Field(i)) {
			continue
		}
		text, err := scalarYAML(v.Field(i))
		if err != nil {
			return nil, 0, fmt.Errorf("print a weight: %w", err)
		}
		fmt.Fprintf(&b, "%s: %s\n", v.Type().Field(i).Tag.Get("yaml"), text)
		n++
	}
	return b.Bytes(), n, nil
}
