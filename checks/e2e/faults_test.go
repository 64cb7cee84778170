//go:build prove

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
	"github.com/freshet-dev/freshet/pkg/store/postings"
)

// TestPurgedMessage_IsMadeAgain purges one message of each stream while all runs,
// and looks with the same processes and with new ones, whose head tables never
// had it.
func TestPurgedMessage_IsMadeAgain(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprintf("restart=%v", restart), func(t *testing.T) {
			root, data := folder(t, "library"), t.TempDir()
			words := library(t, root, 12)
			r := up(t, data, root)
			name := func(i int) document.Path {
				return document.Path(fmt.Sprintf("shelf%d/%s.go", i%3, words[i]))
			}
			// An edit gives some passages an older birth than the document's
			// version, so that they get other ids when they are made again.
			write(t, filepath.Join(root, string(name(1))), goFile(words[1])+goFile("Later")[11:])
			r.look(filepath.Join(root, string(name(1))))
			r.shows("latest", "Later", "library/"+string(name(1)))
			faults := []struct {
				stream string
				sink   document.Sink
				want   string
			}{
				{contract.StreamFiles, "", "files  missing "},
				{contract.StreamChunks, "", "chunks  missing "},
				{contract.StreamVectors, "", "vectors  missing "},
				{contract.StreamIndexed, document.Lexical, "indexed lexical missing "},
				{contract.StreamIndexed, document.Vector, "indexed vector missing "},
			}
			for i, f := range faults {
				r.purge(f.stream, name(i), f.sink)
				if restart {
					r.stop()
					r = up(t, data, root)
					r.settled() // what is gone is made again at the start
				} else {
					r.repaired(f.want + string(name(i)))
				}
				r.shows("latest", words[i], "library/"+string(name(i)))
			}
			r.stop()
			storesEqualLog(t, data)
		})
	}
}

// settled waits until all is equal, without asking for a repair.
func (r *rig) settled() {
	r.t.Helper()
	began := time.Now()
	for {
		found, sum := r.verify(contract.VerifyRequest{})
		if sum.Equal && sum.Pending == 0 {
			r.t.Logf("equal by itself after %s", time.Since(began).Round(time.Millisecond))
			addUp(r.t, sum)
			return
		}
		r.t.Logf("not yet: %+v", found)
	}
}

// tamper opens the stores of a state folder that nobody uses, of the
// collection code.
func tamper(t *testing.T, data string, fn func(store.Lexical, store.Vector)) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(data, "stores", string(document.CollectionCode)+"-*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("stores: %v, %v", dirs, err)
	}
	lexicals, err := filepath.Glob(filepath.Join(dirs[0], string(document.Lexical)+"*"))
	if err != nil || len(lexicals) != 1 {
		t.Fatalf("lexical stores: %v, %v", lexicals, err)
	}
	lexical, err := postings.Open(lexicals[0], postings.Options{})
	if err != nil {
		t.Fatal(err)
	}
	vector, err := flat.Open(filepath.Join(dirs[0], string(document.Vector)), dims(t), flat.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fn(lexical, vector)
	for _, s := range []store.Store{lexical, vector} {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// refs lists what a store holds of a path.
func refs(t *testing.T, s store.Store, source document.Source, path document.Path) []document.ChunkID {
	t.Helper()
	var out []document.ChunkID
	for ref, err := range s.IDs(t.Context(), store.Scope{Source: source, Doc: document.DocOf(path)}) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, ref.ID)
	}
	if len(out) == 0 {
		t.Fatalf("the store holds nothing of %s", path)
	}
	return out
}

