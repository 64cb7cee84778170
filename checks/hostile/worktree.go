package hostile

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Worktree makes a work tree in an empty directory whose configuration, index
// and rules are hostile. trap is a file that nobody may make.
func Worktree(root, outside, trap string, seed uint64) (Tree, error) {
	b := &repository{newBuilder("work", root, outside, seed)}
	b.git("", "init", "-q", "-b", "main", ".")
	b.text("work tree", "plain.txt")
	b.text("work tree", "a/b/c.md")
	b.text("tracked and ignored", "a/kept.log")
	b.file("work tree", ".gitignore", []byte("*.log\n"+strings.Repeat("**/a/", 25)+"b\n"), Indexed, "")
	b.git("", "add", "-f", "-A")
	b.git("", "commit", "-q", "-m", "first")
	b.out("ignored", "dropped.log", ".gitignore: *.log")
	b.text("rules that take long", strings.Repeat("a/", 30)+"x.txt")
	b.note(Input{Family: "repository itself", Path: ".git", Outcome: Ignored, Why: "built-in: .git"}, nil)

	// A submodule and a clone that git knows nothing of.
	b.git("", "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("ab", 20)+",module")
	for _, dir := range []string{"module", "clone"} {
		b.fail(b.put(dir+"/.git", []byte("gitdir: "+outside+"\n")))
		b.fail(b.put(dir+"/secret.txt", []byte(Secret+"sieben\n")))
		b.note(Input{Family: "repository within", Path: dir, Outcome: Skipped, Why: "submodule"}, nil)
	}
	for i, target := range []string{outside, outside + "/secret.txt", "a"} {
		b.link("link in a work tree", fmt.Sprintf("link%d", i), target)
		b.git("", "add", fmt.Sprintf("link%d", i))
	}
	// Ignore files that git would wait for, if it were asked to read them.
	b.pipe("piped/.gitignore", Skipped, "named pipe")
	b.text("ignore file that is none", "piped/x.txt")
	b.fail(os.Remove(b.full(".git/info/exclude")))
	b.pipe(".git/info/exclude", Ignored, "built-in: .git")

	b.fail(os.WriteFile(trap+".sh", []byte("#!/bin/sh\n: > '"+trap+"'\n"), 0o755))
	for key, value := range map[string]string{"core.fsmonitor": trap + ".sh", "core.pager": trap + ".sh", "core.sshCommand": trap + ".sh", "diff.external": trap + ".sh", "core.worktree": outside, "core.hooksPath": outside, "alias.ls-files": "!" + trap + ".sh"} {
		b.git("", "config", key, value)
	}
	b.index("../up.log", "../../../etc/x.log", "/absolute.log", "/etc/y.log", "a//b.log", "./c.log", ".git/z.log", "a/../d.log", "piped/p.log", "a/kept.log", "plain.txt")
	return b.done()
}

// index writes an index that git itself would refuse to write.
func (b *repository) index(names ...string) {
	slices.Sort(names)
	var raw bytes.Buffer
	raw.WriteString("DIRC\x00\x00\x00\x02")
	raw.Write([]byte{0, 0, 0, byte(len(names))})
	for _, name := range names {
		e := make([]byte, (62+len(name)+8)/8*8) // zeros behind the name, one at least
		binary.BigEndian.PutUint32(e[24:], 0o100644)
		copy(e[40:60], bytes.Repeat([]byte{0xab}, 20))
		binary.BigEndian.PutUint16(e[60:], uint16(len(name)))
		copy(e[62:], name)
		raw.Write(e)
	}
	sum := sha1.Sum(raw.Bytes())
	if b.err == nil {
		b.err = os.WriteFile(b.full(".git/index"), append(raw.Bytes(), sum[:]...), 0o644)
	}
}
