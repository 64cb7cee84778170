package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// random is text of so many lines of about 60 bytes, each one word, that does
// not compress below half: large ones go into the object store.
func random(t *testing.T, lines int) string {
	t.Helper()
	var b strings.Builder
	raw := make([]byte, 35)
	for range lines {
		if _, err := rand.Read(raw); err != nil {
			t.Fatal(err)
		}
		b.WriteString("w" + base32.StdEncoding.EncodeToString(raw) + "\n")
	}
	return b.String()
}

// packed are the bytes that the log keeps of a text: the beginning of its
// compressed body, whatever follows.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true))
	if err != nil {
		t.Fatal(err)
	}
	body := enc.EncodeAll([]byte(text), nil)
	// The frame's head has its length and a checksum; behind it are the blocks.
	return body[64:min(len(body)/2, 4<<10)]
}

// standing lists the files below a folder that hold some bytes.
func standing(t *testing.T, dir string, what []byte) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil // merged away at that moment
		}
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, what) {
			found = append(found, path)
		}
		if os.IsNotExist(err) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// repeats is a language model that says the first word of a passage again.
func repeats(w http.ResponseWriter, req *http.Request) {
	var asked struct{ Messages []struct{ Content string } }
	if err := json.NewDecoder(req.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, passage, _ := strings.Cut(asked.Messages[len(asked.Messages)-1].Content, "<passage>")
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It tells %s.\"}}]}\n\ndata: [DONE]\n\n", strings.Fields(passage)[0])
}

// What is said of a passage has its words, and is kept in a bucket of its own.
func TestSourceIsRemoved_WhatAModelSaidOfItStandsInNoFile(t *testing.T) {
	t.Parallel()
	data, kept, secret := t.TempDir(), t.TempDir(), t.TempDir()
	text := random(t, 10)
	word := strings.Fields(text)[0]
	for dir, text := range map[string]string{kept: "# Kept\n\nzebra crossing\n", secret: text} {
		if err := os.WriteFile(filepath.Join(dir, "one.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	model := httptest.NewServer(http.HandlerFunc(repeats))
	t.Cleanup(model.Close)
	r := upWith(t, data, func(o *freshet.Options) {
		a := &o.Config.Query.Answer
		a.Kind, a.URL, a.Model, a.Summaries = "openai", model.URL, "repeats", 1_000_000
	}, kept, secret)
	rep := r.find(word, "latest")
	for len(rep.Hits) == 0 || rep.Hits[0].Summary == "" {
		rep = r.find(word, "latest")
	}
	if got := rep.Hits[0].Summary; !strings.Contains(got, word) {
		t.Fatalf("the model says %q", got)
	}
	list := ask[contract.SourceRemove, contract.SourceList](t, r.bus, contract.SubjectSourcesRemove, contract.SourceRemove{Source: rep.Hits[0].Source})
	if list.Receipt == nil || len(list.Receipt.Left) > 0 {
		t.Fatalf("receipt %+v, want one that leaves nothing", list.Receipt)
	}
	if files := standing(t, data, []byte(word)); len(files) > 0 {
		t.Errorf("what was said stands in %v", files)
	}
}

func TestRemovedSource_StandsInNoFileAfterTheReceipt(t *testing.T) {
	t.Parallel()
	data, kept, secret := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	small, old, large := random(t, 60), random(t, 60), random(t, 16_000)
	gone := random(t, 60)
	write(kept, "kept.md", "# Kept\n\nzebra crossing\n")
	write(secret, "edited.txt", old)
	write(secret, "large.txt", large)
	write(secret, "deleted.txt", gone)
	r := up(t, data, kept, secret)
	write(secret, "edited.txt", small)
	if err := os.Remove(filepath.Join(secret, "deleted.txt")); err != nil {
		t.Fatal(err)
	}
	token := r.look(secret).String()
	word := strings.Fields(small)[0]
	rep := r.find(word, token)
	if len(found(rep, word)) == 0 {
		t.Fatal("the canary is not found before the removal")
	}
	hit := rep.Hits[0]
	ask[contract.Feedback, contract.FeedbackReply](t, r.bus, contract.SubjectFeedback, contract.Feedback{
		Kind: contract.FeedbackUp, Query: word, Token: rep.Token, Hits: []contract.FeedbackHit{{Source: hit.Source, Path: hit.Path, ID: hit.ID, Rank: 1}},
	})
	ask[contract.GoldenQuestion, contract.GoldenList](t, r.bus, contract.SubjectGoldenPut, contract.GoldenQuestion{Source: hit.Source, Query: word, Answers: []contract.GoldenAnswer{{Path: hit.Path}}})
	if len(standing(t, data, packed(t, large))) == 0 {
		t.Fatal("the compressed body of the large canary is not recognised where it stands")
	}
	list := ask[contract.SourceRemove, contract.SourceList](t, r.bus, contract.SubjectSourcesRemove, contract.SourceRemove{Source: hit.Source})
	if list.Receipt == nil || len(list.Receipt.Left) > 0 {
		t.Fatalf("receipt %+v, want one that leaves nothing", list.Receipt)
	}
	if got := *list.Receipt; got.Documents != 2 || got.Bodies == 0 || got.Feedback != 1 {
		t.Errorf("receipt %+v, want 2 documents, bodies and 1 event", got)
	}
	for name, text := range map[string]string{"a small file": small, "an earlier version": old, "a large file": large, "a file deleted before": gone} {
		words := strings.Fields(text)
		for what, part := range map[string][]byte{"its first word": []byte(words[0]), "its last word": []byte(words[len(words)-1]), "its compressed body": packed(t, text)} {
			if files := standing(t, data, part); len(files) > 0 {
				t.Errorf("%s of %s stands in %v", what, name, files)
			}
		}
	}
	for _, stream := range contract.Streams {
		for _, subject := range r.subjects(stream) {
			if k, err := contract.ParseSubject(subject); err == nil && k.Source == hit.Source && k.Doc != document.MarkerDoc {
				t.Errorf("%s holds %s", stream, subject)
			}
		}
	}
	if rep := r.find("zebra crossing", list.Token.String()); len(found(rep, "zebra")) == 0 {
		t.Error("what was kept is not found any more")
	}
	if differences, _ := r.verify(contract.VerifyRequest{}); len(differences) > 0 {
		t.Errorf("after the removal %+v differ", differences)
	}
}
