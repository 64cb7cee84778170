package exact

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// spot is a line within a definition that somebody's program stopped at.
type spot struct {
	tag
	End  int    `json:"end"`
	base string // the tree's name
	text string // of the line, without the white space around it
}

// frames makes questions of lines drawn from the definitions of a tree: what
// compilers and run times print of such a line, in the forms of the language, with
// paths as they are on another machine.
func frames(ctx context.Context, root string, seed uint64) ([]Question, error) {
	out, err := tags(ctx, root)
	if err != nil {
		return nil, err
	}
	return stopped(out, root, seed)
}

// stopped draws a line of each definition that ctags lists.
func stopped(out []byte, root string, seed uint64) ([]Question, error) {
	rng := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a draw that can be made again
	files := map[string][]string{}
	var all []Question
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		s := spot{base: path.Base(filepath.ToSlash(root))}
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("read what ctags says: %w", err)
		}
		s.Path = path.Clean(s.Path)
		forms := printed[s.Language]
		s.End = max(s.End, s.Line) // which ctags does not tell of every language
		if !callables[s.Kind] || len(forms) == 0 || strings.Contains("/"+s.Path, "/testdata/") {
			continue
		}
		text, ok := files[s.Path]
		if !ok {
			raw, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(s.Path)))
			if err != nil {
				return nil, err
			}
			if len(raw) <= largest {
				text = strings.Split(string(raw), "\n")
			}
			files[s.Path] = text
		}
		at := s.Line + rng.IntN(s.End-s.Line+1)
		if at > len(text) || strings.TrimSpace(text[at-1]) == "" {
			continue
		}
		s.Line, s.text = at, strings.TrimSpace(text[at-1])
		all = append(all, Question{Text: forms[rng.IntN(len(forms))](&s), Right: []Spot{{s.Path, at}}, Shown: s.text})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read what ctags says: %w", err)
	}
	slices.SortStableFunc(all, func(a, b Question) int { return strings.Compare(a.Right[0].Path, b.Right[0].Path) })
	return all, nil
}

// printed are the forms of each language's tools.
var printed = map[string][]func(*spot) string{
	"Go": {
		func(s *spot) string { return fmt.Sprintf("./%s:%d:9: undefined: limit", s.Path, s.Line) },
		func(s *spot) string {
			return fmt.Sprintf("# %s\n%s:%d:2: fmt.Sprintf format %%d has arg name of wrong type string", path.Dir(s.Path), s.Path, s.Line)
		},
		func(s *spot) string {
			return fmt.Sprintf("panic: runtime error: index out of range [5] with length 3\n\ngoroutine 18 [running]:\n%s.%s(0xc000012345, {0x1, 0x2})\n\t/build/%s/%s:%d +0x1d\nmain.main()\n\t/build/cmd/tool/main.go:12 +0x25\nexit status 2",
				path.Dir(s.Path), s.Name, s.base, s.Path, s.Line)
		},
		func(s *spot) string { return fmt.Sprintf("what fails at %s:%d?", s.Path, s.Line) },
	},
	"Python": {
		func(s *spot) string {
			return fmt.Sprintf("Traceback (most recent call last):\n  File \"/srv/run.py\", line 3, in <module>\n    main()\n  File \"/srv/%s/%s\", line %d, in %s\n    %s\nValueError: not enough values to unpack (expected 2, got 1)",
				s.base, s.Path, s.Line, s.Name, s.text)
		},
		func(s *spot) string { return fmt.Sprintf("File %q, line %d, in %s", s.Path, s.Line, s.Name) },
		func(s *spot) string { return fmt.Sprintf("%s:%d: AssertionError", s.Path, s.Line) },
	},
	"JavaScript": scripted, "TypeScript": append(scripted, func(s *spot) string {
		return fmt.Sprintf("%s(%d,5): error TS2322: Type 'string' is not assignable to type 'number'.", s.Path, s.Line)
	}),
	"Java": {func(s *spot) string {
		_, in, _ := strings.Cut(path.Dir(s.Path), "java/")
		return fmt.Sprintf("Exception in thread \"main\" java.lang.IllegalStateException: closed\n\tat %s.%s(%s:%d)\n\tat java.base/java.lang.Thread.run(Thread.java:833)",
			strings.ReplaceAll(strings.Trim(in+"/"+lastOf(s.Scope), "/"), "/", "."), s.Name, path.Base(s.Path), s.Line)
	}},
	"Rust": {
		func(s *spot) string {
			return fmt.Sprintf("error[E0382]: borrow of moved value: `name`\n  --> %s:%d:9\n   |\n%d | %s\n   | ^^^^", s.Path, s.Line, s.Line, s.text)
		},
		func(s *spot) string {
			return fmt.Sprintf("thread 'main' panicked at %s:%d:14:\ncalled `Option::unwrap()` on a `None` value", s.Path, s.Line)
		},
	},
	"C": compiled, "C++": compiled,
}

var scripted = []func(*spot) string{
	func(s *spot) string {
		return fmt.Sprintf("TypeError: Cannot read properties of undefined (reading 'length')\n    at %s (/srv/%s/%s:%d:9)\n    at node:internal/main/run_main_module:28:49", s.Name, s.base, s.Path, s.Line)
	},
	func(s *spot) string { return fmt.Sprintf("    at async file:///srv/%s:%d:9", s.Path, s.Line) },
}

var compiled = []func(*spot) string{
	func(s *spot) string {
		return fmt.Sprintf("%s:%d:9: error: 'limit' undeclared (first use in this function)", s.Path, s.Line)
	},
	func(s *spot) string {
		return fmt.Sprintf("#0  0x0000555555555131 in %s (n=3) at ../%s:%d\n#1  0x0000555555555168 in main () at main.c:7", s.Name, s.Path, s.Line)
	},
	func(s *spot) string {
		return fmt.Sprintf("==1==ERROR: AddressSanitizer: heap-buffer-overflow\n    #0 0x4f1b2c in %s /build/%s:%d:11\n    #1 0x4f1b9d in start /build/start.c:3:2", s.Name, s.Path, s.Line)
	},
}
