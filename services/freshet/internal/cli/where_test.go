package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// From within a source a question is about that one; from elsewhere, and where
// another one is named, nothing changes.
func TestQuestionWithinASource_IsAskedWhereTheCallerStands(t *testing.T) {
	t.Parallel()
	above := tree(t, map[string]string{
		"net/a.md":          "# Net\n\nA heron waits.\n",
		"net/sub/b.md":      "A heron flies.\n",
		"net/sub/deep/c.md": "A heron sleeps.\n",
		"shop/a.md":         "# Shop\n\nA heron is sold.\n",
		"shop/sub/d.md":     "A heron is bought.\n",
	})
	net, shop := filepath.Join(above, "net"), filepath.Join(above, "shop")
	i := start(t, filepath.Join(t.TempDir(), "s"), net, shop)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(net, link); err != nil {
		t.Fatal(err)
	}
	all := []string{net + "/a.md", net + "/sub/b.md", net + "/sub/deep/c.md", shop + "/a.md", shop + "/sub/d.md"}
	for _, c := range []struct {
		from, args string
		code       int
		want       []string
		told       string
	}{
		{above, "", 0, []string{"net/a.md", "net/sub/b.md", "net/sub/deep/c.md", "shop/a.md", "shop/sub/d.md"}, ""},
		{t.TempDir(), "", 0, all, ""},
		{t.TempDir(), "--path sub", 0, []string{all[1], all[2], all[4]}, ""},
		{t.TempDir(), "--path .", 0, all, ""},
		{t.TempDir(), "--path " + shop, 0, all[3:], ""},
		{net, "", 0, []string{"a.md", "sub/b.md", "sub/deep/c.md"}, "in net, the source around the current folder; --all asks all 2"},
		{link, "", 0, []string{"a.md", "sub/b.md", "sub/deep/c.md"}, "in net,"},
		{net + "/sub", "", 0, []string{net + "/a.md", "b.md", "deep/c.md"}, "in net,"},
		{net + "/sub", "--all", 0, []string{net + "/a.md", "b.md", "deep/c.md", shop + "/a.md", shop + "/sub/d.md"}, ""},
		{net + "/sub", "--source shop", 0, all[3:], ""},
		{net + "/sub", "--path .", 0, []string{"b.md", "deep/c.md"}, ""},
		{net + "/sub/deep", "--path ..", 0, []string{net + "/sub/b.md", "c.md"}, ""},
		{net + "/sub", "--path deep", 0, []string{"deep/c.md"}, ""},
		{net + "/sub", "--path sub/deep", 0, []string{"deep/c.md"}, "in net,"},
		{net + "/sub", "--path b.md --all", 0, []string{"b.md"}, ""},
		{net + "/sub", "--path deep --source shop", 1, nil, ""},
		{net + "/sub", "--path *.md", 0, []string{net + "/a.md", "b.md", "deep/c.md"}, "in net,"},
		{net + "/sub", "--path ./*.md", 0, []string{"b.md"}, ""},
		{net, "--path ../shop/sub", 0, all[4:], ""},
		{net, "--path ..", 2, nil, ".. lies in no source"},
		{net, "--path /nowhere", 2, nil, "/nowhere lies in no source"},
		{net, "--path ./sub --path ../shop", 2, nil, "../shop lies in the source shop"},
	} {
		cmd := program(t, append([]string{"files", "-1", "--data", i.data}, strings.Fields(c.args)...)...)
		cmd.Dir = c.from
		cmd.Env = append(cmd.Env, "PWD="+c.from)
		r := finish(t, cmd)
		if got := strings.Fields(r.stdout); r.code != c.code || strings.Join(got, " ") != strings.Join(c.want, " ") || !strings.Contains(r.stderr, c.told) || c.told == "" && strings.Contains(r.stderr, "around the current") {
			t.Errorf("from %s, files %s: exit %d, %q, want %d, %q\n%s", c.from, c.args, r.code, got, c.code, c.want, r.stderr)
		}
	}

	ask := func(from string, args ...string) result {
		cmd := program(t, append(args, "--data", i.data)...)
		cmd.Dir = from
		return finish(t, cmd)
	}
	if r := ask(shop, "grep", "-l", "heron"); r.stdout != "a.md\nsub/d.md\n" || !strings.Contains(r.stderr, "in shop,") {
		t.Errorf("grep from within shop: %q\n%s", r.stdout, r.stderr)
	}
	if r := ask(shop, "search", "-l", "heron"); strings.Contains(r.stdout, "net") || !strings.Contains(r.stderr, "in shop,") {
		t.Errorf("search from within shop: %q\n%s", r.stdout, r.stderr)
	}
	if r := ask(shop, "search", "-l", "heron", "source:net"); strings.Contains(r.stdout, "shop") || !strings.Contains(r.stdout, "net") || strings.Contains(r.stderr, "around the") {
		t.Errorf("a question that names its source: %q\n%s", r.stdout, r.stderr)
	}
	if r := ask(shop, "search", "-l", "heron", "--all"); !strings.Contains(r.stdout, "net/") || !strings.Contains(r.stdout, "d.md") {
		t.Errorf("search of all: %q\n%s", r.stdout, r.stderr)
	}
	if r := ask(filepath.Join(shop, "sub"), "explain", "../a.md", "--query", "heron"); r.code != 0 {
		t.Errorf("explain from below: %s%s", r.stdout, r.stderr)
	}
	i.stop()
}
