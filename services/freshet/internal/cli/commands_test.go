package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/process"
)

func TestSearch_ExitsByWhatItFound(t *testing.T) {
	t.Parallel()
	folder := tree(t, small)
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	hit := program(t, "search", "ParseHeron", "--data", i.data)
	hit.Dir = folder
	if r := finish(t, hit); r.code != 0 || !strings.HasPrefix(r.stdout, "parse.go:") || !strings.Contains(r.stdout, "ParseHeron") || strings.Contains(r.stdout, "\x1b") {
		t.Errorf("exit %d:\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := run(t, "search", "ParseHeron", "--data", i.data); !strings.HasPrefix(r.stdout, filepath.Join(folder, "parse.go")+":") {
		t.Errorf("elsewhere the path is no absolute one:\n%s", r.stdout)
	}
	if r := run(t, "search", "heron", "--lang", "fortran", "--data", i.data); r.code != 1 || r.stdout != "" {
		t.Errorf("without hits: exit %d, output %q", r.code, r.stdout)
	}
	if r := run(t, "search", "heron", "--source", "nowhere", "--data", i.data); r.code != 2 || !strings.Contains(r.stderr, "nowhere") || !strings.Contains(r.stderr, "freshet source list") {
		t.Errorf("in an unknown source: exit %d, %q", r.code, r.stderr)
	}
	if out := must(t, "search", "heron", "--path", "*.md", "--data", i.data); strings.Contains(out, "parse.go") || !strings.Contains(out, "README.md") {
		t.Errorf("with a path filter:\n%s", out)
	}
	if r := run(t, "search", "heron", "--explain", "--data", i.data); !strings.Contains(r.stdout, "lexical #1") || !strings.Contains(r.stderr, "fuse") {
		t.Errorf("explained:\n%s%s", r.stdout, r.stderr)
	}
}

func TestTextOfHits_IsAsMuchAsWasAskedFor(t *testing.T) {
	t.Parallel()
	folder := tree(t, map[string]string{"long.go": "package long\n\nfunc Long() {\n" + strings.Repeat("\tstep()\n", 20) + "\tcurlew()\n}\n"})
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	for flag, want := range map[string]string{
		"":             "long.go:24  1.000  Long\n    func Long() {\n    …\n      step()\n      step()\n      curlew()\n    }\n",
		"--full":       "long.go:24  1.000  Long\n    func Long() {\n" + strings.Repeat("      step()\n", 20) + "      curlew()\n    }\n",
		"--no-excerpt": "long.go:24  1.000  Long\n",
		"-C1":          "long.go:24  1.000  Long\n    func Long() {\n    …\n      step()\n      curlew()\n    }\n",
		"-l":           "long.go\n",
	} {
		cmd := program(t, slices.DeleteFunc([]string{"search", "curlew", flag, "-k", "1", "--data", i.data}, func(s string) bool { return s == "" })...)
		cmd.Dir = folder
		if r := finish(t, cmd); r.code != 0 || !strings.HasSuffix(rounded.ReplaceAllString(r.stdout, "  1.000  "), want) {
			t.Errorf("%s: exit %d\n%s%s", flag, r.code, r.stdout, r.stderr)
		}
	}
	for _, flags := range [][]string{{"--full", "--no-excerpt"}, {"-l", "--json"}, {"-C", "2", "--full"}, {"--per-file", "0"}} {
		if r := run(t, append([]string{"search", "curlew", "--data", i.data}, flags...)...); r.code != 2 || r.stdout != "" {
			t.Errorf("%v: exit %d, %q", flags, r.code, r.stdout)
		}
	}
	i.stop()
}

// rounded is a score.
var rounded = regexp.MustCompile(`  \d\.\d{3}  `)

// What --json prints is the reply as it came, so it must be strictly the
// contract's: its schema's and its struct's.
func TestJSON_IsTheReply(t *testing.T) {
	t.Parallel()
	i := start(t, filepath.Join(t.TempDir(), "s"), tree(t, small))
	strict[contract.SearchReply](t, "search-reply", must(t, "search", "heron", "--json", "--explain", "--data", i.data))
	strict[contract.StatusReply](t, "status-reply", must(t, "status", "--json", "--data", i.data))
	strict[contract.SourceList](t, "source-list", must(t, "source", "list", "--json", "--data", i.data))
	explainedStrictly(t, run(t, "explain", "--json", "--query", "heron", "--data", i.data, string(source(t, i))+":parse.go").stdout)
	explainedStrictly(t, run(t, "explain", "--json", "--data", i.data, string(source(t, i))+":").stdout)
	r := run(t, "search", "heron", "--json", "--lang", "fortran", "--data", i.data)
	if reply := strict[contract.SearchReply](t, "search-reply", r.stdout); r.code != 1 || len(reply.Hits) > 0 {
		t.Errorf("without hits: exit %d, %s", r.code, r.stdout)
	}
	i.stop()

	i = start(t, filepath.Join(t.TempDir(), "empty"))
	strict[contract.StatusReply](t, "status-reply", must(t, "status", "--json", "--data", i.data))
	strict[contract.SourceList](t, "source-list", must(t, "source", "list", "--json", "--data", i.data))
	strict[contract.SearchReply](t, "search-reply", run(t, "search", "heron", "--json", "--data", i.data).stdout)
	i.stop()
}

// source is the only one of an instance.
func source(t *testing.T, i *running) document.Source {
	t.Helper()
	list := strict[contract.SourceList](t, "source-list", must(t, "source", "list", "--json", "--data", i.data))
	if len(list.Sources) != 1 {
		t.Fatalf("%+v", list.Sources)
	}
	return list.Sources[0].Source
}

// explainedStrictly checks the replies within what explain prints.
func explainedStrictly(t *testing.T, text string) {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for _, key := range []string{"verdict", "summary", "file", "document"} {
		if len(all[key]) == 0 {
			t.Fatalf("no %s in\n%s", key, text)
		}
	}
	strict[contract.FileExplanation](t, "file-explanation", string(all["file"]))
	strict[contract.Explanation](t, "explanation", string(all["document"]))
}

func TestWrongExplain_IsRefusedWithTheFix(t *testing.T) {
	t.Parallel()
	folder := tree(t, small)
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	refuse(t, program(t, "explain", "a.go", "-k", "3", "--data", i.data), "--query")
	refuse(t, program(t, "explain", "nowhere:a.go", "--data", i.data), "nowhere", "freshet source list")
	refuse(t, program(t, "explain", string(source(t, i))+":../a.go", "--data", i.data), "leaves its source")
	refuse(t, program(t, "explain", filepath.Join(folder, "parse.go"), "--query", " ", "--data", i.data), "empty")
	// A file whose name looks like SOURCE:PATH is the file.
	name := string(source(t, i)) + ":parse.go"
	if err := os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	here := program(t, "explain", name, "--json", "--data", i.data)
	here.Dir = folder
	var all struct{ File contract.FileExplanation }
	r := finish(t, here)
	if err := json.Unmarshal([]byte(r.stdout), &all); err != nil || string(all.File.Document) != name {
		t.Errorf("%v: %s%s", err, r.stdout, r.stderr)
	}
	i.stop()
}

func strict[T any](t *testing.T, schema, text string) T {
	t.Helper()
	// The schemas name each other by their published address.
	const base = "https://github.com/freshet-dev/freshet/schemas/"
	c := jsonschema.NewCompiler()
	names, err := filepath.Glob("../../../../schemas/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %d schemas", err, len(names))
	}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(f)
		_ = f.Close()
		if err == nil {
			err = c.AddResource(base+filepath.Base(name), doc)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := c.Compile(base + schema + ".json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if err := s.Validate(value); err != nil {
		t.Errorf("the reply is not what %s says: %v\n%s", schema, err, text)
	}
	var v T
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return v
}

func TestInstance_IsFoundInItsOrder(t *testing.T) {
	t.Parallel()
	one, two, three := tree(t, small), tree(t, small), tree(t, small)
	home := t.TempDir()
	a := start(t, filepath.Join(t.TempDir(), "s"), one)
	b := start(t, filepath.Join(t.TempDir(), "s"), two)
	c := start(t, filepath.Join(home, "freshet"), three)
	login := func(i *running) string { return strings.TrimSpace(must(t, "connection", "--data", i.data)) }
	for _, k := range []struct {
		env  string
		args []string
		want string
	}{
		{login(b), []string{"--nats", login(a), "--data", c.data}, one},
		{login(b), []string{"--data", c.data}, two},
		{"", []string{"--data", a.data}, one},
		{"", nil, three},
	} {
		cmd := program(t, append([]string{"source", "list"}, k.args...)...)
		cmd.Env = append(cmd.Env, instance.EnvURL+"="+k.env, "XDG_STATE_HOME="+home)
		if r := finish(t, cmd); r.code != 0 || !strings.Contains(r.stdout, k.want) {
			t.Errorf("%s=%s %v lists\n%s%s", instance.EnvURL, k.env, k.args, r.stdout, r.stderr)
		}
	}
	if strings.Contains(a.ready, "--data "+a.data) != true {
		t.Errorf("the example does not find the instance: %s", a.ready)
	}
}

func TestToken_WaitsForItsChange(t *testing.T) {
	t.Parallel()
	folder := tree(t, small)
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	file := filepath.Join(folder, "egret.md")
	put(t, file, "The egret is white.\n")
	token := strings.TrimSpace(must(t, "token", file, "--data", i.data))
	if out := must(t, "search", "egret", "--token", token, "--data", i.data); !strings.Contains(out, "egret.md") {
		t.Errorf("with the token the answer is\n%s", out)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	token = strings.TrimSpace(must(t, "token", file, "--data", i.data))
	if r := run(t, "search", "egret", "--token", token, "--data", i.data); strings.Contains(r.stdout, "egret.md") {
		t.Errorf("with the token of its removal the answer is\n%s", r.stdout)
	}
	if now := strings.TrimSpace(must(t, "token", "--data", i.data)); now < token {
		t.Errorf("the token of now, %s, is older than %s", now, token)
	}
}

func sources(t *testing.T, i *running) map[string]contract.SourceInfo {
	t.Helper()
	out := map[string]contract.SourceInfo{}
	for _, s := range strict[contract.SourceList](t, "source-list", must(t, "source", "list", "--json", "--data", i.data)).Sources {
		out[string(s.Source)] = s
	}
	return out
}

func TestSourceThatIsNotWatched_IsKeptAndAnswersWhenNamed(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "s")
	first, second := tree(t, small), tree(t, map[string]string{"stork.md": "A stork on the roof.\n"})
	i := start(t, data, first)
	must(t, "source", "add", second, "--name", "roof", "--data", data)
	if s := sources(t, i)["roof"]; !s.Watched || s.Root != second {
		t.Errorf("the added source is %+v", s)
	}
	must(t, "search", "stork", "--token", "latest", "--data", data)
	i.stop()

	i = start(t, data, first)
	if s, ok := sources(t, i)["roof"]; !ok || s.Watched {
		t.Errorf("a source that was not given is %+v", s)
	}
	if r := run(t, "search", "stork", "--data", data); r.code == 0 && strings.Contains(r.stdout, "stork.md") {
		t.Errorf("a source that is not watched answers:\n%s", r.stdout)
	}
	if out := must(t, "search", "stork", "--source", "roof", "--data", data); !strings.Contains(out, "stork.md") {
		t.Errorf("asked for, it answers\n%s", out)
	}
	must(t, "source", "remove", "roof", "--data", data)
	if _, ok := sources(t, i)["roof"]; ok {
		t.Error("it is still registered")
	}
	i.stop()
}

func TestIndex_KeepsAFolderWithoutWatchingIt(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "s")
	folder := tree(t, map[string]string{"crane.md": "A crane dances.\n"})
	if out := must(t, "index", folder, "--data", data); !strings.Contains(out, folder) || !strings.Contains(out, "1 document,") {
		t.Errorf("in this process: %s", out)
	}
	i := start(t, data, tree(t, small))
	other := tree(t, map[string]string{"ibis.md": "An ibis wades.\n"})
	if out := must(t, "index", other, "--data", data); !strings.Contains(out, other) {
		t.Errorf("by the running instance: %s", out)
	}
	for _, s := range sources(t, i) {
		if slices.Contains([]string{folder, other}, s.Root) == s.Watched {
			t.Errorf("watched is wrong: %+v", s)
		}
	}
	for word, source := range map[string]string{"crane": filepath.Base(folder), "ibis": filepath.Base(other)} {
		if r := run(t, "search", word, "--source", source, "--data", data); r.code != 0 {
			t.Errorf("%s is not found in %s: %s", word, source, r.stderr)
		}
	}
	i.stop()
}

