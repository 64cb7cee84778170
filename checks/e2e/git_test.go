package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// source returns what is registered for a root.
func (r *rig) source(root string) contract.SourceInfo {
	r.t.Helper()
	list := ask[struct{}, contract.SourceList](r.t, r.bus, contract.SubjectSourcesList, struct{}{})
	for _, s := range list.Sources {
		if s.Root == root {
			return s
		}
	}
	r.t.Fatalf("%s is not among the sources %+v", root, list.Sources)
	return contract.SourceInfo{}
}

// bare makes a bare repository with one commit, and a clone to push from.
func bare(t *testing.T, files map[string]string) (repository, clone string) {
	t.Helper()
	clone = folder(t, "clone")
	git(t, clone, "init", "-q", "-b", "main")
	for name, content := range files {
		write(t, filepath.Join(clone, name), content)
	}
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "-q", "-m", "first")
	repository = filepath.Join(filepath.Dir(clone), "origin.git")
	git(t, clone, "clone", "-q", "--bare", clone, repository)
	git(t, clone, "remote", "add", "origin", repository)
	return repository, clone
}

func TestPushOfSeveralCommits_IsFollowedWhole(t *testing.T) {
	t.Parallel()
	repository, clone := bare(t, map[string]string{
		"keep.go": goFile("Kestrel"), "edit.go": goFile("Lapwing"), "drop.go": goFile("Magpie"), "move.go": goFile("Nuthatch"),
	})
	data := t.TempDir()
	r := up(t, data, repository)
	source := r.source(repository)
	if source.Kind != contract.SourceBare || source.Branch != "main" {
		t.Fatalf("the repository is registered as %+v", source)
	}
	at := func(path string) string { return string(source.Source) + "/" + path }
	r.shows("latest", "Lapwing", at("edit.go"))
	published := r.counter("watcher", "published")

	// Three commits; what one adds and another takes away never matters.
	write(t, filepath.Join(clone, "edit.go"), goFile("Osprey"))
	write(t, filepath.Join(clone, "brief.go"), goFile("Passing"))
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "-q", "-m", "second")
	git(t, clone, "rm", "-q", "drop.go", "brief.go")
	git(t, clone, "commit", "-q", "-m", "third")
	git(t, clone, "mv", "move.go", "moved.go")
	write(t, filepath.Join(clone, "new.go"), goFile("Partridge"))
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "-q", "-m", "fourth")
	git(t, clone, "push", "-q", "origin", "main")
	commit := strings.TrimSpace(git(t, clone, "rev-parse", "HEAD"))

	token := r.marked(source.Source, commit)
	for word, place := range map[string]string{
		"Kestrel": at("keep.go"), "Osprey": at("edit.go"), "Lapwing": "", "Magpie": "",
		"Nuthatch": at("moved.go"), "Partridge": at("new.go"), "Passing": "",
	} {
		r.shows(token, word, place)
	}
	// edit.go, drop.go, move.go, moved.go and new.go, and the marker.
	if n := r.counter("watcher", "published") - published; n != 5 && n != 6 {
		t.Errorf("%d versions were published for 5 changed paths", n)
	}
	r.stop()
	storesEqualLog(t, data)
}

// marked waits for the marker of a commit and returns its token.
func (r *rig) marked(source document.Source, commit string) string {
	r.t.Helper()
	return r.seen(source, "", func(h contract.FileHead) bool { return h.Op == contract.OpMarker && h.Commit == commit }).String()
}

