package language

// row is a language as the table has it. Lists are words with spaces between
// them.
type row struct {
	name string // as passages carry it
	// family is the language that people mean by this one as well: who asks for
	// TypeScript wants TSX.
	family string
	// extensions are in lower case, without the dot. interpreters are those of a
	// "#!" line, without a version.
	extensions, files, prefixes, interpreters string
	// aliases are further names that people type.
	aliases string
	// words name the language in a question and mean little else there; beside
	// name it only where the words beside them say so.
	words, beside string
	comment       string // what begins a comment of one line; "" is "//"
	quoted        bool   // '…' is a string, not a character or a lifetime
	data          bool   // keys and values: neither imports nor definitions with keywords
	prose         bool   // written for people
	grammar       bool   // the chunker has a parser for it
	// version counts how often it began to be cut in another way than when the
	// chunker's signature was last changed. A higher one has the documents of this
	// language, and no others, cut again.
	version int
}

// table has each language once, in the order of the names.
var table = []row{
	{name: "ada", extensions: "adb ads", comment: "--"},
	{name: "asciidoc", extensions: "adoc asciidoc", prose: true, version: 1},
	{name: "asm", extensions: "asm s", aliases: "assembly"},
	{name: "awk", extensions: "awk", interpreters: "awk gawk"},
	{name: "bash", extensions: "sh bash zsh ksh bats", files: ".bashrc .zshrc .profile .bash_profile", interpreters: "sh bash dash zsh ksh", aliases: "shell", words: "bash", beside: "shell sh", comment: "#", quoted: true},
	{name: "c", extensions: "c h", beside: "c", grammar: true},
	{name: "clojure", extensions: "clj cljs cljc edn", words: "clojure"},
	{name: "cmake", extensions: "cmake", files: "CMakeLists.txt", comment: "#"},
	{name: "cpp", extensions: "cc cpp cxx c++ hh hpp hxx h++ inl ipp tpp cu cuh ino metal", aliases: "h", words: "c++ cpp", grammar: true},
	{name: "crystal", extensions: "cr"},
	{name: "csharp", extensions: "cs csx", aliases: "c#", words: "c# csharp", grammar: true},
	{name: "css", extensions: "css scss sass less", data: true},
	{name: "csv", extensions: "csv tsv tab", data: true},
	{name: "d", extensions: "d", beside: "d"},
	{name: "dart", extensions: "dart", words: "dart", quoted: true},
	{name: "dockerfile", files: "Dockerfile Containerfile", prefixes: "Dockerfile.", aliases: "docker", comment: "#"},
	{name: "docx", extensions: "docx docm dotx", aliases: "word", prose: true},
	{name: "elixir", extensions: "ex exs", interpreters: "elixir", words: "elixir", comment: "#", grammar: true, version: 1},
	{name: "elm", extensions: "elm", beside: "elm", comment: "--"},
	{name: "epub", extensions: "epub", prose: true},
	{name: "erlang", extensions: "erl hrl", interpreters: "escript", words: "erlang"},
	{name: "fish", extensions: "fish", interpreters: "fish"},
	{name: "fortran", extensions: "f90 f f95", words: "fortran"},
	{name: "fsharp", extensions: "fs fsi fsx", aliases: "f#", words: "f# fsharp"},
	{name: "gleam", extensions: "gleam"},
	{name: "glsl", extensions: "glsl vert frag"},
	{name: "go", extensions: "go", aliases: "golang", words: "golang", beside: "go", grammar: true},
	{name: "gomod", files: "go.mod go.work", data: true},
	{name: "graphql", extensions: "graphql gql", version: 1},
	{name: "groovy", extensions: "groovy gradle", files: "Jenkinsfile", interpreters: "groovy"},
	{name: "gzip", extensions: "gz", aliases: "packed", prose: true},
	{name: "haskell", extensions: "hs lhs", interpreters: "runghc runhaskell", words: "haskell", comment: "--"},
	{name: "hcl", extensions: "tf hcl tfvars", aliases: "terraform", comment: "#", data: true, grammar: true, version: 1},
	{name: "hlsl", extensions: "hlsl"},
	{name: "html", extensions: "vue svelte astro html htm xhtml", data: true},
	{name: "ini", extensions: "ini cfg conf properties env", files: ".gitconfig .editorconfig", data: true},
	{name: "java", extensions: "java", words: "java", grammar: true},
	{name: "javascript", extensions: "js mjs cjs jsx", interpreters: "node nodejs", aliases: "node", words: "javascript", beside: "js", quoted: true, grammar: true},
	{name: "json", extensions: "json jsonc json5 jsonl ndjson", data: true, version: 1},
	{name: "jupyter", extensions: "ipynb", aliases: "notebook"},
	{name: "julia", extensions: "jl", interpreters: "julia", words: "julia", comment: "#"},
	{name: "kotlin", extensions: "kt kts", words: "kotlin", grammar: true, version: 1},
	{name: "lisp", extensions: "el lisp lsp", aliases: "elisp"},
	{name: "log", extensions: "log", aliases: "logs", prose: true, version: 1},
	{name: "lua", extensions: "lua", interpreters: "lua luajit", words: "lua", comment: "--", quoted: true, grammar: true, version: 1},
	{name: "mail", extensions: "eml mbox", aliases: "email", prose: true},
	{name: "make", extensions: "mk mak", files: "Makefile makefile GNUmakefile", prefixes: "Makefile.", interpreters: "make", aliases: "makefile", comment: "#"},
	{name: "markdown", extensions: "md markdown mdx mkd mdown qmd", files: "README CHANGELOG", prose: true},
	{name: "meson", files: "meson.build"},
	{name: "nim", extensions: "nim", beside: "nim", comment: "#"},
	{name: "nix", extensions: "nix"},
	{name: "objc", extensions: "m mm", aliases: "objective-c objectivec"},
	{name: "ocaml", extensions: "ml mli", words: "ocaml"},
	{name: "odin", extensions: "odin"},
	{name: "odt", extensions: "odt ott", prose: true},
	{name: "org", extensions: "org", prose: true, version: 1},
	{name: "pascal", extensions: "pas"},
	{name: "pdf", extensions: "pdf", prose: true},
	{name: "perl", extensions: "pl pm t", interpreters: "perl", words: "perl", comment: "#", quoted: true},
	{name: "php", extensions: "php phtml", interpreters: "php", words: "php", quoted: true, grammar: true, version: 1},
	{name: "powershell", extensions: "ps1 psm1", interpreters: "pwsh", aliases: "posh", words: "powershell"},
	{name: "pptx", extensions: "pptx pptm ppsx", aliases: "powerpoint", prose: true},
	{name: "protobuf", extensions: "proto", grammar: true, version: 1},
	{name: "python", extensions: "py pyi pyw", files: "SConstruct SConscript", interpreters: "python pypy", words: "python", beside: "py", comment: "#", quoted: true, grammar: true},
	{name: "r", extensions: "r", interpreters: "Rscript", beside: "r", comment: "#", quoted: true},
	{name: "roff", extensions: "1 2 3 4 5 6 7 8 man mdoc", aliases: "troff manpage", prose: true, version: 1},
	{name: "rst", extensions: "rst", aliases: "restructuredtext", prose: true, version: 1},
	{name: "ruby", extensions: "rb rake gemspec", files: "Rakefile Gemfile Podfile Vagrantfile Brewfile", interpreters: "ruby", words: "ruby", beside: "rb", comment: "#", quoted: true, grammar: true, version: 1},
	{name: "rust", extensions: "rs", words: "rust", grammar: true},
	{name: "scala", extensions: "scala sc sbt", interpreters: "scala", words: "scala", grammar: true, version: 1},
	{name: "scheme", extensions: "scm rkt"},
	{name: "solidity", extensions: "sol"},
	{name: "sql", extensions: "sql psql ddl", comment: "--", quoted: true, version: 1},
	{name: "starlark", extensions: "bzl bazel star", files: "BUILD BUILD.bazel WORKSPACE"},
	{name: "swift", extensions: "swift", interpreters: "swift", words: "swift", grammar: true, version: 1},
	{name: "tcl", extensions: "tcl", interpreters: "tclsh"},
	{name: "tex", extensions: "tex", aliases: "latex", prose: true},
	{name: "text", extensions: "mod txt text rest asc textile rdoc pod creole wiki mediawiki texi texinfo me rmd", files: "go.sum LICENSE requirements.txt", aliases: "plain", data: true, prose: true},
	{name: "thrift", extensions: "thrift"},
	{name: "toml", extensions: "toml", files: "Cargo.lock Pipfile poetry.lock", comment: "#", data: true, version: 1},
	{name: "tsx", extensions: "tsx", family: "typescript", quoted: true, grammar: true},
	{name: "typescript", extensions: "ts mts cts", interpreters: "deno bun", words: "typescript", beside: "ts", quoted: true, grammar: true},
	{name: "vb", extensions: "vb", aliases: "visualbasic vbnet"},
	{name: "verilog", extensions: "v sv"},
	{name: "vhdl", extensions: "vhd"},
	{name: "vim", extensions: "vim", files: ".vimrc", aliases: "viml vimscript"},
	{name: "wgsl", extensions: "wgsl"},
	{name: "xlsx", extensions: "xlsx xlsm", aliases: "excel", prose: true},
	{name: "xml", extensions: "xml xsd xsl svg plist csproj", data: true, version: 1},
	{name: "yaml", extensions: "yaml yml", comment: "#", data: true, version: 1},
	{name: "zig", extensions: "zig", words: "zig"},
}
