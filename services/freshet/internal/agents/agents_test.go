package agents_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/freshet/internal/agents"
)

func setup(folder string) agents.Setup {
	return agents.Setup{Command: "/opt/fresh \"et\"/freshet", Args: []string{"mcp", "--data", "/srv/\\state"}, Folder: folder}
}

func apply(t *testing.T, list []agents.Change, err error) {
	t.Helper()
	for _, c := range list {
		if c.Changed() && err == nil {
			err = c.Apply()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tree reads a folder's files.
func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(folder, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(folder, name)
		out[rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What each file of each client may be before.
var before = map[string][]string{
	"json": {
		"", "{}", "{ }\n", "{\n}\n", "{\"mcpServers\": {}}", "{\"servers\":{\n}, \"mcpServers\":{\n  }}\n",
		"{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\", \"args\": []}\n  },\n  \"servers\": {\"a\": {}}\n}",
		"\ufeff{\r\n\t\"theme\": \"mcpServers {\",\r\n\t\"n\": [1, {\"mcpServers\": {}}]\r\n}\r\n",
	},
	"jsonc": {"// servers {\n{\n  /* \"mcpServers\": { */\n  \"a\": 1, // end\n}\n"},
	"text":  {"", "one", "one\n", "one\n\n", "# begin freshet is a title\n", "one\r\ntwo\r\n"},
}

func TestRemove_LeavesTheFileThatInstallFound(t *testing.T) {
	for _, name := range agents.Names() {
		clients, err := agents.Named([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		probe, err := agents.Install(setup("/nowhere"), clients)
		if err != nil || len(probe) != 2 {
			t.Fatalf("%s: %v, %v", name, probe, err)
		}
		for _, c := range probe {
			rel, _ := filepath.Rel("/nowhere", c.File)
			texts := before["text"]
			if strings.HasSuffix(rel, ".json") {
				texts = slices.Concat(before["json"][1:], before["jsonc"])
			}
			for _, text := range texts {
				folder := t.TempDir()
				file := filepath.Join(folder, rel)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				was := tree(t, folder)
				list, err := agents.Install(setup(folder), clients)
				apply(t, list, err)
				installed := tree(t, folder)
				if len(installed) != 2 || installed[rel] == text {
					t.Errorf("%s in %q: %q", rel, text, installed)
				}
				if strings.HasSuffix(rel, ".json") && json.Valid([]byte(text)) && !json.Valid([]byte(installed[rel])) {
					t.Errorf("%s in %q is no JSON: %s", rel, text, installed[rel])
				}
				// Once more, from elsewhere: one entry, not two.
				other := setup(folder)
				other.Command = "/usr/bin/freshet"
				list, err = agents.Install(other, clients)
				apply(t, list, err)
				if n := strings.Count(tree(t, folder)[rel], "/usr/bin/freshet"); strings.HasSuffix(rel, "json") && n != 1 || strings.Contains(tree(t, folder)[rel], "/opt/") {
					t.Errorf("%s in %q, twice: %q", rel, text, tree(t, folder)[rel])
				}
				list, err = agents.Remove(setup(folder), clients)
				apply(t, list, err)
				if now := tree(t, folder); len(now) != len(was) || now[rel] != text {
					t.Errorf("%s was %q and is %q", rel, text, now)
				}
				if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%s: %v, %v", rel, info.Mode(), err)
				}
			}
		}
	}
}

func TestRemove_TakesAwayAFileThatInstallMade(t *testing.T) {
	for _, user := range []bool{false, true} {
		folder := t.TempDir()
		s := setup(folder)
		s.User = user
		clients := slices.DeleteFunc(slices.Clone(agents.Clients), func(c agents.Client) bool { return user && c.Name == "vscode" })
		list, err := agents.Install(s, clients)
		apply(t, list, err)
		for name, text := range tree(t, folder) {
			if strings.HasSuffix(name, ".json") && (!json.Valid([]byte(text)) || !strings.Contains(text, `"freshet"`)) {
				t.Errorf("%s is %s", name, text)
			}
		}
		list, err = agents.Remove(s, clients)
		apply(t, list, err)
		left, err := os.ReadDir(folder)
		if err != nil || len(left) != 0 {
			t.Errorf("%v is left, %v", left, err)
		}
	}
}

// Nothing is written where something else would be lost.
func TestInstallOverWhatItDoesNotKnow_IsRefused(t *testing.T) {
	claude, err := agents.Named([]string{"claude"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		`{"mcpServers": {"freshet": {"command": "mine"}}}`, `{"mcpServers": []}`, `[]`, `{"a": `, `{"a": 1} x`, `{a: 1}`, "",
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, ".mcp.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		list, err := agents.Install(setup(folder), claude)
		if document.KindOf(err) != document.Conflict || len(list) != 0 {
			t.Errorf("%q: %v, %v", text, list, err)
		}
		list, err = agents.Remove(setup(folder), claude)
		for _, c := range list {
			if c.Changed() || err != nil {
				t.Errorf("%q: removing changes %+v, %v", text, c, err)
			}
		}
	}
	if _, err := agents.Named([]string{"emacs"}); document.KindOf(err) != document.NotFound {
		t.Error(err)
	}
}

// Several clients read the same instructions.
func TestRemoveOfOneClient_LeavesAnothersInstructions(t *testing.T) {
	folder := t.TempDir()
	all, err := agents.Named([]string{"codex", "cursor"})
	if err != nil {
		t.Fatal(err)
	}
	list, err := agents.Install(setup(folder), all)
	apply(t, list, err)
	list, err = agents.Remove(setup(folder), all[:1])
	apply(t, list, err)
	if left := tree(t, folder); len(left) != 2 || left["AGENTS.md"] == "" {
		t.Errorf("%q", left)
	}
	list, err = agents.Remove(setup(folder), all[1:])
	apply(t, list, err)
	if left := tree(t, folder); len(left) != 0 {
		t.Errorf("%q", left)
	}
}
