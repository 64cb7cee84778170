// Package named tells which document, folder and lines a person or program names by
// a path of this machine, or by SOURCE:PATH.
package named

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Within returns the source that an argument lies in, none where it may be any,
// and the path or glob in it.
func Within(known []contract.SourceInfo, arg string) (document.Source, string, error) {
	if _, _, ok := bySource(known, arg); !ok {
		if source, rel, ok := Holding(known, OnDisk(arg)); ok {
			return source.Source, rel, nil
		}
	}
	return WithinElsewhere(known, arg)
}

// WithinElsewhere is Within for an argument of somebody on another machine: nothing
// is relative to a folder of this one, and no link is followed.
func WithinElsewhere(known []contract.SourceInfo, arg string) (document.Source, string, error) {
	if source, path, ok := bySource(known, arg); ok {
		return source, path, nil
	}
	if filepath.IsAbs(arg) {
		if source, rel, ok := Holding(known, filepath.Clean(arg)); ok {
			return source.Source, rel, nil
		}
		return "", "", document.Errorf(document.NotFound, "%s lies in no source", arg).Do(document.DoSourceList, document.DoSourceAdd)
	}
	return "", filepath.ToSlash(arg), nil
}

// bySource takes SOURCE:PATH apart.
func bySource(known []contract.SourceInfo, arg string) (document.Source, string, bool) {
	name, path, ok := strings.Cut(arg, ":")
	ok = ok && slices.ContainsFunc(known, func(s contract.SourceInfo) bool { return string(s.Source) == name })
	return document.Source(name), path, ok
}

// Holding returns the innermost source in which a file lies, those that are
// watched first, and its path there ("." for the root).
func Holding(known []contract.SourceInfo, file string) (source contract.SourceInfo, rel string, ok bool) {
	better := func(s contract.SourceInfo) bool {
		return !ok || s.Watched && !source.Watched || s.Watched == source.Watched && len(s.Root) > len(source.Root)
	}
	for _, s := range known {
		if s.Kind == contract.SourceBare || s.Kind == contract.SourceAPI || !better(s) {
			continue
		}
		if below, err := filepath.Rel(s.Root, file); err == nil && filepath.IsLocal(below) {
			source, rel, ok = s, filepath.ToSlash(below), true
		}
	}
	return source, rel, ok
}

// OnDisk returns the absolute form of a path of which the end may be gone, or be a
// glob, without symbolic links as far as that can be seen.
func OnDisk(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	for above, rest := abs, ""; ; {
		if named := Resolve(above); named != "" {
			return filepath.Join(named, rest)
		}
		up := filepath.Dir(above)
		if up == above {
			return abs
		}
		above, rest = up, filepath.Join(filepath.Base(above), rest)
	}
}

// Resolve returns the absolute path without symbolic links, or "".
func Resolve(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	named, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return ""
	}
	return named
}

var lineSuffix = regexp.MustCompile(`^(.+?):([0-9]+)(?:-([0-9]*))?$`)

// Lines takes the lines off an argument. A file of that whole name goes first.
func Lines(arg string) (path string, from, to int, err error) {
	if lineSuffix.MatchString(arg) {
		if _, err := os.Lstat(arg); err == nil {
			return arg, 0, 0, nil
		}
	}
	return LinesElsewhere(arg)
}

// LinesElsewhere is Lines for an argument of somebody on another machine: no file is
// looked for.
func LinesElsewhere(arg string) (path string, from, to int, err error) {
	m := lineSuffix.FindStringSubmatch(arg)
	if m == nil {
		return arg, 0, 0, nil
	}
	for i, into := range []*int{&from, &to} {
		if m[i+2] == "" {
			continue
		}
		if *into, err = strconv.Atoi(m[i+2]); err != nil || *into < 1 {
			return "", 0, 0, document.Errorf(document.InvalidRequest, "the lines of %q: count from 1, as in PATH:40-80", arg)
		}
	}
	return m[1], from, to, nil
}

// Document returns the source and path that an argument names; no source where
// it may be any.
func Document(known []contract.SourceInfo, arg string) (document.Source, document.Path, error) {
	source, path, err := Within(known, arg)
	return source, document.TypedPath(path), err
}