func TestBranchSwitchOfAWorkTree_LeavesNothingOfTheOther(t *testing.T) {
	t.Parallel()
	tree := folder(t, "tree")
	git(t, tree, "init", "-q", "-b", "main")
	write(t, filepath.Join(tree, "both.go"), goFile("Quail"))
	write(t, filepath.Join(tree, "differs.go"), goFile("Raven"))
	write(t, filepath.Join(tree, "pkg", "main_only.go"), goFile("Sparrow"))
	write(t, filepath.Join(tree, ".gitignore"), "*.log\n")
	git(t, tree, "add", "-A")
	git(t, tree, "commit", "-q", "-m", "main")
	git(t, tree, "checkout", "-q", "-b", "other")
	git(t, tree, "rm", "-q", "pkg/main_only.go")
	write(t, filepath.Join(tree, "differs.go"), goFile("Swallow"))
	write(t, filepath.Join(tree, "extra", "other_only.go"), goFile("Thrush"))
	git(t, tree, "add", "-A")
	git(t, tree, "commit", "-q", "-m", "other")
	git(t, tree, "checkout", "-q", "main")
	write(t, filepath.Join(tree, "noise.log"), "Wren\n")

	data := t.TempDir()
	r := up(t, data, tree)
	if s := r.source(tree); s.Kind != contract.SourceWorktree {
		t.Fatalf("the work tree is registered as %+v", s)
	}
	onMain := map[string]string{"Quail": "tree/both.go", "Raven": "tree/differs.go", "Sparrow": "tree/pkg/main_only.go", "Swallow": "", "Thrush": "", "Wren": ""}
	onOther := map[string]string{"Quail": "tree/both.go", "Raven": "", "Sparrow": "", "Swallow": "tree/differs.go", "Thrush": "tree/extra/other_only.go", "Wren": ""}
	for word, place := range onMain {
		r.shows("latest", word, place)
	}
	for _, to := range []struct {
		branch, differs string
		wants           map[string]string
	}{{"other", "Swallow", onOther}, {"main", "Raven", onMain}} {
		git(t, tree, "checkout", "-q", to.branch)
		r.seen("tree", "differs.go", holds(goFile(to.differs)))
		token := ask[contract.Announce, contract.AnnounceReply](t, r.bus, contract.SubjectAnnounce, contract.Announce{Repository: tree}).Token
		for word, place := range to.wants {
			r.shows(token.String(), word, place)
		}
	}
	r.stop()
	storesEqualLog(t, data)
}

var accepted = regexp.MustCompile(`freshet: push accepted as (\d+\.\d+)`)

// A hook waits at most 500 ms, so on a busy machine some pushes may only be
// announced; but no push may fail or say nothing.
func TestHookOfAPush_TellsTheToken(t *testing.T) {
	repository, clone := bare(t, map[string]string{"a.go": goFile("Avocet")})
	data := t.TempDir()
	p := start(t, nil, "--data", data, "--nats-port", "0", repository)
	r := attach(t, p.url, data)
	source := r.source(repository).Source

	install := freshetCommand(t, nil, "git", "install-hook", repository, "--data", data)
	if out, err := install.CombinedOutput(); err != nil || !strings.Contains(string(out), "post-receive") {
		t.Fatalf("install-hook: %v\n%s", err, out)
	}
	// The hook runs the program that installed it, which is this binary.
	t.Setenv(asProgram, "1")
	for _, word := range hookWords {
		write(t, filepath.Join(clone, "a.go"), goFile(word))
		git(t, clone, "commit", "-q", "-a", "-m", word)
		out := git(t, clone, "push", "origin", "main")
		if token := accepted.FindStringSubmatch(out); token != nil {
			r.shows(token[1], word, string(source)+"/a.go")
			break
		}
		if !strings.Contains(out, "freshet: push announced") {
			t.Fatalf("the push says nothing of freshet:\n%s", out)
		}
		if word == hookWords[len(hookWords)-1] {
			t.Errorf("none of %d pushes got its token", len(hookWords))
		}
	}

	remove := freshetCommand(t, nil, "git", "install-hook", repository, "--remove")
	if out, err := remove.CombinedOutput(); err != nil {
		t.Fatalf("install-hook --remove: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(repository, "hooks", "post-receive")); !os.IsNotExist(err) {
		t.Errorf("the hook is still there: %v", err)
	}
	write(t, filepath.Join(clone, "a.go"), goFile("Yellowhammer"))
	git(t, clone, "commit", "-q", "-a", "-m", "without a hook")
	if out := git(t, clone, "push", "origin", "main"); strings.Contains(out, "freshet") {
		t.Errorf("a removed hook speaks:\n%s", out)
	}
	r.seen(source, "a.go", holds(goFile("Yellowhammer")))
	r.shows("latest", "Yellowhammer", string(source)+"/a.go")
	p.stop()
	storesEqualLog(t, data)
}

var hookWords = []string{"Bittern", "Chaffinch", "Dotterel", "Egret", "Fieldfare", "Gadwall", "Hawfinch", "Jackdaw"}
