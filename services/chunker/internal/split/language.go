package split

import (
	"bytes"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Language names the language of a content by its file name, its extension or
// the first line ("#!…"). It is "text" where nothing is known.
func Language(path document.Path, content []byte) string {
	base := path.Base()
	if l, ok := names[base]; ok {
		return l
	}
	ext := strings.TrimPrefix(path.Ext(), ".")
	if ext == base || ext == "" {
		ext = ""
	}
	if l, ok := extensions[ext]; ok {
		if ext == "h" && looksLikeCPP(content) {
			return "cpp"
		}
		return l
	}
	for prefix, l := range prefixes {
		if strings.HasPrefix(base, prefix) {
			return l
		}
	}
	if l := shebang(content); l != "" {
		return l
	}
	return "text"
}

// looksLikeCPP tells a C++ header from a C header by words that only the
// former has at the beginning of a line.
func looksLikeCPP(content []byte) bool {
	head := content[:min(len(content), 16<<10)]
	for line := range bytes.Lines(head) {
		line = bytes.TrimLeft(line, " \t")
		for _, word := range cppWords {
			if bytes.HasPrefix(line, word) {
				return true
			}
		}
	}
	return false
}

var cppWords = [][]byte{
	[]byte("class "), []byte("namespace "), []byte("template<"), []byte("template <"),
	[]byte("using "), []byte("public:"), []byte("private:"), []byte("protected:"), []byte("#include <string>"), []byte("#include <vector>"),
}

// shebang reads the interpreter from "#!/usr/bin/env -S NAME" or "#!/bin/NAME".
func shebang(content []byte) string {
	content = bytes.TrimPrefix(content, byteOrderMark)
	if !bytes.HasPrefix(content, []byte("#!")) {
		return ""
	}
	line, _, _ := bytes.Cut(content[:min(len(content), 256)], []byte("\n"))
	for i, word := range strings.Fields(string(line[2:])) {
		name := word[strings.LastIndexByte(word, '/')+1:]
		if i > 0 && strings.HasPrefix(word, "-") || name == "env" || strings.Contains(word, "=") {
			continue
		}
		return interpreters[strings.TrimRight(name, "0123456789.")]
	}
	return ""
}

var interpreters = map[string]string{
	"sh": "bash", "bash": "bash", "dash": "bash", "zsh": "bash", "ksh": "bash", "python": "python", "pypy": "python",
	"node": "javascript", "nodejs": "javascript", "deno": "typescript", "bun": "typescript", "ruby": "ruby",
	"perl": "perl", "php": "php", "lua": "lua", "luajit": "lua", "Rscript": "r", "elixir": "elixir", "escript": "erlang",
	"awk": "awk", "gawk": "awk", "make": "make", "tclsh": "tcl", "fish": "fish", "swift": "swift", "scala": "scala",
	"groovy": "groovy", "julia": "julia", "runghc": "haskell", "runhaskell": "haskell", "pwsh": "powershell",
}

var names = map[string]string{
	"Makefile": "make", "makefile": "make", "GNUmakefile": "make", "CMakeLists.txt": "cmake", "Dockerfile": "dockerfile",
	"Containerfile": "dockerfile", "Rakefile": "ruby", "Gemfile": "ruby", "Podfile": "ruby", "Vagrantfile": "ruby",
	"Brewfile": "ruby", "Jenkinsfile": "groovy", "BUILD": "starlark", "BUILD.bazel": "starlark", "WORKSPACE": "starlark",
	"SConstruct": "python", "SConscript": "python", "go.mod": "gomod", "go.sum": "text", "go.work": "gomod",
	"Cargo.lock": "toml", "Pipfile": "toml", "poetry.lock": "toml", "meson.build": "meson", ".bashrc": "bash",
	".zshrc": "bash", ".profile": "bash", ".bash_profile": "bash", ".vimrc": "vim", ".gitconfig": "ini", ".editorconfig": "ini",
	"README": "markdown", "CHANGELOG": "markdown", "LICENSE": "text", "requirements.txt": "text",
}

var prefixes = map[string]string{"Dockerfile.": "dockerfile", "Makefile.": "make"}

var extensions = map[string]string{
	"go": "go", "py": "python", "pyi": "python", "pyw": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript",
	"jsx": "javascript", "ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx", "java": "java", "rs": "rust",
	"c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "c++": "cpp", "hh": "cpp", "hpp": "cpp", "hxx": "cpp",
	"h++": "cpp", "inl": "cpp", "ipp": "cpp", "tpp": "cpp", "cu": "cpp", "cuh": "cpp", "ino": "cpp",
	"rb": "ruby", "rake": "ruby", "gemspec": "ruby", "hs": "haskell", "lhs": "haskell", "swift": "swift", "kt": "kotlin",
	"kts": "kotlin", "cs": "csharp", "csx": "csharp", "php": "php", "phtml": "php", "scala": "scala", "sc": "scala", "sbt": "scala",
	"sh": "bash", "bash": "bash", "zsh": "bash", "ksh": "bash", "bats": "bash", "fish": "fish", "lua": "lua", "ex": "elixir",
	"exs": "elixir", "zig": "zig", "erl": "erlang", "hrl": "erlang", "clj": "clojure", "cljs": "clojure", "cljc": "clojure",
	"edn": "clojure", "el": "lisp", "lisp": "lisp", "lsp": "lisp", "scm": "scheme", "rkt": "scheme", "ml": "ocaml", "mli": "ocaml",
	"fs": "fsharp", "fsi": "fsharp", "fsx": "fsharp", "dart": "dart", "r": "r", "jl": "julia", "nim": "nim", "pl": "perl",
	"pm": "perl", "t": "perl", "m": "objc", "mm": "objc", "d": "d", "pas": "pascal", "vb": "vb", "groovy": "groovy",
	"gradle": "groovy", "ps1": "powershell", "psm1": "powershell", "tcl": "tcl", "v": "verilog", "sv": "verilog", "vhd": "vhdl",
	"asm": "asm", "s": "asm", "f90": "fortran", "f": "fortran", "f95": "fortran", "adb": "ada", "ads": "ada", "sol": "solidity",
	"proto": "protobuf", "graphql": "graphql", "gql": "graphql", "thrift": "thrift", "tf": "hcl", "hcl": "hcl", "tfvars": "hcl",
	"nix": "nix", "elm": "elm", "cr": "crystal", "vim": "vim", "awk": "awk", "cmake": "cmake", "mk": "make", "mak": "make",
	"bzl": "starlark", "bazel": "starlark", "star": "starlark", "gleam": "gleam", "odin": "odin", "wgsl": "wgsl", "glsl": "glsl",
	"vert": "glsl", "frag": "glsl", "hlsl": "hlsl", "metal": "cpp", "vue": "html", "svelte": "html", "astro": "html",
	"yaml": "yaml", "yml": "yaml", "json": "json", "jsonc": "json", "json5": "json", "jsonl": "json", "ndjson": "json",
	"toml": "toml", "ini": "ini", "cfg": "ini", "conf": "ini", "properties": "ini", "env": "ini", "xml": "xml", "xsd": "xml",
	"xsl": "xml", "svg": "xml", "plist": "xml", "csproj": "xml", "html": "html", "htm": "html", "xhtml": "html", "css": "css",
	"scss": "css", "sass": "css", "less": "css", "sql": "sql", "psql": "sql", "ddl": "sql", "mod": "text", "csv": "csv", "tsv": "csv",
	"md": "markdown", "markdown": "markdown", "mdx": "markdown", "mkd": "markdown", "mdown": "markdown", "qmd": "markdown",
	"rst": "rst", "adoc": "asciidoc", "asciidoc": "asciidoc", "org": "org", "tex": "tex", "txt": "text", "text": "text", "log": "text",
}

// prose are the languages that are written for people.
var prose = map[string]bool{"text": true, "rst": true, "asciidoc": true, "org": true, "tex": true}
