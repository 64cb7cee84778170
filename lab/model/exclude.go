package model

import (
	_ "embed"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/lab/golden"
)

//go:embed exclude.txt
var excludeText string

// exclusion knows what no model may be trained on, since it is measured with.
type exclusion struct {
	repositories map[string]bool // "owner/name"
	names        map[string]bool // "name"
}

// newExclusion lists the repositories of the published benchmark, and those that
// the golden questions ask about.
func newExclusion() (exclusion, error) {
	x := exclusion{map[string]bool{}, map[string]bool{}}
	add := func(repository string) {
		x.repositories[repository] = true
		x.names[repository[strings.LastIndexByte(repository, '/')+1:]] = true
	}
	for line := range strings.Lines(excludeText) {
		if line = strings.ToLower(strings.TrimSpace(line)); line != "" && line[0] != '#' {
			add(line)
		}
	}
	modules, err := golden.Modules()
	if err != nil {
		return x, err
	}
	for _, m := range modules {
		if parts := strings.Split(strings.ToLower(m), "/"); len(parts) > 2 {
			add(parts[1] + "/" + parts[2])
		} else {
			add(strings.Join(parts, "/"))
		}
	}
	return x, nil
}

// has reports whether a folder is one of them by its name: that of a checkout
// (name, or owner/name), or that in a module cache (host/owner/name@version).
func (x exclusion) has(folder string) bool {
	parts := strings.Split(strings.ToLower(filepath.ToSlash(filepath.Clean(folder))), "/")
	for i, p := range parts {
		p, _, _ = strings.Cut(p, "@")
		parts[i] = p
		if i > 0 && x.repositories[parts[i-1]+"/"+p] {
			return true
		}
	}
	return x.names[parts[len(parts)-1]]
}
