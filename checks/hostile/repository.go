package hostile

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// git runs git without the user's configuration and returns what it prints.
func git(dir string, stdin []byte, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, errs.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// repository is a builder whose tree is a repository of git.
type repository struct{ *builder }

func (b *repository) git(stdin string, args ...string) string {
	if b.err != nil {
		return ""
	}
	out, err := git(b.Root, []byte(stdin), args...)
	b.fail(err)
	return out
}

// entry is one line of a tree object, with any name and mode.
type entry struct{ mode, name, id string }

// tree writes a tree object as it stands, which git itself would refuse.
func (b *repository) tree(entries ...entry) string {
	var raw bytes.Buffer
	for _, e := range entries {
		id, err := hex.DecodeString(e.id)
		b.fail(err)
		fmt.Fprintf(&raw, "%s %s\x00%s", e.mode, e.name, id)
	}
	return b.git(raw.String(), "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
}

// Bare makes a bare repository in an empty directory whose tree has names that
// lead out of any work tree.
func Bare(root string, seed uint64) (Tree, error) {
	b := &repository{newBuilder("bare", root, "", seed)}
	b.git("", "init", "-q", "--bare", "-b", "main", ".")
	blob := func(text string) string { return b.git(text, "hash-object", "-w", "--stdin") }
	var entries []entry
	add := func(mode, name, path string, o Outcome, why string) {
		in := Input{Family: "name in a tree", Path: path, Outcome: o, Why: why, Word: b.word()}
		entries = append(entries, entry{mode, name, blob("Here stands " + in.Word + ".\n")})
		b.note(in, nil)
	}
	for _, name := range []string{"plain.txt", "a\nb.txt", "\xff.txt", "-rf", "*", ">", " ", "\x01", `back\slash.txt`, "%2e%2e", "c:x.txt", strings.Repeat("n", 300) + ".txt", strings.Repeat("long", 1000) + ".md", "..a", "...", "~1.txt", "GIT~1", ".gıt"} {
		add("100644", name, name, Indexed, "")
	}
	for _, name := range []string{"..", ".", "../up.txt", "../../../etc/escape", "/etc/absolute", "a/../../b.txt", "a//b.txt", "./c.txt", "d/.", "e/"} {
		add("100644", name, name, Skipped, "path leaves the tree")
	}
	for _, name := range []string{".git", ".git/config", "x/.git/hooks/post-checkout", ".hg", ".freshet/x"} {
		add("100644", name, name, Ignored, "built-in: .git")
	}
	long := strings.Repeat("\x01", 40_000)
	add("100644", long, long, Ignored, "path too long")
	add("120000", "link", "link", Skipped, "symbolic link")
	add("120000", "link-out.md", "link-out.md", Skipped, "symbolic link")
	add("100755", "run.sh", "run.sh", Indexed, "")
	add("100664", "odd.txt", "odd.txt", Indexed, "")
	entries = append(entries, entry{"160000", "module", strings.Repeat("ab", 20)})
	b.note(Input{Family: "name in a tree", Path: "module", Outcome: Skipped, Why: "submodule"}, nil)

	word := b.word()
	inner := b.tree(entry{"100644", "inner.txt", blob("Here stands " + word + ".\n")})
	for _, name := range []string{"..", ".git"} {
		o, why := Skipped, "path leaves the tree"
		if name == ".git" {
			o, why = Ignored, "built-in: .git"
		}
		entries = append(entries, entry{"40000", name, inner})
		b.note(Input{Family: "folder in a tree", Path: name + "/inner.txt", Outcome: o, Why: why}, nil)
	}
	deep := inner
	for range 200 {
		deep = b.tree(entry{"40000", "d", deep})
	}
	entries = append(entries, entry{"40000", "deep", deep})
	b.note(Input{Family: "folder in a tree", Path: "deep/" + strings.Repeat("d/", 200) + "inner.txt", Outcome: Indexed}, nil)

	commit := b.git("", "commit-tree", "-m", "hostile", b.tree(entries...))
	b.git("", "update-ref", "refs/heads/main", commit)
	return b.done()
}
