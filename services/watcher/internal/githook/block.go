// Package githook puts a block into a repository's hooks that announces changes
// to freshet, and takes it out again. Hooks that are there keep running.
package githook

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"
)

const (
	// made and added tell what removal has to undo besides the block.
	begin = "# >>> freshet >>>"
	made  = " this file was made by `freshet git install-hook`"
	added = " a line feed was added above"
	end   = "# <<< freshet <<<\n"
)

// shebang opens a hook that is made anew.
const shebang = "#!/bin/sh\n"

// quote makes one word of s for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// call is the command line that a hook runs. The repository is where the hook
// runs, so that linked worktrees, a shared hooks directory and a repository
// that was moved are right, too. Standard input is left to the rest of the
// hook: post-receive reads it.
func call(name string, command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = quote(w)
	}
	return words[0] + " git announce --hook " + name + ` --repo "$(pwd)"` + strings.Join(append([]string{""}, words[1:]...), " ") + " </dev/null || :"
}

// block returns the lines that go into a hook. A binary that is gone must not
// make every commit print an error.
func block(name string, command []string, notes string) string {
	return begin + notes + "\n" +
		"if [ -x " + quote(command[0]) + " ]; then\n\t" + call(name, command) + "\nfi\n" + end
}

// insert puts the block behind the shebang line of a shell script. ok is false
// when the script is in another language.
func insert(script []byte, name string, command []string) (out []byte, ok bool) {
	rest, wasMade := remove(script)
	switch {
	case wasMade:
		return append([]byte(shebang+block(name, command, made)), rest...), true
	case !isShell(rest):
		return nil, false
	case !bytes.HasPrefix(rest, []byte("#!")):
		return append([]byte(block(name, command, "")), rest...), true
	}
	i := bytes.IndexByte(rest, '\n')
	if i < 0 {
		return append(append(bytes.Clone(rest), '\n'), block(name, command, added)...), true
	}
	return append(append(bytes.Clone(rest[:i+1]), block(name, command, "")...), rest[i+1:]...), true
}

// remove takes the block out. The result has the bytes from before; wasMade
// says that the file was made for the block, and the rest then comes without
// the shebang line: if it is empty, the file can go.
func remove(script []byte) (rest []byte, wasMade bool) {
	i := bytes.Index(script, []byte(begin))
	if i < 0 || i > 0 && script[i-1] != '\n' {
		return script, false
	}
	n := bytes.Index(script[i:], []byte(end))
	if n < 0 {
		return script, false // somebody edited the block; it is theirs now
	}
	head, tail := script[:i], script[i+n+len(end):]
	line, _, _ := bytes.Cut(script[i+len(begin):], []byte("\n"))
	switch string(line) {
	case made:
		if string(head) == shebang {
			return tail, true
		}
	case added:
		head = bytes.TrimSuffix(head, []byte("\n"))
	}
	return append(bytes.Clone(head), tail...), false
}

// isShell reports whether git runs the script by a POSIX shell: by its shebang
// line, or because it has none.
func isShell(script []byte) bool {
	if !utf8.Valid(script) || bytes.IndexByte(script, 0) >= 0 {
		return false
	}
	line, _, _ := bytes.Cut(script, []byte("\n"))
	interpreter, ok := strings.CutPrefix(string(line), "#!")
	if !ok {
		return true
	}
	for _, word := range strings.Fields(interpreter) {
		base := path.Base(word)
		if base == "env" || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		switch base {
		case "sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "busybox":
			return true
		}
		return false
	}
	return false
}