func TestConfiguration_ReachesTheServices(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "freshet.yaml")
	put(t, file, must(t, "config", "print"))
	if out := must(t, "config", "check", file); !strings.Contains(out, "valid") {
		t.Errorf("what was printed is not valid: %s", out)
	}
	put(t, file, "watcher:\n  debouce: 5ms\n")
	refuse(t, program(t, "config", "check", file), file+":2", `did you mean "debounce"`)
	refuse(t, program(t, "up", "--config", file), file+":2")
	put(t, file, "nats: {port: -1}\nquery: {k: 0}\n")
	if r := run(t, "config", "check", file); r.code != 2 || strings.Count(r.stderr, "\n") != 2 {
		t.Errorf("two problems: exit %d, %s", r.code, r.stderr)
	}
	folder := tree(t, small)
	put(t, file, "sources:\n  - root: ${BIRDS}\n    name: birds\nquery: {k: 1}\nwatcher: {max_file_size: 1KiB}\n")
	put(t, filepath.Join(folder, "large.md"), strings.Repeat("A large heron. ", 200))
	t.Setenv("BIRDS", folder)
	i := start(t, filepath.Join(dir, "s"), "--config", file)
	if s := sources(t, i)["birds"]; s.Root != folder || s.Skipped != 1 {
		t.Errorf("the source is %+v", s)
	}
	if reply := strict[contract.SearchReply](t, "search-reply", must(t, "search", "heron", "--json", "--data", i.data)); len(reply.Hits) != 1 {
		t.Errorf("%d hits with k of 1", len(reply.Hits))
	}
	i.stop()
}

