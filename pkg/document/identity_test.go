package document_test

import (
	"encoding/json"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

// The golden ids were computed by another program from the definition in the
// comment of NewChunkID. If one changes, every index has to be built again.
func TestChunkID_IsThatOfItsDefinition(t *testing.T) {
	const digest = document.Hash("30c471f6aafbca7085640653eeef555e85eb0df1602c98a662814c27767d1188")
	for want, got := range map[string]document.ChunkID{
		"cf951771-f5fe-53e8-819a-21eb03ea48e4": document.NewChunkID("", "", "", 0, 0),
		"6db408cb-61dc-57c0-9696-665787096598": document.NewChunkID("api", "api/parse.go", digest, 1, 1841234567890123),
		"6d17af2c-211a-5382-a40b-e0f7967e8ce0": document.NewChunkID("api", "caf\u00e9 100%25.md", digest, 0, 1),
		"6b52a384-9a97-5eb4-bf88-f4f71c4ac489": document.NewChunkID("a", "pi", "", 0, 1),
		"a8e92cfd-17c8-5711-a05d-3069ef7c8a6d": document.NewChunkID("ap", "i", "", 0, 1),
	} {
		if got.String() != want {
			t.Errorf("id is %s, want %s", got, want)
		}
	}
}

func TestChunkID_DependsOnEveryField(t *testing.T) {
	base := document.NewChunkID("s", "p", "d", 1, 2)
	for name, other := range map[string]document.ChunkID{
		"source":     document.NewChunkID("t", "p", "d", 1, 2),
		"path":       document.NewChunkID("s", "q", "d", 1, 2),
		"digest":     document.NewChunkID("s", "p", "e", 1, 2),
		"occurrence": document.NewChunkID("s", "p", "d", 2, 2),
		"born":       document.NewChunkID("s", "p", "d", 1, 3),
	} {
		if other == base {
			t.Errorf("another %s gives the same id", name)
		}
		if (base.Compare(other) < 0) == (other.Compare(base) < 0) {
			t.Errorf("%s: the order of two ids depends on the side", name)
		}
	}
	if base.Compare(base) != 0 {
		t.Error("an id is not equal to itself")
	}
}

func TestChunkID_SurvivesJSON(t *testing.T) {
	id := document.NewChunkID("s", "p", "d", 1, 2)
	b, err := json.Marshal(id)
	if err != nil || string(b) != `"`+id.String()+`"` {
		t.Fatalf("%s, %v", b, err)
	}
	var back document.ChunkID
	if err := json.Unmarshal(b, &back); err != nil || back != id {
		t.Fatalf("%v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`"not-an-id"`), &back); err == nil {
		t.Error("a broken id was accepted")
	}
}

// Hash and DocID stand in subjects and headers of logs that live for years.
func TestHashAndDocID_AreThoseOfTheirDefinition(t *testing.T) {
	if got := document.HashOf([]byte("hello\n")); got != "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03" {
		t.Errorf("hash is %s", got)
	}
	if got := document.DocOf("api/parse.go"); got != "hq7n74tg2wbqvb4l6wyhg2ncv4" {
		t.Errorf("doc is %s", got)
	}
}

func FuzzSlug_IsASource(f *testing.F) {
	for _, s := range []string{"", "My Notes", "_", "_ a", "--", "ÜBER", "a.b", "___x", "0", "a--b", "-_-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		slug := document.Slug(text)
		if _, err := document.ParseSource(string(slug)); err != nil {
			t.Errorf("slug of %q: %v", text, err)
		}
		if again := document.Slug(string(slug)); again != slug {
			t.Errorf("%q becomes %q, then %q", text, slug, again)
		}
	})
}

func TestSourceThatFitsNoSubject_IsRefused(t *testing.T) {
	for _, bad := range []string{"", "A", "a.b", "a b", "-a", "_a", "*", ">", "a/b", string(make([]byte, 65))} {
		if _, err := document.ParseSource(bad); document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
