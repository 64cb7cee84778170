package exact

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// tag is one line of what universal-ctags writes.
type tag struct {
	Name      string `json:"name"`
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Kind      string `json:"kind"`
	Scope     string `json:"scope"`
	ScopeKind string `json:"scopeKind"`
	Language  string `json:"language"`
	Signature string `json:"signature"`
}

// callables are the kinds of tags, in any language, that are asked for.
var callables = map[string]bool{"func": true, "function": true, "method": true, "member": true, "singletonMethod": true}

// names lists the questions for exported functions and methods of a tree, in
// order, each once: pkg.Func and Type.Method in Go, module.function and
// Class.method elsewhere, the name alone in C. All definitions that a name fits
// are right. The error is a NotFound where universal-ctags is not installed.
func names(ctx context.Context, root string) ([]Question, error) {
	out, err := tags(ctx, root)
	if err != nil {
		return nil, err
	}
	return read(out)
}

// tags returns what universal-ctags writes of a tree, a tag a line.
func tags(ctx context.Context, root string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "ctags", "-R", "--languages=Go,Python,TypeScript,JavaScript,Java,Rust,C,C++,Ruby,PHP,Lua,Sh,Kotlin,Elixir",
		"--output-format=json", "--fields=+neKsZSl", "--sort=no", "-o", "-", ".")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, document.Errorf(document.NotFound, "universal-ctags cannot list the definitions of %s (%w: %s): install it (Debian: apt install universal-ctags; macOS: brew install universal-ctags)", root, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// read makes questions of what ctags writes, a tag a line.
func read(out []byte) ([]Question, error) {
	asked := map[string]*Question{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var t tag
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, fmt.Errorf("read what ctags says: %w", err)
		}
		t.Path = path.Clean(t.Path)
		if !t.callable() || t.Language == "Go" && t.Kind != "func" || !t.exported() {
			continue
		}
		text := t.asked()
		q := asked[text]
		if q == nil {
			q = &Question{Text: text, Symbol: t.Name}
			asked[text] = q
		}
		q.Right = append(q.Right, Spot{t.Path, t.Line})
		q.public = q.public || !aside(t.Path)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read what ctags says: %w", err)
	}
	var all []Question
	for _, q := range asked {
		if q.public {
			all = append(all, *q)
		}
	}
	slices.SortFunc(all, func(a, b Question) int { return strings.Compare(a.Text, b.Text) })
	return all, nil
}

// callable reports whether it is a function or a method. What is called a member in
// C and C++ is a field.
func (t *tag) callable() bool {
	return callables[t.Kind] && (t.Kind != "member" || t.Language != "C" && t.Language != "C++") && !strings.HasPrefix(t.Scope, "__anon")
}

// exported reports whether somebody outside of the file may call it.
func (t *tag) exported() bool {
	if t.Language == "Go" {
		owner := lastOf(t.Scope)
		return upper(t.Name) && (t.ScopeKind == "package" || upper(owner))
	}
	if keywords[t.Name] {
		return false
	}
	return !strings.HasPrefix(t.Name, "_") && !strings.HasPrefix(t.Name, "anonymous") && !strings.Contains(t.Scope, "anonymous")
}

// keywords are words of languages that universal-ctags takes for methods where it
// does not follow the syntax.
var keywords = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "return": true, "function": true}

// asked is how a person names it.
func (t *tag) asked() string {
	switch {
	case t.Language == "C" && t.Scope == "":
		return t.Name
	case t.Scope != "":
		return lastOf(t.Scope) + "." + t.Name
	}
	stem := strings.TrimSuffix(path.Base(t.Path), path.Ext(t.Path))
	if stem == "__init__" || stem == "index" || stem == "mod" {
		stem = path.Base(path.Dir(t.Path))
	}
	return stem + "." + t.Name
}

func lastOf(scope string) string { return scope[strings.LastIndexAny(scope, ".:\\")+1:] }

func upper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// aside reports whether a path is of tests, examples or what others wrote:
// nobody asks for what is defined there only.
func aside(p string) bool {
	base := path.Base(p)
	if strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "test_") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || strings.Contains(base, ".min.") {
		return true
	}
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch part {
		case "testdata", "vendor", "test", "tests", "__tests__", "examples", "node_modules", "third_party":
			return true
		}
	}
	return false
}
