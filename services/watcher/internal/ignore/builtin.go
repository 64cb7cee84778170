package ignore

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fixedName reports names that no rule can let in: a version control system's
// own files are no documents.
func fixedName(base string) (rule string, ok bool) {
	switch base {
	case ".git", ".hg", ".svn", ".bzr", ".jj", ".freshet":
		return base, true
	}
	return "", false
}

// builtinDirs are directories that hold what tools have made or fetched.
var builtinDirs = map[string]bool{
	"CVS": true, "node_modules": true, "bower_components": true, "__pycache__": true,
	".venv": true, ".tox": true, ".nox": true, ".eggs": true,
	".mypy_cache": true, ".pytest_cache": true, ".ruff_cache": true,
	".ipynb_checkpoints": true, ".gradle": true, ".terraform": true,
	".next": true, ".nuxt": true, ".svelte-kit": true, ".parcel-cache": true,
	".turbo": true, ".cache": true, ".direnv": true, ".nyc_output": true,
	".dart_tool": true, ".stack-work": true, ".bundle": true, ".yarn": true,
	".Trash": true, ".Trashes": true, ".Spotlight-V100": true, ".fseventsd": true,
}

// builtinFiles are files that desktops and editors leave behind.
var builtinFiles = map[string]bool{
	".DS_Store": true, "Thumbs.db": true, "desktop.ini": true,
	"4913": true, // vim probes with it whether it may write
}

// editorSuffixes and editorPrefixes are the names that editors give to backups and swap files.
var editorSuffixes = []string{
	"~", ".swp", ".swo", ".swx", ".kate-swp", "___jb_tmp___", "___jb_old___",
	".crdownload", ".pyc", ".pyo",
}

var editorPrefixes = []string{".#", ".nfs0", ".goutputstream-", "._"}

// buildMarks are directories that count as build output only if a tool left
// its mark: in them, or beside them.
var buildMarks = map[string][]string{
	"target":  {"target/CACHEDIR.TAG", "target/.rustc_info.json", "pom.xml", "build.sbt"},
	"venv":    {"venv/pyvenv.cfg"},
	"env":     {"env/pyvenv.cfg"},
	"build":   {"build/CMakeCache.txt"},
	"_build":  {"_build/.lock"},
	"out":     {"out/build.ninja"},
	"classes": {"classes/META-INF/MANIFEST.MF"},
}

// cacheSignature opens a CACHEDIR.TAG (bford.info/cachedir).
const cacheSignature = "Signature: 8a477f597d28d172789f06886806bc55"

// builtin reports what is left out without being asked. The source of a path
// is read only to tell build output from a directory of the same name.
func (d *Dir) builtin(rel, base string, dir bool) (rule string, ok bool) {
	if !dir {
		if builtinFiles[base] {
			return base, true
		}
		for _, s := range editorSuffixes {
			if strings.HasSuffix(base, s) {
				return "*" + s, true
			}
		}
		for _, p := range editorPrefixes {
			if strings.HasPrefix(base, p) {
				return p + "*", true
			}
		}
		if len(base) > 2 && base[0] == '#' && base[len(base)-1] == '#' {
			return "#*#", true
		}
		return "", false
	}
	if builtinDirs[base] {
		return base + "/", true
	}
	above := strings.TrimSuffix(rel, base)
	for _, mark := range buildMarks[base] {
		if _, there := d.set.read(above + mark); there {
			return base + "/ (build output: " + mark + ")", true
		}
	}
	if tag, there := d.set.read(rel + "/CACHEDIR.TAG"); there && bytes.HasPrefix(tag, []byte(cacheSignature)) {
		return base + "/ (CACHEDIR.TAG)", true
	}
	return "", false
}

func itoa(n int) string { return strconv.Itoa(n) }

// Never reports whether no rule can let a name in.
func Never(base string) bool {
	_, fixed := fixedName(base)
	return fixed
}

// maxQuoted bounds the bytes of a rule that a reason shows: reasons stand in
// headers, and a line of an ignore file may be as long as the file.
const maxQuoted = 200

// Printable makes a rule with odd bytes readable on one line.
func Printable(rule string) string {
	if end := maxQuoted; len(rule) > end {
		for !utf8.RuneStart(rule[end]) && end > maxQuoted-utf8.UTFMax {
			end--
		}
		return Printable(rule[:end]) + "…"
	}
	for _, r := range rule {
		if r < 0x20 || r == 0x7f || r == '\ufffd' {
			return strconv.Quote(rule)
		}
	}
	return rule
}
