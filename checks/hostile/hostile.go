// Package hostile makes trees such as somebody who means harm, or a broken
// tool, could hand to an indexer: names, links, encodings, contents, ignore
// files and repositories that go beyond what a person would write. Every input
// says what has to become of it, so that a test can account for each. What is
// made depends on the seed alone.
package hostile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// Outcome is what has to become of an input.
type Outcome int

// The outcomes.
const (
	Indexed Outcome = iota + 1 // its content is in the log
	Skipped                    // it is in the log, with a reason
	Ignored                    // a rule leaves it out; the log does not name it
	// Textless is in the log, and of a format that can make no text of it, for a reason.
	Textless
)

func (o Outcome) String() string {
	return [...]string{"unknown", "indexed", "skipped", "ignored", "textless"}[o]
}

// Input is one thing in a tree.
type Input struct {
	Family  string // what it provokes
	Path    string // raw, relative to the root of its tree
	Outcome Outcome
	// Why is the reason of what is skipped or has no text, or the beginning of it, and the
	// rule by which something is ignored.
	Why string
	// Word stands in the content and nowhere else; "" where it cannot be
	// asked for.
	Word string
}

// Tree is what was made.
type Tree struct {
	Root   string // absolute
	Inputs []Input
	// Missing are the inputs that this machine does not let anyone make, with
	// the reason.
	Missing []string
}

// Secret is the beginning of every word that stands outside of the roots. It
// may be found nowhere.
const Secret = "Zugangswort"

// Outside fills a folder with what no tree may lead to.
func Outside(dir string) error {
	for name, content := range map[string]string{
		"secret.txt":         Secret + "eins opens the door.\n",
		"folder/secret.md":   "# " + Secret + "zwei\n\nIt opens the gate.\n",
		"folder/deep/key.go": "package key\n\n// " + Secret + "drei opens the safe.\nfunc " + Secret + "drei() {}\n",
		".gitignore":         "# " + Secret + "vier\n*\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make the outside: %w", err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return fmt.Errorf("make the outside: %w", err)
		}
	}
	return nil
}

// builder makes one tree. Its first error stays; later calls do nothing.
type builder struct {
	Tree
	outside string
	rng     *rand.Rand
	tag     string // in its words, so that they stand in no other tree
	err     error
	words   int
}

func newBuilder(tag, root, outside string, seed uint64) *builder {
	return &builder{Tree: Tree{Root: root}, outside: outside, tag: tag, rng: rand.New(rand.NewPCG(seed, 1))}
}

func (b *builder) full(path string) string { return b.Root + "/" + path }

// note accounts for an input that was made, or says why it could not be.
func (b *builder) note(in Input, err error) {
	switch {
	case b.err != nil:
	case err == nil:
		b.Inputs = append(b.Inputs, in)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EILSEQ), errors.Is(err, fs.ErrExist), errors.Is(err, syscall.EOPNOTSUPP):
		// No right to make devices, or a file system that folds names.
		b.Missing = append(b.Missing, fmt.Sprintf("%s %q: %v", in.Family, in.Path, err))
	default:
		b.err = fmt.Errorf("make %q: %w", in.Path, err)
	}
}

// up makes the directories above a path.
func (b *builder) up(path string) {
	if b.err == nil {
		b.err = os.MkdirAll(filepath.Dir(b.full(path)), 0o755)
	}
}

// put writes bytes as they are; nothing may be there yet.
func (b *builder) put(path string, content []byte) error {
	b.up(path)
	if b.err != nil {
		return b.err
	}
	f, err := os.OpenFile(b.full(path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// file makes a file with a content and says what has to become of it.
func (b *builder) file(family, path string, content []byte, o Outcome, why string) {
	b.note(Input{Family: family, Path: path, Outcome: o, Why: why}, b.put(path, content))
}

// text makes a small file that has to be indexed and found by its word.
func (b *builder) text(family, path string) {
	in := Input{Family: family, Path: path, Outcome: Indexed, Word: b.word()}
	b.note(in, b.put(path, []byte("Here stands "+in.Word+" and waits.\n")))
}

// out makes a small file that a rule keeps out.
func (b *builder) out(family, path, rule string) {
	word := b.word()
	b.note(Input{Family: family, Path: path, Outcome: Ignored, Why: rule, Word: word}, b.put(path, []byte("Here hides "+word+".\n")))
}

// word returns a word that stands nowhere else.
func (b *builder) word() string {
	b.words++
	n, out := b.words, []byte("Wachtposten"+b.tag)
	for range 4 {
		out = append(out, byte('a'+n%26))
		n /= 26
	}
	return string(out) + string(rune('a'+b.rng.IntN(26)))
}

func (b *builder) done() (Tree, error) { return b.Tree, b.err }

// Folder makes a plain folder of hostile inputs in an empty directory. outside
// is a folder made by Outside; hard is one whose files have a second name in
// the tree.
func Folder(root, outside, hard string, seed uint64) (Tree, error) {
	b := newBuilder("plain", root, outside, seed)
	names(b)
	encodings(b)
	contents(b)
	links(b, hard)
	specials(b)
	depth(b)
	rules(b)
	sources(b)
	prose(b)
	nested(b)
	return b.done()
}
