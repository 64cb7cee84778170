package e2e

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// gated is another model, whose documents wait until it is opened.
type gated struct {
	embed.Embedder
	open chan struct{}
}

func (g gated) Identity() string { return g.Embedder.Identity() + "-again" }

func (g gated) EmbedDocuments(ctx context.Context, texts []string) ([]embed.Vector, []error) {
	select {
	case <-g.open:
		return g.Embedder.EmbedDocuments(ctx, texts)
	case <-ctx.Done():
		errs := make([]error, len(texts))
		for i := range errs {
			errs[i] = ctx.Err()
		}
		return make([]embed.Vector, len(texts)), errs
	}
}

func newGated(t *testing.T) gated {
	t.Helper()
	model, err := open.Embedder(config.Default().Embedder)
	if err != nil {
		t.Fatal(err)
	}
	return gated{model, make(chan struct{})}
}

// replaced waits until answers are made of what is configured.
func (r *rig) replaced() {
	r.t.Helper()
	for r.status().Next != nil { // which is what is waited for
	}
}

// left waits until the log has outputs and a record of one build alone.
func (r *rig) left(want contract.BuildID) {
	r.t.Helper()
	for {
		others := 0
		for g := range r.generationsOf() {
			if !strings.HasSuffix(g, "-"+string(want)) {
				others++
			}
		}
		for _, subject := range r.subjects(contract.KeyStream(contract.BucketMeta)) {
			if key := strings.TrimPrefix(subject, contract.KeyAddress(contract.BucketMeta, "build.")); key != subject && key != string(want) {
				others++
			}
		}
		if others == 0 {
			return
		}
	}
}

// words makes files, of which each has a word of its own.
func words(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		write(t, filepath.Join(dir, "f"+strconv.Itoa(i)+".go"), goFile("Zebra"+strconv.Itoa(i)+"x"))
	}
}

// Another model and other passages are built while people ask and edit. No answer
// fails, is empty, or shows what is gone, before, while and after the new build
// takes the place of the old one.
func TestIndexIsBuiltAnew_AnswersAreWholeAndFresh(t *testing.T) {
	t.Parallel()
	const n = 60
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	r := up(t, data, dir)
	old := *r.status().Serving
	r.stop()

	model := newGated(t)
	r = upWith(t, data, func(o *freshet.Options) {
		o.Embedders = open.Alike(model)
		o.Config.Chunker.Target *= 2
	}, dir)
	st := r.status()
	if st.Serving == nil || st.Serving.ID() != old.ID() || st.Next == nil || st.Next.Documents != n || st.Next.Pending != n {
		t.Fatalf("%+v serves, and %+v is built", st.Serving, st.Next)
	}
	if len(st.Next.Changes) != 2 {
		t.Errorf("the model and the size of passages differ, not %+v", st.Next.Changes)
	}
	asked := askEdit(r, dir, n)
	asked.rounds(n) // by the former
	if st := r.status(); st.Next == nil || st.Serving.ID() != old.ID() {
		t.Errorf("what cannot be complete serves: %+v", st.Serving)
	}
	if differences, _ := r.verify(contract.VerifyRequest{}); len(differences) > 0 {
		t.Errorf("while both are made %+v differ", differences)
	}
	close(model.open)
	for r.status().Next != nil {
		asked.round()
	}
	asked.rounds(n) // by the new one
	asked.end()
	now := r.status().Serving
	if now == nil || now.Target != 2*old.Target || now.Embedder != model.Identity() {
		t.Errorf("%+v serves", now)
	}
	r.left(now.ID())
	r.equal()
}

// What was built before is not made again, and what is built goes on where a kill
// has ended it. Meanwhile what was complete answers.
func TestKillWhileTheIndexIsBuiltAnew_LosesNothing(t *testing.T) {
	t.Parallel()
	const n = 200
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	args := []string{dir, "--data", data, "--nats-port", "0"}
	start(t, nil, args...).stop()
	env := []string{"FRESHET_CHUNKER_TARGET=" + size(2)}
	for i := range 3 {
		p := start(t, env, args...)
		r := attach(t, p.url, data)
		word := "Zebra" + strconv.Itoa(i) + "x"
		r.shows("latest", word, "animals/f"+strconv.Itoa(i)+".go")
		p.kill()
	}
	p := start(t, env, args...)
	r := attach(t, p.url, data)
	r.replaced()
	if now := r.status().Serving; strconv.Itoa(now.Target) != size(2) {
		t.Errorf("%+v serves", now)
	}
	r.left(r.status().Serving.ID())
	r.equal()
	p.stop()
}

// Who changes his mind before the new build is complete has lost nothing: what was
// complete goes on answering, and is kept.
func TestGoingBackBeforeTheNewIndexIsComplete_LosesNothing(t *testing.T) {
	t.Parallel()
	const n = 20
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	r := up(t, data, dir)
	old := *r.status().Serving
	r.stop()

	r = upWith(t, data, func(o *freshet.Options) { o.Embedders = open.Alike(newGated(t)) }, dir)
	write(t, filepath.Join(dir, "f0.go"), goFile("Giraffe"))
	r.shows(r.look(dir).String(), "Giraffe", "animals/f0.go")
	r.stop()

	r = up(t, data, dir)
	if st := r.status(); st.Next != nil || st.Serving == nil || st.Serving.ID() != old.ID() {
		t.Errorf("%+v serves, and %+v is built", st.Serving, st.Next)
	}
	r.shows("latest", "Giraffe", "animals/f0.go")
	r.counts("chunker", "documents", 0)
	r.counts("embedder", "documents", 0)
	r.left(old.ID())
	r.equal()
}

// A model that is not there any more cannot answer: what is missing of the new
// build is listed, and nothing waits for what cannot be made.
func TestModelOfBeforeIsGone_WhatIsMissingIsListed(t *testing.T) {
	t.Parallel()
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, 5)
	model := newGated(t)
	close(model.open)
	r := upWith(t, data, func(o *freshet.Options) { o.Embedders = open.Alike(model) }, dir)
	r.stop()
	said := make(chan freshet.Change, 1)
	r = upWith(t, data, func(o *freshet.Options) {
		o.Rebuilding = func(c freshet.Change) { said <- c }
		o.Config.Superseded.Grace = time.Hour
	}, dir)
	if c := <-said; c.Meanwhile {
		t.Errorf("what cannot be made answers: %+v", c)
	}
	if st := r.status(); st.Next != nil || st.Serving.Embedder == model.Identity() {
		t.Errorf("%+v serves, and %+v is built", st.Serving, st.Next)
	}
	r.shows("latest", "Zebra1x", "animals/f1.go")
}
