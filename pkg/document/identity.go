package document

import (
	"crypto/sha256"
	"encoding/base32"
	"regexp"
	"strings"
)

// Source names a watched folder, a git repository or an API source. It is a
// slug of 1 to 64 bytes from [a-z0-9-_], so that it can stand in a subject.
type Source string

// View names one state of a source that can be searched: a branch, or
// [Worktree].
type View string

// Worktree is the view of the files on disk.
const Worktree View = "worktree"

// DocID stands for a path in subjects: base32 (lower case, no padding) of the
// first 16 bytes of the SHA-256 of the encoded path, 26 bytes long.
type DocID string

// MarkerDoc is the DocID of a source's markers. A marker is no document: it
// says that a comparison of a view with its source is complete.
const MarkerDoc DocID = "_"

// Generation names a collection as built by one chunker signature and one
// embedder identity, for example "code-5f2a91c0".
type Generation string

// Sink is one of the two indexes that are kept in step.
type Sink string

// The sinks.
const (
	Lexical Sink = "lexical"
	Vector  Sink = "vector"
)

// Sinks lists both sinks, in the order in which they are reported.
var Sinks = []Sink{Lexical, Vector}

// Version is one state of a document in a view: its sequence in the stream
// FILES. Zero means none.
type Version uint64

// Hash is the lower-case hexadecimal SHA-256 of a content; empty when there
// is no content (deleted or skipped).
type Hash string

// HashOf returns the Hash of content.
func HashOf(content []byte) Hash {
	sum := sha256.Sum256(content)
	return Hash(hexEncode(sum[:]))
}

const hexDigits = "0123456789abcdef"

func hexEncode(b []byte) string {
	out := make([]byte, 0, 2*len(b))
	for _, c := range b {
		out = append(out, hexDigits[c>>4], hexDigits[c&15])
	}
	return string(out)
}

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// DocOf returns the DocID of a path.
func DocOf(p Path) DocID {
	sum := sha256.Sum256([]byte(p))
	return DocID(base32Lower.EncodeToString(sum[:16]))
}

var sourcePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// ParseSource checks that s is a valid slug.
func ParseSource(s string) (Source, error) {
	if !sourcePattern.MatchString(s) {
		return "", Errorf(InvalidRequest, "source %q is not a slug: use 1 to 64 of a-z, 0-9, - and _", s)
	}
	return Source(s), nil
}

// ParseSources checks that all are valid slugs.
func ParseSources(names []string) (out []Source, err error) {
	for _, name := range names {
		source, err := ParseSource(name)
		if err != nil {
			return nil, err
		}
		out = append(out, source)
	}
	return out, nil
}

// Slug makes a valid source name out of any text, for example of the last
// element of a folder's path. It never returns an empty string.
func Slug(text string) Source {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_':
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
		default:
			dash = true
		}
		if b.Len() >= 48 {
			break
		}
	}
	s := strings.TrimLeft(b.String(), "_-")
	if s == "" {
		return "source"
	}
	return Source(s)
}
