package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// link makes a symbolic link. None is followed, wherever it leads.
func (b *builder) link(family, path, target string) {
	b.up(path)
	if b.err == nil {
		b.note(Input{Family: family, Path: path, Outcome: Skipped, Why: "symbolic link"}, os.Symlink(target, b.full(path)))
	}
}

// links makes links of both kinds. hard is a file outside of the tree.
func links(b *builder, hard string) {
	b.text("target of links", "links/real/inside.txt")
	b.link("link that leads to itself", "links/self", "self")
	b.link("link that leads to itself", "links/a", "b")
	b.link("link that leads to itself", "links/b", "a")
	for i := range 50 {
		b.link("long chain of links", fmt.Sprintf("links/chain/%02d", i), fmt.Sprintf("%02d", (i+1)%50))
	}
	for i, target := range []string{".", "..", "../..", "./././.", "real", "real/", "real/inside.txt", "../links", b.Root, b.Root + "/links/real", "nowhere", "real/nowhere", "links/real/../../..", ""} {
		if target != "" {
			b.link("link within the root", fmt.Sprintf("links/within/%d", i), target)
		}
	}
	b.link("link within the root", "links/real/loop", "..")
	b.link("link within the root", "links/long", strings.Repeat("./", 2000)+"real")

	up, err := filepath.Rel(b.full("links/out"), b.outside)
	b.fail(err)
	for i, target := range []string{
		b.outside, b.outside + "/", b.outside + "/secret.txt", b.outside + "/folder", b.outside + "/folder/secret.md", b.outside + "/folder/deep", b.outside + "/.gitignore",
		up, up + "/secret.txt", up + "/folder/deep/key.go", "/", "/etc", "/etc/passwd", "/proc/self/environ", "/proc/self/root", "/proc/self/cwd", "/proc/self/fd/0",
		"/dev/zero", "/dev/random", "/dev/stdin", "/dev/tty", strings.Repeat("../", 100), strings.Repeat("../", 100) + "etc/passwd",
	} {
		for _, ext := range []string{"", ".md"} {
			b.link("link out of the root", fmt.Sprintf("links/out/%02d%s", i, ext), target)
		}
	}
	b.link("chain of links out of the root", "links/step/1", "2")
	b.link("chain of links out of the root", "links/step/2", "../step/3")
	b.link("chain of links out of the root", "links/step/3", "../out/02")
	b.link("chain of links out of the root", "links/step/folder", "../out/00")

	// A second name of a file outside is a file of the tree like any other.
	for i := range 3 {
		path := fmt.Sprintf("links/hard/%d.txt", i)
		b.up(path)
		if b.err == nil {
			b.note(Input{Family: "hard link", Path: path, Outcome: Indexed}, os.Link(hard, b.full(path)))
		}
	}
	b.text("hard link", "links/twice/one.txt")
	for _, path := range []string{"links/twice/two.txt", "links/twice/deep/three.txt"} {
		b.up(path)
		if b.err == nil {
			b.note(Input{Family: "hard link", Path: path, Outcome: Indexed}, os.Link(b.full("links/twice/one.txt"), b.full(path)))
		}
	}
}
