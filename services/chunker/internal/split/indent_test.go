package split

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestDefinitionsOfOtherLanguages_AreToldByTheirLines(t *testing.T) {
	for _, test := range []struct{ line, kind, name string }{
		{"def parse(text)", document.KindFunction, "parse"},
		{"def self.build", document.KindFunction, "build"},
		{"defp empty?(x), do: true", document.KindFunction, "empty?"},
		{"defmodule Foo.Bar do", document.KindModule, "Foo.Bar"},
		{"class Foo < Bar", document.KindClass, "Foo"},
		{"public sealed class Foo : IBar", document.KindClass, "Foo"},
		{"data class Point(val x: Int)", document.KindClass, "Point"},
		{"enum class Color {", document.KindClass, "Color"},
		{"data Tree a = Leaf | Node", document.KindType, "Tree"},
		{"parse :: String -> Int", document.KindFunction, "parse"},
		{"instance Show Foo where", document.KindType, "Show"},
		{"fun <T> List<T>.second(): T {", document.KindFunction, "List"},
		{"private func load(_ x: Int) -> Int {", document.KindFunction, "load"},
		{"extension String: Foo {", document.KindType, "String"},
		{"pub fn main() !void {", document.KindFunction, "main"},
		{"pub(crate) fn go() {", document.KindFunction, "go"},
		{"function M.open(path)", document.KindFunction, "M.open"},
		{"local function helper(a)", document.KindFunction, "helper"},
		{"deploy() {", document.KindFunction, "deploy"},
		{"function deploy {", document.KindFunction, "deploy"},
		{"public async Task<int> GetAsync(string id)", document.KindFunction, "GetAsync"},
		{"void Foo::bar(int x) {", document.KindFunction, "Foo.bar"},
		{"CREATE OR REPLACE FUNCTION app.add(a int)", document.KindFunction, "app.add"},
		{"create table if not exists users (", document.KindType, "users"},
		{"(defn parse [x]", document.KindFunction, "parse"},
		{"(define (square x)", document.KindFunction, "square"},
		{"message Person {", document.KindType, "Person"},
		{"rpc Get(Request) returns (Reply);", document.KindFunction, "Get"},
		{"export const add = (a, b) => a + b;", document.KindFunction, "add"},
		{"const limit = 10;", document.KindVariable, "limit"},
		{"square <- function(x) {", document.KindFunction, "square"},
		{"namespace App\\Models", document.KindModule, "App"},
		{"trait Loud {", document.KindType, "Loud"},
		{"sub run {", document.KindFunction, "run"},
		// None of these defines anything.
		{"return foo(bar)", "", ""}, {"foo(bar)", "", ""}, {"if (x) {", "", ""}, {"x = function_call(y)", "", ""},
		{"a.b.c(d)", "", ""}, {"}", "", ""}, {"else if (y) {", "", ""}, {"type", "", ""}, {"puts value(x)", "", ""},
	} {
		if kind, name := definition([]byte(test.line), true); kind != test.kind || name != test.name {
			t.Errorf("%q is %q %q, want %q %q", test.line, kind, name, test.kind, test.name)
		}
	}
}

func TestIndentedCode_IsCutAtDefinitions(t *testing.T) {
	content := `require "json"
require_relative "base"

# Parses.
# In two lines.
class Parser < Base
  def parse(text)
    JSON.parse(text)
  end
end

module Util
  X = 1
end

def main
  Parser.new.parse(ARGV[0])
end
`
	opt := Options{Target: 30, Max: 1000, Prose: 1000}
	spans := Split("ruby", []byte(content), opt)
	if err := Verify([]byte(content), spans, true); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range spans {
		got = append(got, fmt.Sprintf("%d-%d %s %s", s.StartLine, s.EndLine, s.Kind, s.Symbol))
	}
	want := []string{"1-2 header ", "4-10 class Parser", "12-14 module Util", "16-18 function main"}
	if !slices.Equal(got, want) {
		t.Errorf("outline is %q, want %q", got, want)
	}
}

func TestLargeClassWithoutParser_IsSplitAtItsMethods(t *testing.T) {
	var b strings.Builder
	b.WriteString("class Server : Base\n{\n")
	for i := range 5 {
		fmt.Fprintf(&b, "    // Method %d.\n    public void Method%d(int x)\n    {\n%s    }\n\n", i, i, strings.Repeat("        Call(x, \"something\");\n", 52))
	}
	b.WriteString("}\n")
	spans := Split("csharp", []byte(b.String()), defaults())
	if err := Verify([]byte(b.String()), spans, true); err != nil {
		t.Fatal(err)
	}
	methods := 0
	for _, s := range spans {
		if s.Kind == document.KindMethod && strings.HasPrefix(s.Symbol, "Server.Method") && s.Context == "class Server : Base" {
			methods++
		}
	}
	if methods != 5 {
		t.Errorf("%d methods of 5 were found: %+v", methods, spans)
	}
}

func TestKeysOfData_NameTheirBlocks(t *testing.T) {
	content := "name: x\n\nservices:\n  web:\n    image: y\n\nvolumes:\n  data: {}\n"
	spans := Split("yaml", []byte(content), Options{Target: 20, Max: 1000, Prose: 1000})
	var got []string
	for _, s := range spans {
		got = append(got, s.Symbol)
	}
	if want := []string{"name", "services", "volumes"}; !slices.Equal(got, want) {
		t.Errorf("keys are %q, want %q", got, want)
	}
}

func TestFallback_NotesItsReason(t *testing.T) {
	spans := Fallback("go", []byte("package a\n\nfunc F() {\n}\n"), Options{}, "parser died")
	if len(spans) != 2 || spans[1].Symbol != "F" || spans[0].Fallback != "parser died" || spans[1].Fallback != "parser died" {
		t.Errorf("spans are %+v", spans)
	}
}
