package contract

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Build says how the generations of all collections are made, field by field.
// It is kept in the log beside what it made, so that a program which makes
// another one can tell what differs, and go on making this one.
type Build struct {
	// Cutter is the version of the splitters.
	Cutter string `json:"cutter"`
	Cut
	// Analyzer is the signature of the analyzer of words. It is part of no
	// generation's name: another one fills lexical stores of the same name anew.
	Analyzer string `json:"analyzer"`
	// Again tells builds apart that are made in one way: somebody has had the index
	// made once more. 0 is the first.
	Again int `json:"again,omitempty"`
	// Own is what a collection has of its own, where it differs from the others, and has
	// each collection that a user configured.
	Own map[document.Collection]Own `json:"own,omitempty"`
	Embedding
}

// Own is how one collection is made, where that is not as all are.
type Own struct {
	// Again is as that of the Build, in whose place it stands; 0 is as all are.
	Again int `json:"again,omitempty"`
	// Embedding stands in the place of that of the Build; nil is as all are.
	Embedding *Embedding `json:"embedding,omitempty"`
}

// Embedding says how vectors are made. The Embedder's identity names all that
// they depend on; the other fields are there to make it again, and to tell what
// differs.
type Embedding struct {
	// Embedder is the identity of the embedder, Dims the length of its vectors.
	Embedder string `json:"embedder"`
	Dims     int    `json:"dims"`
	// Model is the folder that the embedder was read from, "" for the bundled one;
	// with a Provider, the name of its model.
	Model string `json:"model,omitempty"`
	// Provider is who makes the vectors over HTTP, "" for a model in the process.
	// What follows is of its settings.
	Provider      string `json:"provider,omitempty"`
	URL           string `json:"url,omitempty"`
	Version       string `json:"version,omitempty"`
	QueryPrefix   string `json:"query_prefix,omitempty"`
	PassagePrefix string `json:"passage_prefix,omitempty"`
	MaxTokens     int    `json:"max_tokens,omitempty"`
	Revision      string `json:"revision,omitempty"`
}

// NewBuild is what this program makes with a way to cut and one to embed, of the
// collections without configuration and further ones.
func NewBuild(cut Cut, analyzer string, vectors Embedding, own ...document.Collection) Build {
	b := Build{Cutter: cutVersion, Cut: cut, Analyzer: analyzer, Embedding: vectors}
	for _, c := range own {
		if b.Own == nil {
			b.Own = map[document.Collection]Own{}
		}
		b.Own[c] = Own{}
	}
	return b
}

// Collections are those that b makes: the ones without configuration first, then the
// others by name.
func (b Build) Collections() []document.Collection {
	out := slices.Clone(document.Collections)
	for _, c := range slices.Sorted(maps.Keys(b.Own)) {
		if c != c.Base() {
			out = append(out, c)
		}
	}
	return out
}

// BuildID is what the names of all generations of a Build end with.
type BuildID string

// BuildOf returns what the name of a generation ends with: the build that makes all
// collections as that one is made. Letters of the stages behind the chunker stand under it.
func BuildOf(g document.Generation) BuildID {
	return BuildID(string(g)[min(len(g), len(CollectionOf(g))+1):])
}

// Of is the build that makes all collections as b makes one of them.
func (b Build) Of(c document.Collection) Build {
	own := b.Own[c]
	b.Own = nil
	if own.Again != 0 {
		b.Again = own.Again
	}
	if own.Embedding != nil {
		b.Embedding = *own.Embedding
	}
	return b
}

// EmbeddedBy is b with the embedder of each collection. What the first one has is said
// of all, and of the others what differs, so that one way to embed has one ID.
func (b Build) EmbeddedBy(of func(document.Collection) Embedding) Build {
	b.Embedding = of(document.Collections[0])
	return b.owning(func(c document.Collection, one Own) Own {
		one.Embedding = nil
		if e := of(c); e != b.Embedding {
			one.Embedding = &e
		}
		return one
	})
}

// owning is b where each collection has of its own what with makes of that.
func (b Build) owning(with func(document.Collection, Own) Own) Build {
	own := map[document.Collection]Own{}
	for _, c := range b.Collections() {
		if one := with(c, b.Own[c]); one != (Own{}) || c != c.Base() {
			own[c] = one
		}
	}
	b.Own = nil
	if len(own) > 0 {
		b.Own = own
	}
	return b
}

