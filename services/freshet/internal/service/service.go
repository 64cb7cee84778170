// Package service describes freshet to what starts programs when a user logs in:
// systemd on Linux, launchd on macOS. It writes one file, and takes that out again.
package service

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Name is what the service is called.
const Name = "freshet"

// label is its name for launchd.
const label = "dev.freshet.freshet"

// mark is in each file that is made here; one without it is somebody else's.
const mark = "Made by freshet, which takes it out again as it is."

// Service is a freshet that is to run while the user is logged in.
type Service struct {
	Command []string // absolute path of the program, and its arguments
	Log     string   // file that launchd writes to; systemd has a journal
	Home    string   // of the user
	UID     int
}

// File is the file of a system, by its name for Go, below the home folder, and what
// is to stand in it. The error is InvalidRequest where a system has none.
func (s Service) File(system string) (path, text string, err error) {
	switch system {
	case "linux":
		return filepath.Join(s.Home, ".config", "systemd", "user", Name+".service"), s.unit(), nil
	case "darwin":
		return filepath.Join(s.Home, "Library", "LaunchAgents", label+".plist"), s.plist(), nil
	}
	return "", "", document.Errorf(document.InvalidRequest, "there are services of users on Linux and macOS only, not on %s", system)
}

// Begin are the commands that start what the file describes.
func (s Service) Begin(system string) [][]string {
	if system == "darwin" {
		return [][]string{{"launchctl", "bootstrap", fmt.Sprintf("gui/%d", s.UID), filepath.Join(s.Home, "Library", "LaunchAgents", label+".plist")}}
	}
	return [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", "--now", Name + ".service"}}
}

// End are the commands that end it before the file is taken out, and those behind.
func (s Service) End(system string) (before, after [][]string) {
	if system == "darwin" {
		return [][]string{{"launchctl", "bootout", fmt.Sprintf("gui/%d/%s", s.UID, label)}}, nil
	}
	return [][]string{{"systemctl", "--user", "disable", "--now", Name + ".service"}}, [][]string{{"systemctl", "--user", "daemon-reload"}}
}

// State is the command that tells whether it runs.
func (s Service) State(system string) []string {
	if system == "darwin" {
		return []string{"launchctl", "print", fmt.Sprintf("gui/%d/%s", s.UID, label)}
	}
	return []string{"systemctl", "--user", "is-active", Name + ".service"}
}

func (s Service) unit() string {
	words := make([]string, len(s.Command))
	for i, w := range s.Command {
		words[i] = unitWord(w)
	}
	return "# " + mark + "\n[Unit]\nDescription=freshet: search code and documents that change all the time\n\n" +
		"[Service]\nType=exec\nExecStart=" + strings.Join(words, " ") + "\nRestart=on-failure\nRestartSec=5\n\n" +
		"[Install]\nWantedBy=default.target\n"
}

// unitWord writes an argument so that systemd takes it as it is (systemd.service(5),
// "Command lines").
func unitWord(w string) string {
	w = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$", "\n", `\n`, "\t", `\t`).Replace(w)
	return `"` + w + `"`
}

func (s Service) plist() string {
	var b strings.Builder
	text := func(v string) string {
		var e bytes.Buffer
		_ = xml.EscapeText(&e, []byte(v)) // a buffer takes everything
		return "<string>" + e.String() + "</string>"
	}
	b.WriteString(xml.Header + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` + "\n")
	b.WriteString("<!-- " + mark + " -->\n<plist version=\"1.0\">\n<dict>\n\t<key>Label</key>\n\t" + text(label) + "\n\t<key>ProgramArguments</key>\n\t<array>\n")
	for _, w := range s.Command {
		b.WriteString("\t\t" + text(w) + "\n")
	}
	b.WriteString("\t</array>\n\t<key>RunAtLoad</key>\n\t<true/>\n\t<key>KeepAlive</key>\n\t<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>\n")
	b.WriteString("\t<key>StandardErrorPath</key>\n\t" + text(s.Log) + "\n</dict>\n</plist>\n")
	return b.String()
}

// Ours reads a file. there says that it is, and the error is Conflict where somebody
// else has made it.
func Ours(path string) (text string, there bool, err error) {
	raw, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		return "", true, document.Errorf(document.Unavailable, "%s cannot be read: %w", path, err)
	case !strings.Contains(string(raw), mark):
		return string(raw), true, document.Errorf(document.Conflict, "%s was not made by freshet, and is left as it is: move it away", path)
	}
	return string(raw), true, nil
}

// Write makes the file, and the folders above it.
func Write(path, text string) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		return document.Errorf(document.Unavailable, "%s cannot be written: %w", path, err)
	}
	return nil
}

// Remove takes the file out.
func Remove(path string) error {
	if err := os.Remove(path); err != nil {
		return document.Errorf(document.Unavailable, "%s cannot be removed: %w", path, err)
	}
	return nil
}
