package classify

import (
	"path"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
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

// buildTexts are build files that end like prose, and toolTexts extensions of
// what tools write as text.
var (
	buildTexts = map[string]bool{"cmakelists.txt": true, "robots.txt": true, "constraints.txt": true}
	toolTexts  = map[string]bool{".log": true, ".mod": true}
)

// Collection returns the collection that a path belongs to: docs for prose,
// code for everything else (programs, configuration, scripts, build files,
// data). Only the path counts, so that a document never moves for its content.
func Collection(p document.Path) document.Collection {
	base := strings.ToLower(p.Base())
	ext := path.Ext(base)
	switch {
	case buildTexts[base], toolTexts[ext], ext == ".txt" && strings.HasPrefix(base, "requirements"):
		return document.CollectionCode
	case language.Get(language.OfExtension(ext)).Prose:
		return document.CollectionDocs
	case ext == "" && proseNames[base]:
		return document.CollectionDocs
	case ext != "" && proseNames[strings.TrimSuffix(base, ext)] && !keepsMeaning(ext):
		return document.CollectionDocs // LICENSE-APACHE has none, README.fr has one
	case ext == "" && (strings.HasPrefix(base, "readme") || strings.HasPrefix(base, "license")):
		return document.CollectionDocs
	}
	return document.CollectionCode
}

// keepsMeaning reports whether an extension says what a file is whatever stands
// before it: history.go is a program, HISTORY.old is not.
func keepsMeaning(ext string) bool { return language.OfExtension(ext) != "" || otherwise[ext] }

// otherwise are extensions of files that are in no language.
var otherwise = map[string]bool{".lock": true, ".template": true, ".bat": true, ".cmd": true, ".sed": true, ".wat": true}
