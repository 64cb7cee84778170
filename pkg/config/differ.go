package config

import "reflect"

// Differences lists the keys in which two configurations differ, in their order. Values
// are not told: some are secrets.
func Differences(a, b Config) []string {
	return differences(reflect.ValueOf(a), reflect.ValueOf(b), "")
}

func differences(a, b reflect.Value, at string) (out []string) {
	if a.Kind() != reflect.Struct {
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			return []string{at}
		}
		return nil
	}
	for i, key := range keysOf(a.Type()) {
		out = append(out, differences(a.Field(i), b.Field(i), join(at, key))...)
	}
	return out
}

// WithBuilding is c with everything that another configuration says of how passages and
// vectors are made, and by whom. Which documents are cut in another way, or belong to a
// collection of their own, stays: the watcher writes it into their versions.
func (c Config) WithBuilding(other Config) Config {
	strategies, own := c.Chunker.Strategies, c.Collections.Own
	c.Chunker, c.Embedder, c.Collections = other.Chunker, other.Embedder, other.Collections
	c.Chunker.Strategies, c.Collections.Own = strategies, own
	return c
}
