// Package issues makes task sets of issues of public projects and the files that
// were changed for them. Neither the issues nor the projects are part of this one.
package issues

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Set is what is asked of a tree.
type Set struct {
	Name  string // of the tree's folder
	Tasks []Task
}

// Task is an issue and the files that were changed for it, as `freshet eval` reads
// it.
type Task struct {
	ID       string   `json:"id"`
	Repo     string   `json:"repo"`
	Query    string   `json:"query"`
	Category string   `json:"category"`
	N        int      `json:"n"`
	Relevant []string `json:"relevant"`
	Complete bool     `json:"complete"`
}

// instance is a line of SWE-bench.
type instance struct {
	ID      string `json:"instance_id"` // owner__name-number
	Repo    string `json:"repo"`
	Problem string `json:"problem_statement"`
	Patch   string `json:"patch"`
}

var changed = regexp.MustCompile(`(?m)^diff --git a/(\S+) b/`)

// Read reads issues in the form of SWE-bench, an object a line, and returns those
// that can be asked of the trees in a folder: owner__name is the tree of a project,
// and owner__name@NUMBER that for its issues from that number on. An issue is left
// out whose files the tree lacks.
func Read(file, trees string) ([]Set, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, document.Errorf(document.NotFound, "cannot read the issues: %w", err)
	}
	folders, err := os.ReadDir(trees)
	if err != nil {
		return nil, document.Errorf(document.NotFound, "cannot read the folder of trees: %w", err)
	}
	byName := map[string]*Set{}
	n := 0
	for line := range bytes.Lines(raw) {
		n++
		var in instance
		if err := json.Unmarshal(line, &in); err != nil {
			return nil, document.Errorf(document.InvalidRequest, "%s, line %d is no issue: %w", file, n, err)
		}
		tree := treeOf(folders, in.ID)
		relevant := filesOf(in.Patch)
		if tree == "" || len(relevant) == 0 || slices.ContainsFunc(relevant, func(path string) bool { return !isFile(filepath.Join(trees, tree, path)) }) {
			continue
		}
		if byName[tree] == nil {
			byName[tree] = &Set{Name: tree}
		}
		byName[tree].Tasks = append(byName[tree].Tasks, Task{
			ID: in.ID, Repo: in.Repo, Query: in.Problem, Category: "issue", N: len(relevant), Relevant: relevant, Complete: true,
		})
	}
	var sets []Set
	for _, s := range byName {
		sets = append(sets, *s)
	}
	slices.SortFunc(sets, func(a, b Set) int { return cmp.Compare(a.Name, b.Name) })
	return sets, nil
}

// treeOf returns the folder of the tree that an issue is asked of, "" for none.
func treeOf(folders []os.DirEntry, id string) (tree string) {
	project, number, found := cutLast(id, "-")
	issue, err := strconv.Atoi(number)
	if !found || err != nil {
		return ""
	}
	newest := -1
	for _, f := range folders {
		name, since, _ := strings.Cut(f.Name(), "@")
		from, err := strconv.Atoi(cmp.Or(since, "0"))
		if f.IsDir() && err == nil && name == project && from <= issue && from > newest {
			tree, newest = f.Name(), from
		}
	}
	return tree
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func filesOf(patch string) (paths []string) {
	for _, m := range changed.FindAllStringSubmatch(patch, -1) {
		paths = append(paths, m[1])
	}
	return paths
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// Write writes the tasks of a set into a folder, as NAME.jsonl.
func (s *Set) Write(out string) (err error) {
	f, err := os.Create(filepath.Join(out, s.Name+".jsonl"))
	if err != nil {
		return fmt.Errorf("write the tasks of %s: %w", s.Name, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := json.NewEncoder(f)
	for _, t := range s.Tasks {
		if err := lines.Encode(t); err != nil {
			return fmt.Errorf("write the tasks of %s: %w", s.Name, err)
		}
	}
	return nil
}