// Embedders are the identities of those that make the vectors of all collections, each
// once.
func (b Build) Embedders() (out []string) {
	for _, c := range b.Collections() {
		if id := b.Of(c).Embedder; !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// Rebuilt is b as a record of what is made again says: all, and of the collections named
// as often as that.
func (b Build) Rebuilt(again int, of map[document.Collection]int) Build {
	b.Again = again
	return b.owning(func(c document.Collection, one Own) Own {
		if one.Again = of[c]; one.Again == again {
			one.Again = 0
		}
		return one
	})
}

// ID is the hash of what decides where passages begin and which vectors they have. Where
// all collections are made alike, it is what the names of their generations end with, too.
func (b Build) ID() BuildID {
	alike, names := true, ""
	for _, c := range b.Collections() {
		name := b.Of(c).naming()
		alike = alike && name == b.naming()
		names += string(c) + "=" + name + "\x00"
	}
	if alike {
		return b.madeOf(b)
	}
	return buildID(b.signature(b.Cutter), names)
}

// madeOf is what the name of a generation of b ends with that is made as one says. Where b
// has further collections, it has all documents otherwise than a build without them.
func (b Build) madeOf(one Build) BuildID {
	name := one.naming()
	if all := b.Collections(); len(all) > len(document.Collections) {
		name += "/of " + names(all)
	}
	return buildID(one.signature(one.Cutter), name)
}

// naming is what stands for the embedder in the names of generations: its identity, and
// how often the index was made again.
func (b Build) naming() string {
	if b.Again == 0 {
		return b.Embedder
	}
	return b.Embedder + "/again-" + strconv.Itoa(b.Again)
}

func buildID(chunker, embedder string) BuildID {
	sum := sha256.Sum256([]byte(chunker + "\x00" + embedder))
	return BuildID(hex.EncodeToString(sum[:4]))
}

// Generation is that of a collection.
func (b Build) Generation(c document.Collection) document.Generation {
	return b.madeOf(b.Of(c)).Generation(c)
}

// Letters is what the dead letters of a stage on documents of a collection stand under:
// the chunker reads all documents for each build, the others work for a generation.
func (b Build) Letters(stage Stage, c document.Collection) BuildID {
	if stage == StageChunker {
		return b.ID()
	}
	return b.madeOf(b.Of(c))
}

// Generation is that of a collection, in a build that makes all alike.
func (id BuildID) Generation(c document.Collection) document.Generation {
	return document.Generation(string(c) + "-" + string(id))
}

// Generations are those of all collections, in the order of Collections.
func (b Build) Generations() (out []document.Generation) {
	for _, c := range b.Collections() {
		out = append(out, b.Generation(c))
	}
	return out
}

// Without are the generations of b that now has not: what both have is made once.
func (b Build) Without(now Build) []document.Generation {
	return slices.DeleteFunc(b.Generations(), func(g document.Generation) bool { return slices.Contains(now.Generations(), g) })
}

// BuildChange is a field in which two builds differ.
type BuildChange struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	Now    string `json:"now"`
}

// FieldAgain begins the field of a BuildChange that no setting stands for: the index is
// made once more, of the collection that is named behind it where one is.
const FieldAgain = "reindex"

// Changes lists the fields in which now differs from b. The folder of a model is
// none: its identity says which model it is. Nor is where a server is found.
func (b Build) Changes(now Build) []BuildChange {
	out := differing([]BuildChange{
		{"chunker", b.Cutter, now.Cutter},
		{"chunker.target", strconv.Itoa(b.Target), strconv.Itoa(now.Target)},
		{"chunker.max", strconv.Itoa(b.Max), strconv.Itoa(now.Max)},
		{"chunker.prose", strconv.Itoa(b.Prose), strconv.Itoa(now.Prose)},
		{"chunker.overlap", strconv.Itoa(b.Overlap), strconv.Itoa(now.Overlap)},
		{"analyzer", b.Analyzer, now.Analyzer},
		{"collections", names(b.Collections()), names(now.Collections())},
	})
	out = append(out, b.again(now)...)
	return append(out, b.embedders(now)...)
}

func names(all []document.Collection) string {
	out := make([]string, len(all))
	for i, c := range all {
		out[i] = string(c)
	}
	return strings.Join(out, ", ")
}

// shared are the collections that both builds make.
func (b Build) shared(now Build) []document.Collection {
	return slices.DeleteFunc(b.Collections(), func(c document.Collection) bool { return !slices.Contains(now.Collections(), c) })
}

// embedders lists what differs in how vectors are made: of all collections at once where
// that is the same, else of each.
func (b Build) embedders(now Build) []BuildChange {
	all := b.Of(document.Collections[0]).changes(now.Of(document.Collections[0]).Embedding)
	alike, each := true, []BuildChange{}
	for _, c := range b.shared(now) {
		of := b.Of(c).changes(now.Of(c).Embedding)
		alike = alike && slices.Equal(of, all)
		for _, change := range of {
			change.Field += " of " + string(c)
			each = append(each, change)
		}
	}
	if alike {
		return all
	}
	return each
}

// again lists what is made once more: all, or the collections that are.
func (b Build) again(now Build) []BuildChange {
	apart := func(own Own) bool { return own.Again != 0 }
	if !slices.ContainsFunc(slices.Collect(maps.Values(b.Own)), apart) && !slices.ContainsFunc(slices.Collect(maps.Values(now.Own)), apart) {
		return differing([]BuildChange{{FieldAgain, strconv.Itoa(b.Again), strconv.Itoa(now.Again)}})
	}
	var out []BuildChange
	for _, c := range b.shared(now) {
		out = append(out, BuildChange{FieldAgain + " " + string(c), strconv.Itoa(b.Of(c).Again), strconv.Itoa(now.Of(c).Again)})
	}
	return differing(out)
}

// changes lists what differs, the identities where no field tells it. Those that
// are alike make the same vectors, whatever the fields say.
func (e Embedding) changes(now Embedding) []BuildChange {
	dims := BuildChange{"dimensions", strconv.Itoa(e.Dims), strconv.Itoa(now.Dims)}
	if e.Embedder == now.Embedder {
		return differing([]BuildChange{dims})
	}
	var out []BuildChange
	if e.Provider != "" || now.Provider != "" {
		out = differing([]BuildChange{
			{"embedder.provider", cmp.Or(e.Provider, "static"), cmp.Or(now.Provider, "static")},
			{"embedder.model", cmp.Or(e.Model, "bundled"), cmp.Or(now.Model, "bundled")},
		})
	}
	if e.Provider != "" && len(out) == 0 { // of another model they are others
		out = differing([]BuildChange{
			{"embedder.query_prefix", strconv.Quote(e.QueryPrefix), strconv.Quote(now.QueryPrefix)},
			{"embedder.passage_prefix", strconv.Quote(e.PassagePrefix), strconv.Quote(now.PassagePrefix)},
			{"embedder.max_tokens", strconv.Itoa(e.MaxTokens), strconv.Itoa(now.MaxTokens)},
			{"embedder.revision", strconv.Quote(e.Revision), strconv.Quote(now.Revision)},
		})
	}
	out = append(out, differing([]BuildChange{dims})...)
	if len(out) == 0 || e.Provider == "" && now.Provider == "" {
		out = append([]BuildChange{{"embedder", e.Embedder, now.Embedder}}, out...)
	}
	return out
}

// differing keeps those whose values differ.
func differing(all []BuildChange) []BuildChange {
	return slices.DeleteFunc(all, func(c BuildChange) bool { return c.Before == c.Now })
}

// NextBuild is how far a build is that takes the place of the one that answers are
// made of.
type NextBuild struct {
	Build     Build         `json:"build"`
	Changes   []BuildChange `json:"changes"`
	Documents int           `json:"documents"` // in the log
	Pending   int           `json:"pending"`   // of them, not searchable in it yet
	// Held says why it is not begun; nil once it is.
	Held *HeldBuild `json:"held,omitempty"`
}

// HeldBuild says why a build is not begun, and what it would take. What is
// estimated is missing until it is known.
type HeldBuild struct {
	Why       string `json:"why"`
	Documents int    `json:"documents"` // to be cut and embedded
	Bytes     int64  `json:"bytes"`     // of their text

	Passages int64   `json:"passages,omitempty"`
	Tokens   int64   `json:"tokens,omitempty"`  // of the embedder's input
	Seconds  float64 `json:"seconds,omitempty"` // on this machine, until all is searchable
	Disk     int64   `json:"disk,omitempty"`    // bytes, beside those of what answers
	Cost     float64 `json:"cost,omitempty"`    // of embedding, in the currency of the price
	CostNote string  `json:"cost_note,omitempty"`
}

// BuildAccept is the body of a request on freshet.build.accept: what is held is
// built, as large as it is.
type BuildAccept struct {
	// Build is the one that is meant; "" is the one that is held.
	Build BuildID `json:"build,omitempty" limit:"64"`
}

// BuildAccepted is the answer on freshet.build.accept.
type BuildAccepted struct {
	Build   BuildID       `json:"build"`
	Changes []BuildChange `json:"changes"`
}

// Feasible reports whether this program can go on making b beside now: with the
// same splitters and words. The embedder is another question.
func (b Build) Feasible(now Build) bool { return b.Cutter == now.Cutter && b.Searchable(now) }

// Searchable reports whether a program that makes now can search b, and keep its
// stores in step: what it has not got is another build's.
func (b Build) Searchable(now Build) bool { return b.ID() != now.ID() && b.Analyzer == now.Analyzer }
