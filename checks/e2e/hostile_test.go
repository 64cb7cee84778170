//go:build prove

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/checks/hostile"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/charset"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
)

// hostileSeed is the seed of the trees; FRESHET_VULTURE_SEED gives another.
func hostileSeed(t *testing.T) uint64 { return vultureConfig(t).Seed }

// Everything in a hostile folder, work tree and bare repository is in the log
// or kept out by a rule that is known beforehand; nothing is read outside.
func TestHostileTree_HidesNoInput(t *testing.T) {
	t.Parallel()
	seed := hostileSeed(t)
	beside := folder(t, "beside")
	outside, hard, trap := filepath.Join(beside, "outside"), filepath.Join(beside, "hard.txt"), filepath.Join(beside, "trap")
	if err := hostile.Outside(outside); err != nil {
		t.Fatal(err)
	}
	write(t, hard, "A file with two names.\n")
	trees := map[document.Source]hostile.Tree{}
	var roots []string
	plant := func(name string, build func(root string) (hostile.Tree, error)) {
		tree, err := build(folder(t, name))
		if err != nil {
			t.Fatal(err)
		}
		trees[document.Source(name)] = tree
		roots = append(roots, tree.Root)
	}
	plant("plain", func(root string) (hostile.Tree, error) { return hostile.Folder(root, outside, hard, seed) })
	plant("work", func(root string) (hostile.Tree, error) { return hostile.Worktree(root, outside, trap, seed+1) })
	plant("bare", func(root string) (hostile.Tree, error) { return hostile.Bare(root, seed+2) })
	guard := watchOutside(t, outside)

	data := t.TempDir()
	p := start(t, nil, append([]string{"--data", data, "--nats-port", "0"}, roots...)...)
	r := attach(t, p.url, data)
	made, accounted := 0, 0
	for source, tree := range trees {
		n := r.account(source, tree)
		t.Logf("%s: %d of %d inputs accounted for; not to be had on this machine: %q", source, n, len(tree.Inputs), tree.Missing)
		made, accounted = made+len(tree.Inputs), accounted+n
	}
	if made < 500 || made != accounted {
		t.Errorf("%d inputs were made and %d are accounted for", made, accounted)
	}
	r.finds(trees)
	r.keepsSecrets()
	if opened := guard(); len(opened) > 0 {
		t.Errorf("outside of the roots was opened: %v", opened)
	}
	if _, err := os.Stat(trap); !os.IsNotExist(err) {
		t.Errorf("a program that a repository names was run: %v", err)
	}
	st := r.status()
	for _, f := range st.Failed {
		t.Errorf("given up: %+v", f)
	}
	r.bus.Close()
	p.stop()
	usage := p.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%d inputs; the process' largest resident set was %d (KiB on Linux, bytes on macOS)", made, usage.Maxrss)
	storesEqualLog(t, data)
}

// present are the documents of a source that are in the log, by raw path.
func (r *rig) present(source document.Source) map[string]contract.FileHead {
	r.t.Helper()
	table := r.bus.Files()
	if err := table.Ready(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	out := map[string]contract.FileHead{}
	table.Range(func(k bus.FileKey, h contract.FileHead) bool {
		if k.Source == source && (h.Op == contract.OpPut || h.Op == contract.OpSkipped) {
			out[h.Path.Raw()] = h
		}
		return true
	})
	return out
}

// account compares the log with what has to become of a tree's inputs, and
// returns the number of those that are as they should be.
func (r *rig) account(source document.Source, tree hostile.Tree) (n int) {
	r.t.Helper()
	log := r.present(source)
	for _, in := range tree.Inputs {
		head, there := log[in.Path]
		delete(log, in.Path)
		if problem := disagrees(tree, in, head, there); problem != "" {
			r.t.Errorf("%s, %s %.200q: %s", source, in.Family, in.Path, problem)
			continue
		}
		if problem := r.unexplained(source, in); problem != "" {
			r.t.Errorf("%s, %s %.200q (%s): explained as %s", source, in.Family, in.Path, in.Outcome, problem)
			continue
		}
		n++
	}
	for path, head := range log {
		r.t.Errorf("%s: nobody made %.200q, which is %s %s", source, path, head.Op, head.Reason)
	}
	return n
}

func disagrees(tree hostile.Tree, in hostile.Input, head contract.FileHead, there bool) string {
	if !there {
		if in.Outcome == hostile.Ignored {
			return ""
		}
		return fmt.Sprintf("is not in the log, it should be %s %s", in.Outcome, in.Why)
	}
	is := fmt.Sprintf("is %s %q, it should be %s %q", head.Op, head.Reason, in.Outcome, in.Why)
	switch {
	case (in.Outcome == hostile.Indexed || in.Outcome == hostile.Textless) && head.Op == contract.OpPut:
		content, err := os.ReadFile(filepath.Join(tree.Root, in.Path))
		if format.Of(head.Path) == nil {
			content = charset.Plain(content)
		}
		if err == nil && document.HashOf(content) != head.Hash {
			return "has another content in the log"
		}
		return ""
	case in.Outcome == hostile.Skipped && head.Op == contract.OpSkipped && strings.HasPrefix(head.Reason, in.Why):
		return ""
	}
	return is
}

// finds asks for some of the words that stand in the trees.
func (r *rig) finds(trees map[document.Source]hostile.Tree) {
	r.t.Helper()
	asked := 0
	for source, tree := range trees {
		for i, in := range tree.Inputs {
			if in.Word == "" || i%5 != 0 && len(tree.Inputs) > 100 {
				continue
			}
			place := ""
			if in.Outcome == hostile.Indexed {
				place = string(source) + "/" + string(document.EncodePath(in.Path))
			}
			r.shows("latest", in.Word, place)
			asked++
		}
	}
	r.t.Logf("%d words asked for", asked)
}

// keepsSecrets looks for what stands outside of the roots in answers and in
// every content of the log.
func (r *rig) keepsSecrets() {
	r.t.Helper()
	for _, n := range []string{"eins", "zwei", "drei", "vier", "fuenf", "sechs", "sieben"} {
		r.shows("latest", hostile.Secret+n, "")
	}
	var heads []contract.FileHead
	r.bus.Files().Range(func(_ bus.FileKey, h contract.FileHead) bool {
		if h.Op == contract.OpPut {
			heads = append(heads, h)
		}
		return true
	})
	for _, h := range heads {
		m, err := r.bus.Get(r.t.Context(), contract.StreamFiles, uint64(h.Version))
		if err != nil {
			r.t.Fatal(err)
		}
		body, err := m.Body(r.t.Context())
		if err != nil {
			r.t.Fatal(err)
		}
		if bytes.Contains(body, []byte(hostile.Secret)) {
			r.t.Errorf("%s/%s holds what is none of its business", h.Source, h.Path)
		}
	}
}
