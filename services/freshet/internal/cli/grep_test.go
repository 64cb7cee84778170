package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestGrep_IsWhatGrepUsersKnow(t *testing.T) {
	t.Parallel()
	folder := tree(t, map[string]string{
		"parse.go":     "package api\n\n// ParseHeron reads a heron.\nfunc ParseHeron(s string) string { return s }\n",
		"README.md":    "# Herons\r\n\r\nA heron stands in the reeds.\r\n",
		"sub/reeds.md": "reeds\nheron\nheron again\n",
		"many.txt":     strings.Repeat("egret ", 120) + "\n",
	})
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	grep := func(args ...string) result {
		cmd := program(t, append([]string{"grep", "--data", i.data}, args...)...)
		cmd.Dir = folder
		return finish(t, cmd)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"heron$", 0, "sub/reeds.md:2:heron\n"},
		{`reeds\.$`, 0, "README.md:3:A heron stands in the reeds.\n"},
		{"-c heron", 0, "README.md:1\nparse.go:1\nsub/reeds.md:2\n"},
		{"-l -i herons|reads", 0, "README.md\nparse.go\n"},
		{"-w -F heron. --path *.go", 0, "parse.go:3:// ParseHeron reads a heron.\n"},
		{"-A 1 ^reeds", 0, "sub/reeds.md:1:reeds\nsub/reeds.md-2-heron\n"},
		{"-m 1 heron sub", 0, "sub/reeds.md:2:heron\n"},
		{"heron sub/*.md --limit 1", 0, "sub/reeds.md:2:heron\n"},
		{"-v . sub", 1, ""},
		{"-o her[a-z]* sub", 0, "sub/reeds.md:2:heron\nsub/reeds.md:3:heron\n"},
		{"-o e. sub/reeds.md -m 1", 0, "sub/reeds.md:1:ee\n"},
		{"-e reeds -e again sub", 0, "sub/reeds.md:1:reeds\nsub/reeds.md:3:heron again\n"},
		{"-F -e s. -e again sub README.md", 0, "README.md:3:A heron stands in the reeds.\nsub/reeds.md:3:heron again\n"},
		{"-e -- sub", 1, ""},
		{"-q heron", 0, ""},
		{"-q pelican", 1, ""},
		{"-q heron(", 2, ""},
		{"-q heron --max-bytes 60B", 0, ""},
		{"-o -l heron", 2, ""},
		{"pelican", 1, ""},
		{"heron$ --view worktree", 0, "sub/reeds.md:2:heron\n"},
		{"heron$ --view main", 2, ""},
		{"heron --lang go", 0, "parse.go:3:// ParseHeron reads a heron.\n"},
		{"heron nowhere", 2, ""},
		{"heron(", 2, ""},
		{"-l -c heron", 2, ""},
		{"heron sub --path *.md", 2, ""},
		{"heron --max-bytes 1XB", 2, ""},
		{"-l heron sub --max-bytes 1.5kB", 0, "sub/reeds.md\n"},
		{"heron --max-bytes 60B", 2, "README.md:3:A heron stands in the reeds.\n"},
	} {
		if r := grep(strings.Fields(c.args)...); r.code != c.code || r.stdout != c.want || (r.code == 2) == (r.stderr == "") && c.args != "heron sub/*.md --limit 1" {
			t.Errorf("grep %s: exit %d, %q, want %d, %q\n%s", c.args, r.code, r.stdout, c.code, c.want, r.stderr)
		}
	}
	if r := grep("-o", "egret"); strings.Count(r.stdout, "many.txt:1:egret\n") != 100 || !strings.Contains(r.stderr, "of 1 lines the first 100 matches") {
		t.Errorf("%q %q", r.stdout, r.stderr)
	}
	for args, instead := range map[string]string{
		"-rn heron": "grep has no -r, since all that is below a folder is searched anyway", "-in heron": "grep has no -n",
		"-P heron": "look-around", "--include=*.go heron": "--path GLOB", "-t go heron": "--lang", "-z heron": "freshet grep --help",
	} {
		if r := grep(strings.Fields(args)...); r.code != 2 || !strings.Contains(r.stderr, instead) {
			t.Errorf("grep %s: exit %d, %q does not say %q", args, r.code, r.stderr, instead)
		}
	}
	if r := grep("heron", "--limit", "2"); !strings.Contains(r.stderr, "and 2 more matching lines") {
		t.Errorf("what is not listed: %q", r.stderr)
	}
	if reply := strict[contract.GrepReply](t, "grep-reply", grep("heron", "--json", "-C", "1").stdout); reply.Matched != 3 {
		t.Errorf("%+v", reply)
	}
	i.stop()
}