func TestStatusAndVersion_SayWhatRuns(t *testing.T) {
	t.Parallel()
	i := start(t, filepath.Join(t.TempDir(), "s"), tree(t, small))
	if out := must(t, "status", "--data", i.data); !strings.Contains(out, "2 documents") || !strings.Contains(out, "ready") {
		t.Errorf("status:\n%s", out)
	}
	if out := must(t, "version"); !strings.HasPrefix(out, "freshet "+process.Version) {
		t.Errorf("version: %s", out)
	}
}

func TestVariable_OverridesTheFile(t *testing.T) {
	t.Parallel()
	show := program(t, "config", "print")
	show.Env = append(show.Env, "FRESHET_QUERY_K=7", "FRESHET_NATS_USER=ada", "FRESHET_NATS_PASSWORD=geheim", instance.EnvURL+"=nats://127.0.0.1:1")
	r := finish(t, show)
	if r.code != 0 || !strings.Contains(r.stdout, "\n  k: 7\n") || !strings.Contains(r.stdout, "user: ada") || strings.Contains(r.stdout, "geheim") {
		t.Errorf("exit %d: %s%s", r.code, r.stderr, r.stdout)
	}
	// It names a running instance; a shell that has it may start another one.
	if !strings.Contains(r.stdout, "\n  url: \"\"\n") {
		t.Errorf("%s is taken for nats.url:\n%s", instance.EnvURL, r.stdout)
	}
	wrong := program(t, "config", "check")
	wrong.Env = append(wrong.Env, "FRESHET_QUERY_KK=7")
	refuse(t, wrong, "FRESHET_QUERY_KK", "did you mean FRESHET_QUERY_K?")
}
