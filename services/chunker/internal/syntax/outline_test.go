package syntax

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	sitter "github.com/smacker/go-tree-sitter"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/chunker/internal/split"
)

// tiny sizes let every definition of a short example be a chunk of its own.
var tiny = split.Options{Target: 12, Max: 1500, Prose: 1000, Overlap: 200}

func cut(t *testing.T, language, content string, opt split.Options) []document.Span {
	t.Helper()
	p := NewParser()
	t.Cleanup(p.Close)
	spans, err := p.Split(language, []byte(content), opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := split.Verify([]byte(content), spans, true); err != nil {
		t.Error(err)
	}
	return spans
}

// outline writes spans as "first-last kind symbol".
func outline(spans []document.Span) []string {
	var out []string
	for _, s := range spans {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d-%d %s %s", s.StartLine, s.EndLine, s.Kind, s.Symbol)))
	}
	return out
}

func TestOutlineOfEachLanguage_HasItsDefinitions(t *testing.T) {
	for _, test := range []struct {
		language, content string
		want              []string
	}{
		{"go", `// Package demo shows.
package demo

import (
	"fmt"
)

// A comment that stands alone.

// Server serves.
type Server[T any] struct {
	addr string
}

// Serve does it.
func (s *Server[T]) Serve() error { return fmt.Errorf("no") }

func main() { run() }

const (
	A = 1 + iota
	B
)

var ErrGone = fmt.Errorf("gone") // trailing
`, []string{"1-6 header", "8-13 type Server", "15-16 method Server.Serve", "18-18 function main", "20-23 variable A", "25-25 variable ErrGone"}},
		{"python", `#!/usr/bin/env python
"""Docstring."""
import os
from a import b

LIMIT = 10

@decorator
@other(1)
def top(x):
    """Doc."""
    return b(x)

# About it.
class Server(Base):
    def serve(self):
        raise ValueError("no")

    class Inner:
        pass

if __name__ == "__main__":
    top(1)
`, []string{"1-4 header", "6-6 variable LIMIT", "8-12 function top", "14-20 class Server", "22-23 block"}},
		{"javascript", `'use strict';
import a from './a';
const fs = require('fs');

/** Doc. */
export class Widget extends Base {
  render() { return draw(this); }
}

export default function main() { run(); }

export const handler = async (req) => process(req);

exports.helper = function () { return 1; };
Widget.prototype.late = () => {};
`, []string{"1-3 header", "5-8 class Widget", "10-10 function main", "12-12 function handler", "14-14 function helper", "15-15 function Widget.late"}},
		{"typescript", `import { A } from './a';

export interface Foo { bar(): void }
export type Alias = A | string;
enum Color { Red }

@Component({ selector: 'x' })
export class Widget implements Foo {
  @Input() bar(): void {}
}
export namespace N {
  export function inside(): void {}
}
abstract class Abs { abstract m(): void; }
`, []string{"1-1 header", "3-3 type Foo", "4-4 type Alias", "5-5 type Color", "7-10 class Widget", "11-11 module N", "12-13 function inside", "14-14 class Abs"}},
		{"tsx", `export function App() {
  return <div>{render()}</div>;
}
`, []string{"1-3 function App"}},
		{"java", `/* License */
package a.b;

import java.util.List;

/** Doc. */
@Service
public class Foo extends Bar {
  private int x = 1;
  public Foo(int x) { this.x = x; }
}

interface I { void m(); }
`, []string{"1-4 header", "6-11 class Foo", "13-13 type I"}},
		{"rust", `//! Crate.
use std::fmt;

/// A server.
#[derive(Debug)]
pub struct Server { addr: String }

impl<T> fmt::Display for Server {
    fn fmt(&self) -> fmt::Result { Ok(()) }
}

pub trait Handler { fn handle(&self); }

mod tests {
    #[test]
    fn it_works() {}
}
`, []string{"1-2 header", "4-6 type Server", "8-10 class Server", "12-12 type Handler", "14-14 module tests", "15-17 function it_works"}},
		{"c", `/* License */

#ifndef A_H
#define A_H
#include <stdio.h>

/* Adds. */
static int add(int a, int b) { return a + b; }
typedef struct { int q; } Pair;
struct point { int x; };
int proto(int);
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
`, []string{"1-5 header", "7-8 function add", "9-9 type Pair", "10-10 type point", "11-11 function proto", "12-13 variable MAX"}},
		{"cpp", `#pragma once
#include <vector>

namespace foo {
// Doc
template <typename T>
class Vec : public Base<T> {
 public:
  T& at(size_t i) { return data_[i]; }
};

int Vec::at(int i) const { return check(i); }
enum class E { A };
}  // namespace foo
`, []string{"1-2 header", "4-4 module foo", "5-10 class Vec", "12-12 method Vec.at", "13-14 type E"}},
		{"csharp", `// License
#nullable enable
using System;

namespace Demo.Json
{
#region Reading
    /// <summary>Reads.</summary>
    [Serializable]
    public class Reader<T> : Base, IDisposable where T : class
    {
#if NET6
        private readonly int _depth = 1, _most;
#else
        private int _old;
#endif
        public string Path { get; set; }
#pragma warning disable 618
        public Reader(int depth) { _depth = depth; }
        public bool Read() => Next(_depth);
    }
#endregion
    public enum Token { None, Start }
    public delegate void Handler(object sender);
    public interface ISource { bool Next(); }
    public record Point(int X, int Y);
}
`, []string{"1-3 header", "5-6 module Demo.Json", "7-21 class Reader", "22-22 block", "23-23 type Token", "24-24 type Handler", "25-25 type ISource", "26-27 class Point"}},
	} {
		t.Run(test.language, func(t *testing.T) {
			if got := outline(cut(t, test.language, test.content, tiny)); !slices.Equal(got, test.want) {
				t.Errorf("outline is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestSmallSiblings_AreMergedAndAllNamed(t *testing.T) {
	spans := cut(t, "go", "package p\n\nvar x = 1\n\nfunc A() { one() }\n\nfunc B() { two(); one() }\n\ntype T int\n", split.Options{})
	if got, want := outline(spans), []string{"1-1 header", "3-9 function A"}; !slices.Equal(got, want) {
		t.Fatalf("outline is %q, want %q", got, want)
	}
	if got, want := spans[1].Label, "function A, x, B, T | calls one, two"; got != want {
		t.Errorf("label is %q, want %q", got, want)
	}
	if got, want := spans[1].Defines(), "A\nx\nB\nT"; got != want {
		t.Errorf("it defines %q, want %q", got, want)
	}
	if spans[1].Signature != "func A()" {
		t.Errorf("signature is %q", spans[1].Signature)
	}
}

func TestLargeFunction_IsSplitAtStatementsWithItsSignature(t *testing.T) {
	var b strings.Builder
	b.WriteString("package p\n\n// F is long.\nfunc (s *S) F(a int,\n\tb string) error {\n")
	for i := range 120 {
		fmt.Fprintf(&b, "\tif a == %d {\n\t\tcall%d(b)\n\t}\n", i, i)
	}
	b.WriteString("\treturn nil\n}\n")
	spans := cut(t, "go", b.String(), split.Options{})[1:]
	if len(spans) < 3 {
		t.Fatalf("%d pieces", len(spans))
	}
	for i, s := range spans {
		text := b.String()[s.StartByte:s.EndByte]
		if s.Symbol != "S.F" || s.Kind != document.KindMethod {
			t.Errorf("piece %d is %s %s", i, s.Kind, s.Symbol)
		}
		if len(text) > 1700 {
			t.Errorf("piece %d has %d bytes", i, len(text))
		}
		if i == 0 {
			if s.Context != "" || !strings.HasPrefix(text, "// F is long.") {
				t.Errorf("the first piece has the context %q", s.Context)
			}
			continue
		}
		if s.Context != "func (s *S) F(a int, b string) error" {
			t.Errorf("piece %d has the context %q", i, s.Context)
		}
		if !strings.HasPrefix(text, "\tif a == ") && !strings.HasPrefix(text, "\treturn") {
			t.Errorf("piece %d begins within a statement: %.30q", i, text)
		}
	}
}

func TestLargeClass_IsSplitAtItsMethods(t *testing.T) {
	var b strings.Builder
	b.WriteString("class Server(Base):\n    \"\"\"Serves.\"\"\"\n\n")
	for i := range 6 {
		fmt.Fprintf(&b, "    @property\n    def method%d(self):\n        # %s\n        return %d\n\n", i, strings.Repeat("word ", 290), i)
	}
	spans := cut(t, "python", b.String(), split.Options{})
	if len(spans) != 7 {
		t.Fatalf("pieces are %q", outline(spans))
	}
	for i, s := range spans[1:] {
		if s.Symbol != fmt.Sprintf("Server.method%d", i) || s.Kind != document.KindMethod || s.Context != "class Server(Base)" {
			t.Errorf("piece %d is %s %s with the context %q", i, s.Kind, s.Symbol, s.Context)
		}
		if !strings.HasPrefix(b.String()[s.StartByte:], "    @property") {
			t.Errorf("piece %d does not begin with its decorator", i)
		}
	}
}

func TestLabel_NamesWhatIsRaised(t *testing.T) {
	spans := cut(t, "python", "def f(x):\n    check(x)\n    raise errors.NotFound(x)\n\ndef g():\n    raise ValueError('no')\n", split.Options{})
	if want := "function f, g | calls check | raises ValueError"; spans[0].Label != strings.Replace(want, "check", "check, NotFound", 1) && spans[0].Label != want {
		t.Errorf("label is %q", spans[0].Label)
	}
}

func TestUnknownLanguage_IsAnError(t *testing.T) {
	if _, err := NewParser().Split("cobol", nil, tiny); err == nil {
		t.Error("no error")
	}
}

func TestTableOfLanguages_NamesTheGrammarsThatThereAre(t *testing.T) {
	for _, name := range language.Names() {
		l, ok := grammars[name]
		if have := ok && l.grammar() != nil; have != language.Get(name).Grammar {
			t.Errorf("%s: grammar.go has a grammar: %v, pkg/language/table.go says %v", name, have, !have)
		}
	}
}

// Every node name in the tables has to be one of the grammar, or a rule does
// nothing.
func TestRoles_NameNodesOfTheirGrammar(t *testing.T) {
	// Nodes that only one of the grammars that share a table has.
	shared := map[string]bool{}
	known := map[string]map[string]bool{}
	for _, name := range withGrammar() {
		lang := grammars[name].grammar()
		known[name] = map[string]bool{}
		for i := range lang.SymbolCount() {
			known[name][lang.SymbolName(sitter.Symbol(i))] = true
		}
		for node := range grammars[name].roles() {
			if known[name][node] {
				shared[node] = true
			}
		}
	}
	for name := range known {
		for node := range grammars[name].roles() {
			if !shared[node] {
				t.Errorf("%s: no grammar has a node %q", name, node)
			}
		}
	}
}

func FuzzSplit(f *testing.F) {
	languages := []string{"go", "python", "javascript", "typescript", "tsx", "java", "rust", "c", "cpp", "csharp"} // the corpus names them by number
	for _, name := range withGrammar() {
		if !slices.Contains(languages, name) {
			languages = append(languages, name)
		}
	}
	f.Add(uint8(0), "package a\nfunc f() {\n")
	f.Add(uint8(1), "class A:\r\n\tdef f(self): pass\r\n")
	f.Add(uint8(2), "export {\n}}}\x00((\n\xff")
	f.Add(uint8(7), "#ifdef A\r#else\r#endif")
	f.Add(uint8(8), "\xef\xbb\xbftemplate<class T> struct A { int f(")
	p := NewParser()
	opt := split.Options{Target: 64, Max: 128, Prose: 64, Overlap: 10}
	f.Fuzz(func(t *testing.T, language uint8, content string) {
		spans, err := p.Split(languages[int(language)%len(languages)], []byte(content), opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := split.Verify([]byte(content), spans, true); err != nil {
			t.Error(err)
		}
		for _, s := range spans {
			if s.EndByte-s.StartByte > opt.Max {
				t.Errorf("a span has %d bytes", s.EndByte-s.StartByte)
			}
		}
	})
}