func apply(t *testing.T, l store.Lexical, v store.Vector, lb store.LexicalBatch, vb store.VectorBatch) {
	t.Helper()
	if _, err := l.Apply(t.Context(), lb); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Apply(t.Context(), vb); err != nil {
		t.Fatal(err)
	}
	for _, s := range []store.Store{l, v} {
		if err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStoreEntriesTakenOrAdded_AreSeenAndRepaired(t *testing.T) {
	t.Parallel()
	root, data := folder(t, "library"), t.TempDir()
	words := library(t, root, 12)
	name := func(i int) document.Path { return document.Path(fmt.Sprintf("shelf%d/%s.go", i%3, words[i])) }
	r := up(t, data, root)
	r.stop()
	stranger := func(path document.Path) (document.ChunkID, store.Attrs) {
		id := document.NewChunkID("library", path, document.HashOf([]byte("stranger")), 0, 1)
		return id, store.Attrs{Source: "library", Doc: document.DocOf(path), Path: path, Language: "go"}
	}
	tamper(t, data, func(l store.Lexical, v store.Vector) {
		zeros := embed.VectorOf(1, make([]byte, dims(t)))
		known, knownAttrs := stranger(name(3))
		unknown, unknownAttrs := stranger("nowhere.go")
		other, otherAttrs := stranger(name(5))
		apply(t, l, v,
			store.LexicalBatch{
				Put: []store.LexicalEntry{
					{ID: known, Attrs: knownAttrs, Tokens: []string{"stranger"}},
					{ID: unknown, Attrs: unknownAttrs, Tokens: []string{"stranger"}},
				},
				Delete: refs(t, l, "library", name(1))[:1],
			},
			store.VectorBatch{
				Put:    []store.VectorEntry{{ID: other, Attrs: otherAttrs, Vector: zeros}},
				Delete: append(refs(t, v, "library", name(2)), refs(t, v, "library", name(5))[0]),
			})
	})
	r = up(t, data, root)
	if n := r.counter("indexer", "lexical_refilled") + r.counter("indexer", "vector_refilled"); n > 0 {
		t.Errorf("%d documents were applied again after a clean stop", n)
	}
	r.repaired(
		"store lexical missing "+string(name(1)),
		"store lexical extra "+string(name(3)),
		"store lexical extra ", // of a document that the log does not know
		"store vector missing "+string(name(2)),
		"store vector different "+string(name(5)),
	)
	for i := range 6 {
		r.shows("latest", words[i], "library/"+string(name(i)))
	}
	r.stop()
	storesEqualLog(t, data)
}

// The lexical store is lost altogether while nothing runs; it is filled again
// at the start.
func TestWipedStore_IsFilledAgainAtTheStart(t *testing.T) {
	t.Parallel()
	root, data := folder(t, "library"), t.TempDir()
	words := library(t, root, 30)
	r := up(t, data, root)
	r.stop()
	wiped, err := filepath.Glob(filepath.Join(data, "stores", "*", string(document.Lexical)+"*"))
	if err != nil || len(wiped) == 0 {
		t.Fatal(wiped, err)
	}
	for _, dir := range wiped {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	r = up(t, data, root)
	t.Logf("filled again %s after the start", time.Since(began).Round(time.Millisecond))
	r.equal()
	r.shows("latest", words[7], fmt.Sprintf("library/shelf1/%s.go", words[7]))
}

// TestUnannouncedChange_IsFoundByVerify changes files so that no event tells of it,
// and neither their time nor their size.
func TestUnannouncedChange_IsFoundByVerify(t *testing.T) {
	t.Parallel()
	root, data := folder(t, "library"), t.TempDir()
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, name := range []string{"same.go", "edited.go"} {
		write(t, filepath.Join(root, name), goFile("Before"))
		if err := os.Chtimes(filepath.Join(root, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside.go")
	if err := os.Link(filepath.Join(root, "edited.go"), outside); err != nil {
		t.Fatal(err)
	}
	rewrite := func(name, word string) {
		t.Helper()
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(goFile(word)); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	r := up(t, data, root)
	r.stop()
	rewrite(filepath.Join(root, "edited.go"), "Behind") // while nobody listens
	r = up(t, data, root)
	r.shows("latest", "Behind", "library/edited.go")
	rewrite(outside, "Asides") // by a name in a folder that nobody watches
	r.shows("latest", "Asides", "")
	r.repaired("files  different edited.go")
	r.shows("latest", "Asides", "library/edited.go")
}

// offline works on the log of a state folder that nobody uses.
func offline(t *testing.T, data string, fn func(b *bus.Bus)) {
	t.Helper()
	server, err := embedded.Start(embedded.Config{Dir: filepath.Join(data, "log"), Port: embedded.NoListen})
	if err != nil {
		t.Fatal(err)
	}
	b, err := server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fn(b)
	b.Close()
	if err := server.Shutdown(); err != nil {
		t.Fatal(err)
	}
}

// FILES is deleted and made again, and a document is gone from the source
// meanwhile: its passages would stay for ever.
func TestDeletedFilesStream_LeavesNoGhosts(t *testing.T) {
	t.Parallel()
	root, data := folder(t, "library"), t.TempDir()
	words := library(t, root, 12)
	r := up(t, data, root)
	token := r.ready.Token
	r.stop()
	offline(t, data, func(b *bus.Bus) {
		if err := b.JetStream().DeleteStream(t.Context(), contract.StreamFiles); err != nil {
			t.Fatal(err)
		}
	})
	ghost := filepath.Join("shelf0", words[3]+".go")
	if err := os.Remove(filepath.Join(root, ghost)); err != nil {
		t.Fatal(err)
	}
	r = up(t, data, root)
	r.shows("latest", words[3], "")
	r.settled()
	if n := r.counter("embedder", "embedded"); n != 0 {
		t.Errorf("%d passages were embedded again", n)
	}
	rep := r.find(words[4], token.String())
	if rep.Token.Seq <= token.Seq || rep.Token.Epoch == token.Epoch {
		t.Errorf("the answer's token is %s, that of the deleted stream was %s", rep.Token, token)
	}
	if got := found(rep, words[4]); len(got) != 1 {
		t.Errorf("found in %v", got)
	}
	r.stop()
	storesEqualLog(t, data)
}

func TestSourceThatIsNotWatched_DoesNotCountAsEqual(t *testing.T) {
	t.Parallel()
	first, second, data := folder(t, "first"), folder(t, "second"), t.TempDir()
	write(t, filepath.Join(first, "a.go"), goFile("Anemone"))
	write(t, filepath.Join(second, "b.go"), goFile("Begonia"))
	r := up(t, data, first, second)
	r.stop()
	r = up(t, data, first)
	_, sum := r.verify(contract.VerifyRequest{})
	if len(sum.Sources) != 2 || sum.Sources[0].NotCompared != "" || sum.Sources[1].Gap != contract.GapUnwatched || sum.Sources[1].LogDocuments != 1 ||
		sum.Equal || sum.Outcome != contract.OutcomeIncomplete {
		t.Errorf("%+v", sum)
	}
	err := client.Verify.Each(t.Context(), r.bus.Conn(), contract.VerifyRequest{Source: "third"}, func(contract.VerifyPart) error { return nil })
	if document.KindOf(err) != document.NotFound {
		t.Errorf("a source that is not there: %v", err)
	}
}
