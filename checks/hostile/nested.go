package hostile

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
)

// nested makes repositories and archives within a plain folder.
func nested(b *builder) {
	head := []byte("ref: refs/heads/main\n")
	// A clone: its files count, its repository does not.
	b.text("repository within", "nested/clone/a.txt")
	b.ignoredFile("nested/clone/.git/HEAD", head)
	b.ignoredFile("nested/clone/.git/objects/x", nil)
	b.ignoredFile("nested/clone/.git/refs/heads/main", []byte("0\n"))
	// What looks like a repository is one, and its content is not text.
	for i, files := range [][]string{{"HEAD", "objects/x", "refs/x"}, {"HEAD", "commondir"}} {
		dir := fmt.Sprintf("nested/bare%d.git", i)
		for _, f := range files {
			b.fail(b.put(dir+"/"+f, head))
		}
		b.note(Input{Family: "repository within", Path: dir, Outcome: Skipped, Why: "submodule"}, nil)
	}
	// Files that point at a repository elsewhere.
	for i, content := range []string{"gitdir: " + b.outside + "\n", "gitdir: ../../../..\n", "gitdir: .git\n", "gitdir: /dev/zero\n", "gitdir: ", "no git file", "\x00", "gitdir: \n../x\n"} {
		dir := fmt.Sprintf("nested/pointer%d/", i)
		b.ignoredFile(dir+".git", []byte(content))
		b.text("pointer to a repository", dir+"x.txt")
	}
	for i, target := range []string{b.outside, "../../..", "nowhere", ".git"} {
		path := fmt.Sprintf("nested/linked%d/.git", i)
		b.up(path)
		if b.err == nil {
			b.note(Input{Family: "link to a repository", Path: path, Outcome: Ignored, Why: "built-in: .git"}, os.Symlink(target, b.full(path)))
		}
		b.text("link to a repository", filepath.Dir(path)+"/x.txt")
	}
	b.pipe("nested/piped/.git", Ignored, "built-in: .git")
	b.text("pipe for a repository", "nested/piped/x.txt")
	b.file("submodules that are none", "nested/.gitmodules", []byte("[submodule \"../../x\"]\n\tpath = ../../../etc\n\turl = -u./payload\n"), Indexed, "")
	b.file("attributes", "nested/.gitattributes", []byte("* filter=evil diff=evil merge=evil text eol=crlf working-tree-encoding=UTF-16\n"), Indexed, "")
	archives(b)
}

func (b *builder) ignoredFile(path string, content []byte) {
	b.file("repository within", path, content, Ignored, "built-in: .git")
}

// archives makes archives whose entries lead out; nobody unpacks them.
func archives(b *builder) {
	hostile := []string{"../../../escape.txt", "/etc/escape", "a/../../b", "link", "\xff.txt"}
	var z, t, g bytes.Buffer
	zw, tw, gw := zip.NewWriter(&z), tar.NewWriter(&t), gzip.NewWriter(&g)
	for _, name := range hostile {
		w, err := zw.Create(name)
		b.fail(err)
		if err == nil {
			_, err = w.Write([]byte("text"))
			b.fail(err)
		}
		b.fail(tw.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: "../../../etc/passwd", Format: tar.FormatPAX}))
	}
	_, err := gw.Write(bytes.Repeat([]byte{0}, 20<<20)) // a small bomb: a thousand to one
	b.fail(err)
	b.fail(zw.Close())
	b.fail(tw.Close())
	b.fail(gw.Close())
	for name, content := range map[string][]byte{"x.zip": z.Bytes(), "x.jar": z.Bytes(), "zip.txt": z.Bytes(), "x.tar": t.Bytes(), "tar.md": t.Bytes(), "gz.go": g.Bytes(), "empty.zip": []byte("PK\x05\x06" + string(make([]byte, 18)))} {
		b.file("archive", "archives/"+name, content, Skipped, "binary")
	}
	for _, name := range []string{"x.docx", "x.odt", "x.epub", "x.pptx", "x.xlsx", "x.pdf"} {
		b.file("archive", "archives/"+name, z.Bytes(), Textless, "damaged")
	}
	b.file("archive", "archives/x.gz", g.Bytes(), Textless, "unpacks")
	b.file("archive", "archives/no.zip", []byte("this is no archive\n"), Indexed, "")
	b.file("archive", "archives/self.sh", []byte("#!/bin/sh\ntail -n +3 \"$0\" | tar x; exit\nrest\n"), Indexed, "")
}
