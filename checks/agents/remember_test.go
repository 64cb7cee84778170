package agents_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestNote_IsFoundByItsToken(t *testing.T) {
	m := newMachine(t)
	folder := m.project(t, true)
	file := filepath.Join(t.TempDir(), "freshet.yaml")
	if err := os.WriteFile(file, []byte("agents: {remember: memory}\nquery: {priorities: [{source: memory, path: core/, factor: 3}, {source: memory, path: conversation/, factor: 0.1}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := m.connect(t, folder, nil, "--config", file)
	if text := s.InitializeResult().Instructions; len(text) >= 2048 || !strings.Contains(text, "Notes that remember has kept") {
		t.Errorf("instructions of %d characters: %s", len(text), text)
	}
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 7 {
		t.Fatalf("%d tools, %v", len(tools.Tools), err)
	}
	for _, tool := range tools.Tools {
		if tool.Annotations.ReadOnlyHint == (tool.Name == "remember") {
			t.Errorf("%s only reads: %t", tool.Name, tool.Annotations.ReadOnlyHint)
		}
	}
	// The very same words, so that the kind alone decides.
	var paths []string
	for _, kind := range []string{"conversation", "core"} {
		text, out, failed := call(t, s, "remember", map[string]any{"text": "Bitterns boom in the reed bed at dusk (" + kind + ").", "title": "Where bitterns are", "kind": kind})
		path, _ := out["path"].(string)
		token, _ := out["token"].(string)
		if failed || !strings.HasPrefix(path, "memory:"+kind+"/where-bitterns-are-") || token == "" || !strings.Contains(text, "search with token "+token) {
			t.Fatalf("%s", text)
		}
		paths = append(paths, path)
		found, _, failed := call(t, s, "search", map[string]any{"query": "bitterns boom reed", "token": token, "limit": 5})
		if failed || !strings.Contains(found, path) || !strings.Contains(found, "| Bitterns boom in the reed bed at dusk") || strings.Contains(found, "still being indexed") {
			t.Errorf("it is not found: %s", found)
		}
	}
	found, _, _ := call(t, s, "search", map[string]any{"query": "where are bitterns", "snippet_lines": 0})
	if core, other := strings.Index(found, paths[1]), strings.Index(found, paths[0]); core < 0 || other < 0 || core > other {
		t.Errorf("the kinds weigh nothing: %s", found)
	}
	if found, _, _ = call(t, s, "search", map[string]any{"query": "where are bitterns", "path": "memory:conversation/"}); strings.Contains(found, paths[1]) || !strings.Contains(found, paths[0]) {
		t.Errorf("a kind does not filter: %s", found)
	}
	narrow := map[string]any{"kind": []any{"core"}}
	found, out, failed := call(t, s, "grep", map[string]any{"pattern": "boom", "source": "memory", "metadata": narrow})
	if failed || out["matched"] != 1.0 || !strings.Contains(found, paths[1]) {
		t.Errorf("grep by metadata: %s", found)
	}
	if _, out, failed = call(t, s, "read", map[string]any{"path": paths[1]}); failed || !reflect.DeepEqual(out["metadata"], narrow) {
		t.Errorf("what is read has the metadata %v", out["metadata"])
	}
	_, out, failed = call(t, s, "search", map[string]any{"query": "bitterns boom", "metadata": narrow})
	if hits, _ := out["hits"].([]any); failed || len(hits) == 0 || !reflect.DeepEqual(hits[0].(map[string]any)["metadata"], narrow) {
		t.Errorf("the hits are %v", out["hits"])
	}
	again, _, _ := call(t, s, "remember", map[string]any{"text": "Bitterns boom in the reed bed at dusk (core).", "title": "Where bitterns are", "kind": "core"})
	if !strings.Contains(again, "remembered already as "+paths[1]) {
		t.Errorf("the same note again: %s", again)
	}
	text, out, failed := call(t, s, "remember", map[string]any{"text": "They left.", "path": paths[1]})
	if failed || out["path"] != paths[1] {
		t.Errorf("written anew: %s", text)
	}
	if found, _, _ = call(t, s, "read", map[string]any{"path": paths[1]}); !strings.Contains(found, "They left.") || strings.Contains(found, "boom") {
		t.Errorf("the note is %s", found)
	}
	for says, args := range map[string]map[string]any{
		"say what to remember":     {"text": " \n"},
		"longer texts":             {"text": strings.Repeat("x", 16<<10+1)},
		"the kind is":              {"text": "x", "kind": "../core"},
		"is none of a note":        {"text": "x", "path": "memory:core/../../x.md"},
		"as remember gave it":      {"text": "x", "path": "other:core/x.md"},
		"of the kind conversation": {"text": "x", "path": paths[1], "kind": "conversation"},
	} {
		if text, _, failed := call(t, s, "remember", args); !failed || !strings.Contains(text, says) {
			t.Errorf("%v: %s", args, text)
		}
	}
	_, out, _ = call(t, s, "status", map[string]any{})
	if used, _ := out["usage"].([]any); len(used) != 1 || used[0].(map[string]any)["way"] != "agent" {
		t.Errorf("what was asked is %v", out["usage"])
	}
	if tools, err := m.connect(t, folder, nil).ListTools(t.Context(), nil); err != nil || len(tools.Tools) != 6 {
		t.Errorf("without agents.remember there are %d tools: %v", len(tools.Tools), err)
	}
}
