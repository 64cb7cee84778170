package elastic

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/store"
)

// format is raised when an index made before cannot be used any more.
const format = 1

// similarity is the name of BM25 with the parameters of package store.
const similarity = "freshet_bm25"

// maxHits is the most that one search returns.
const maxHits = 1_000_000

// object is a JSON object.
type object = map[string]any

// mapping of an index, in the form in which the server shows it. What is
// searched is indexed; what a search brings back comes from doc values, 75
// hits in a tenth of the time that _source takes. Only the mark is in _source,
// since reading it must not wait for a refresh.
func mapping() object {
	kept := object{"type": "keyword", "index": false}
	exact := object{"type": "keyword"}
	return object{
		"dynamic": "strict",
		"_meta":   object{"freshet": object{"format": format}},
		"_source": object{"includes": []string{fieldMark}},
		"properties": object{
			fieldID:       kept,
			fieldText:     object{"type": "text", "analyzer": "whitespace", "similarity": similarity, "index_options": "freqs"},
			fieldSource:   exact,
			fieldDoc:      exact,
			fieldLanguage: exact,
			fieldKind:     exact,
			fieldDirs:     object{"type": "keyword", "doc_values": false},
			fieldPath:     kept,
			fieldSymbol:   kept,
			fieldMark:     object{"type": "object", "enabled": false},
		},
	}
}

// Fields of a document. A chunk has all but mark, and text only if it has
// tokens; the mark has that alone.
const (
	fieldID       = "id" // that of the document once more: the server does not sort by _id
	fieldText     = "text"
	fieldSource   = "source"
	fieldDoc      = "doc"
	fieldLanguage = "language"
	fieldKind     = "kind"
	fieldDirs     = "dirs" // the path and everything above it
	fieldPath     = "path"
	fieldSymbol   = "symbol"
	fieldMark     = "mark"
)

// settings that searches rely on, flat, as the server shows them.
func settings() map[string]string {
	return map[string]string{
		"index.refresh_interval":                   "-1",
		"index.max_result_window":                  strconv.Itoa(maxHits),
		"index.similarity." + similarity + ".type": "BM25",
		"index.similarity." + similarity + ".k1":   strconv.FormatFloat(store.K1, 'g', -1, 64),
		"index.similarity." + similarity + ".b":    strconv.FormatFloat(store.B, 'g', -1, 64),
	}
}

// creation is the body that makes an index with its alias.
func (s *Store) creation() object {
	all := object{"index.number_of_shards": s.cfg.Shards, "index.number_of_replicas": s.cfg.Replicas}
	for key, value := range settings() {
		all[key] = value
	}
	return object{"settings": all, "mappings": mapping(), "aliases": object{s.alias: object{}}}
}

// difference says in what an index is not as freshet makes it; "" in nothing.
func difference(alias string, ix index) string {
	if len(ix.Aliases[alias]) > 0 {
		return fmt.Sprintf("a filter or routing on the alias %s", alias)
	}
	for _, key := range sortedKeys(settings()) {
		if want, got := settings()[key], ix.Settings[key]; got != want {
			return fmt.Sprintf("the setting %s = %s instead of %s", key, shown(got), want)
		}
	}
	if d := ix.Settings["index.translog.durability"]; d != "" && !strings.EqualFold(d, "request") {
		return fmt.Sprintf("the setting index.translog.durability = %s instead of request", d)
	}
	for key := range ix.Settings {
		if strings.HasPrefix(key, "index.analysis.analyzer.whitespace.") || strings.HasPrefix(key, "index.analysis.analyzer.default") {
			return fmt.Sprintf("the setting %s, an analyzer of its own", key)
		}
	}
	want := normal(mapping())
	for _, key := range sortedKeys(want) {
		if key != "properties" && !reflect.DeepEqual(ix.Mappings[key], want[key]) {
			return fmt.Sprintf("%s = %s in its mapping instead of %s", key, compact(ix.Mappings[key]), compact(want[key]))
		}
	}
	fields, _ := ix.Mappings["properties"].(object)
	wanted := want["properties"].(object)
	for _, name := range sortedKeys(wanted) {
		if !reflect.DeepEqual(fields[name], wanted[name]) {
			return fmt.Sprintf("the field %s mapped as %s instead of %s", name, compact(fields[name]), compact(wanted[name]))
		}
	}
	return ""
}

// normal returns o as it comes back from the server, where numbers are
// float64 and lists []any.
func normal(o object) object {
	var out object
	if err := json.Unmarshal([]byte(compact(o)), &out); err != nil {
		panic(err) // it was encoded here
	}
	return out
}

func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it came out of JSON, or stands in this file
	}
	return string(b)
}

func shown(value string) string {
	if value == "" {
		return "nothing"
	}
	return value
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
