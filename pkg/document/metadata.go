package document

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Metadata is what whoever puts a document says of it: values by key, such as kind: core.
type Metadata map[string][]string

// MetadataRoles is the key of the groups that alone see a document, once there are rules of
// access.
const MetadataRoles = "roles"

// AccessFile is the path of the document in the root of a source whose rules say who sees
// the others, once there are rules of access.
const AccessFile Path = ".freshetaccess"

// AccessDoc is the id of AccessFile.
var AccessDoc = DocOf(AccessFile)

// The limits of metadata of one document.
const (
	MaxMetadataKeys  = 16
	MaxMetadataBytes = 2 << 10 // of all keys and values
	maxMetadataKey   = 64
)

// CheckMetadataKey returns an InvalidRequest for what is no key of metadata.
func CheckMetadataKey(key string) error {
	ok := key != "" && len(key) <= maxMetadataKey && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789-_") == "" && key[0] != '-'
	if !ok {
		return Errorf(InvalidRequest, "%q is no key of metadata: use 1 to %d of a-z, 0-9, - and _, and begin with none of the dashes", key, maxMetadataKey)
	}
	return nil
}

// CheckMetadataValue returns an InvalidRequest for what is no value of metadata.
func CheckMetadataValue(key, value string) error {
	if value == "" || !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
		return Errorf(InvalidRequest, "the metadata %s has the value %q: give one line of text", key, value)
	}
	return nil
}

// Check returns an InvalidRequest for metadata that no document may have.
func (m Metadata) Check() error {
	if len(m) > MaxMetadataKeys {
		return Errorf(InvalidRequest, "the metadata has %d keys: give at most %d", len(m), MaxMetadataKeys)
	}
	size := 0
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if err := CheckMetadataKey(key); err != nil {
			return err
		}
		if len(m[key]) == 0 {
			return Errorf(InvalidRequest, "the metadata %s has no value: give one, or leave the key out", key)
		}
		for _, value := range m[key] {
			if err := CheckMetadataValue(key, value); err != nil {
				return err
			}
			size += len(key) + len(value)
		}
	}
	if size > MaxMetadataBytes {
		return Errorf(InvalidRequest, "the metadata has %d bytes of keys and values: shorten it to %d", size, MaxMetadataBytes)
	}
	return nil
}

// Packed is the metadata as one text.
func (m Metadata) Packed() PackedMetadata {
	var pairs []string
	for key, values := range m {
		for _, value := range values {
			pairs = append(pairs, pair(key, value))
		}
	}
	slices.Sort(pairs)
	return PackedMetadata(strings.Join(slices.Compact(pairs), "&"))
}

func pair(key, value string) string { return key + "=" + url.QueryEscape(value) }

// PackedMetadata is metadata as a header has it: key=value, joined by "&" in their order,
// values as in the query of a URL. Equal metadata is equal text; "" is none.
type PackedMetadata string

// Metadata is what was packed, nil for none. What is no pair is left out.
func (p PackedMetadata) Metadata() Metadata {
	if p == "" {
		return nil
	}
	out := Metadata{}
	for part := range strings.SplitSeq(string(p), "&") {
		key, escaped, _ := strings.Cut(part, "=")
		if value, err := url.QueryUnescape(escaped); err == nil && key != "" {
			out[key] = append(out[key], value)
		}
	}
	return out
}

// Has reports whether there is a value of a key.
func (p PackedMetadata) Has(key string) bool {
	for part := range strings.SplitSeq(string(p), "&") {
		if of, _, _ := strings.Cut(part, "="); of == key && p != "" {
			return true
		}
	}
	return false
}

// Only is what there is of one key.
func (p PackedMetadata) Only(key string) PackedMetadata {
	var kept []string
	for part := range strings.SplitSeq(string(p), "&") {
		if of, _, _ := strings.Cut(part, "="); of == key && p != "" {
			kept = append(kept, part)
		}
	}
	return PackedMetadata(strings.Join(kept, "&"))
}

// Fits reports whether it has, of every key that is asked for, one of the values.
func (p PackedMetadata) Fits(asked Metadata) bool {
	for key, values := range asked {
		if p == "" || !slices.ContainsFunc(values, func(value string) bool { return p.holds(pair(key, value)) }) {
			return false
		}
	}
	return true
}

func (p PackedMetadata) holds(pair string) bool {
	for part := range strings.SplitSeq(string(p), "&") {
		if part == pair {
			return true
		}
	}
	return false
}
