package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/nearest"
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

// With returns the weights with other values under some keys, those of query.ranking.
// The error, an InvalidRequest, names the first key that is unknown, or what is wrong
// with each value.
func (r Ranking) With(values map[string]string) (Ranking, error) {
	v := reflect.ValueOf(&r).Elem()
	byKey := map[string]reflect.Value{}
	for i := range v.NumField() {
		byKey[v.Type().Field(i).Tag.Get("yaml")] = v.Field(i)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		field, known := byKey[key]
		if !known {
			return r, unknownWeight(key, slices.Sorted(maps.Keys(byKey)))
		}
		if err := setScalar(field, values[key]); err != nil {
			return r, document.Errorf(document.InvalidRequest, "ranking.%s: %w", key, err)
		}
	}
	p := &Problems{}
	if p.limits(v, "ranking"); len(p.List) > 0 {
		return r, p.Unwrap()
	}
	return r, nil
}

func unknownWeight(key string, known []string) error {
	if near, ok := nearest.Of(key, known); ok {
		return document.Errorf(document.InvalidRequest, "ranking has no key %q: did you mean %s?", document.Shorten(key), near)
	}
	return document.Errorf(document.InvalidRequest, "ranking has no key %q: known are %s", document.Shorten(key), strings.Join(known, ", "))
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
