package terminal

import (
	"net/url"
	"os"
	"strconv"
	"strings"
)

// Linked returns a Style with colours and links.
func Linked() Style { return Style{colour: true, links: true} }

// Link makes text lead to an address where the terminal knows how (OSC 8); an empty
// address leads nowhere.
func (s Style) Link(address, text string) string {
	if !s.links || address == "" || text == "" {
		return text
	}
	return "\x1b]8;;" + address + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}

// FileLink is the address of a line of a file, which is named absolutely.
func FileLink(file string, line int) string {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return (&url.URL{Scheme: "file", Host: host, Path: file, Fragment: strconv.Itoa(line)}).String()
}

// knowsLinks reports whether a terminal knows links. There is nothing to ask it; it
// is known by what it says of itself in the environment. FORCE_HYPERLINK decides
// where it is set: 0 for none.
func knowsLinks(env func(string) string) bool {
	if force := env("FORCE_HYPERLINK"); force != "" {
		return force != "0"
	}
	switch env("TERM_PROGRAM") {
	case "iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "zed":
		return true
	}
	if env("KITTY_WINDOW_ID") != "" || env("WT_SESSION") != "" || env("KONSOLE_VERSION") != "" {
		return true
	}
	for _, name := range []string{"kitty", "alacritty", "foot", "ghostty", "wezterm"} {
		if strings.Contains(env("TERM"), name) {
			return true
		}
	}
	// VTE, which GNOME's terminal and others are made of, since 0.50.
	version, err := strconv.Atoi(env("VTE_VERSION"))
	return err == nil && version >= 5000
}
