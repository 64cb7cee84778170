package classify

import (
	"path"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// lockFiles pin versions of packages; they are written by tools, large, and
// hold no sentence that anyone asks for.
var lockFiles = map[string]bool{
	"package-lock.json": true, "npm-shrinkwrap.json": true, "yarn.lock": true,
	"pnpm-lock.yaml": true, "bun.lock": true, "bun.lockb": true, "deno.lock": true,
	"cargo.lock": true, "poetry.lock": true, "pipfile.lock": true, "uv.lock": true,
	"pdm.lock": true, "composer.lock": true, "gemfile.lock": true, "go.sum": true,
	"go.work.sum": true, "flake.lock": true, "mix.lock": true, "pubspec.lock": true,
	"podfile.lock": true, "package.resolved": true, "cartfile.resolved": true,
	"packages.lock.json": true, "gradle.lockfile": true, ".terraform.lock.hcl": true,
	"conan.lock": true, "stack.yaml.lock": true, "cabal.project.freeze": true,
}

// Name returns the reason why a document is left out for its name alone, or
// "".
func Name(p document.Path) Reason {
	base := strings.ToLower(p.Base())
	if lockFiles[base] {
		return LockFile
	}
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	switch ext {
	case ".map":
		if bundled(path.Ext(stem)) {
			return SourceMap
		}
	case ".js", ".mjs", ".cjs", ".css":
		if strings.HasSuffix(stem, ".min") || strings.HasSuffix(stem, "-min") || strings.HasSuffix(stem, ".bundle") {
			return Minified
		}
	}
	return ""
}

// bundled reports whether tools write minified files with this extension.
func bundled(ext string) bool {
	switch ext {
	case ".js", ".mjs", ".cjs", ".css", ".jsx", ".ts", ".tsx", ".mts":
		return true
	}
	return false
}

// proseExts are extensions of text that is written for people.
var proseExts = map[string]bool{
	".md": true, ".markdown": true, ".mdown": true, ".mkd": true, ".mdx": true, ".rmd": true, ".qmd": true,
	".rst": true, ".rest": true, ".txt": true, ".text": true, ".adoc": true, ".asciidoc": true, ".asc": true,
	".org": true, ".tex": true, ".textile": true, ".rdoc": true, ".pod": true, ".creole": true,
	".wiki": true, ".mediawiki": true, ".texi": true, ".texinfo": true, ".me": true,
}

// proseNames are files of a project that are written for people whatever
// their extension is.
var proseNames = map[string]bool{
	"readme": true, "license": true, "licence": true, "copying": true, "copyright": true,
	"notice": true, "authors": true, "contributors": true, "contributing": true,
	"maintainers": true, "changelog": true, "changes": true, "history": true,
	"news": true, "todo": true, "install": true, "patents": true, "credits": true,
	"thanks": true, "code_of_conduct": true, "security": true, "support": true,
	"unlicense": true, "faq": true, "roadmap": true, "releases": true, "acknowledgments": true,
}

// buildTexts are build files that end like prose.
var buildTexts = map[string]bool{"cmakelists.txt": true, "robots.txt": true, "constraints.txt": true}

// Collection returns the collection that a path belongs to: docs for prose,
// code for everything else (programs, configuration, scripts, build files,
// data). Only the path counts, so that a document never moves for its content.
func Collection(p document.Path) document.Collection {
	base := strings.ToLower(p.Base())
	ext := path.Ext(base)
	switch {
	case buildTexts[base], ext == ".txt" && strings.HasPrefix(base, "requirements"):
		return document.CollectionCode
	case proseExts[ext]:
		return document.CollectionDocs
	case ext == "" && proseNames[base]:
		return document.CollectionDocs
	case ext != "" && proseNames[strings.TrimSuffix(base, ext)] && !programExts[ext]:
		return document.CollectionDocs // LICENSE-APACHE has none, README.fr has one
	case ext == "" && (strings.HasPrefix(base, "readme") || strings.HasPrefix(base, "license")):
		return document.CollectionDocs
	}
	return document.CollectionCode
}

// programExts keep their meaning whatever stands before them: history.go is a
// program, HISTORY.old is not.
var programExts = extensions(`
	.go .py .pyi .rb .pl .pm .php .js .mjs .cjs .jsx .ts .tsx .mts .cts .vue .svelte
	.java .kt .kts .scala .groovy .clj .cljs .c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .cs .fs .vb
	.rs .swift .zig .nim .d .dart .ex .exs .erl .hrl .hs .lhs .ml .mli .lua .r .jl .f .f90 .s .asm
	.sh .bash .zsh .fish .ps1 .bat .cmd .sql .proto .thrift .graphql .html .htm .css .scss .sass .less
	.xml .xsl .json .jsonc .yaml .yml .toml .ini .cfg .conf .properties .tf .hcl .cmake .mk .bzl .gradle
	.nix .el .lisp .scm .vim .awk .sed .tcl .v .sv .vhd .sol .wat .csv .tsv .svg .ipynb .lock .template`)

func extensions(list string) map[string]bool {
	out := map[string]bool{}
	for _, e := range strings.Fields(list) {
		out[e] = true
	}
	return out
}
