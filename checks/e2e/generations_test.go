package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// generationsOf are those of which the log has outputs or consumers.
func (r *rig) generationsOf() map[string]bool {
	r.t.Helper()
	found := map[string]bool{}
	for _, name := range []string{contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed} {
		for _, subject := range r.subjects(name) {
			found[strings.Split(subject, ".")[2]] = true
		}
	}
	return found
}

// subjects are those that have a message in a stream.
func (r *rig) subjects(stream string) []string {
	r.t.Helper()
	s, err := r.bus.JetStream().Stream(r.t.Context(), stream)
	if err != nil {
		r.t.Fatal(err)
	}
	info, err := s.Info(r.t.Context(), jetstream.WithSubjectFilter(">"))
	if err != nil {
		r.t.Fatal(err)
	}
	return slices.Collect(maps.Keys(info.State.Subjects))
}

func TestAnotherChunkSizeIsBuilt_WhatWasBuiltBeforeGoes(t *testing.T) {
	t.Parallel()
	data, dir := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\n// Zebra crosses.\nfunc Zebra() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	first := up(t, data, dir)
	old := first.generationsOf()
	first.stop()
	if len(old) == 0 {
		t.Fatal("nothing was built")
	}
	r := upWith(t, data, func(o *freshet.Options) { o.Config.Chunker.Target *= 2 }, dir)
	if rep := r.find("zebra", "latest"); len(found(rep, "Zebra")) == 0 {
		t.Error("the new generation does not answer")
	}
	r.replaced()
	r.left(r.status().Serving.ID())
	for g := range r.generationsOf() {
		if old[g] {
			t.Errorf("outputs of %s, which nobody builds any more, are left", g)
		}
	}
	if differences, _ := r.verify(contract.VerifyRequest{}); len(differences) > 0 {
		t.Errorf("%+v differ", differences)
	}
}

// Who goes back to the passages of before within the grace finds them in the
// log, with what has changed since and without what is gone; afterwards the
// others go.
func TestWhatWasBuiltBefore_IsTakenUpWithinItsGrace(t *testing.T) {
	t.Parallel()
	data, dir := t.TempDir(), t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"kept.go", "edited.go", "deleted.go"} {
		write(t, file(name), "package a\n\n// Zebra crosses.\nfunc Zebra() {}\n")
	}
	with := func(target int, grace time.Duration) *rig {
		return upWith(t, data, func(o *freshet.Options) {
			o.Config.Chunker.Target *= target
			o.Config.Superseded.Grace = grace
		}, dir)
	}
	r := with(1, time.Hour)
	before := r.generationsOf()
	r.stop()

	r = with(2, time.Hour)
	r.replaced()
	for g := range before {
		if !r.generationsOf()[g] {
			t.Errorf("what %s built is gone although its grace is not over", g)
		}
	}
	write(t, file("edited.go"), "package a\n\n// Giraffe looks.\nfunc Giraffe() {}\n")
	if err := os.Remove(file("deleted.go")); err != nil {
		t.Fatal(err)
	}
	r.find("zebra", r.look(dir).String())
	if differences, _ := r.verify(contract.VerifyRequest{}); len(differences) > 0 {
		t.Errorf("within the grace %+v differ", differences)
	}
	r.stop()

	r = with(1, time.Hour)
	r.replaced()
	if got := found(r.find("zebra crosses", "latest"), "Zebra"); len(got) != 1 || !strings.HasSuffix(got[0], "/kept.go") {
		t.Errorf("after going back zebra is found in %v, want kept.go", got)
	}
	if got := found(r.find("giraffe looks", "latest"), "Giraffe"); len(got) != 1 {
		t.Errorf("after going back giraffe is found in %v, want edited.go", got)
	}
	r.counts("chunker", "documents", 2) // the edited and the deleted one
	if differences, _ := r.verify(contract.VerifyRequest{}); len(differences) > 0 {
		t.Errorf("after going back %+v differ", differences)
	}
	r.stop()

	r = with(1, 0)
	r.left(r.status().Serving.ID())
	for g := range r.generationsOf() {
		if !before[g] {
			t.Errorf("%s, which nobody builds any more, is left", g)
		}
	}
	if differences, _ := r.verify(contract.VerifyRequest{}); len(differences) > 0 {
		t.Errorf("without a grace %+v differ", differences)
	}
}
