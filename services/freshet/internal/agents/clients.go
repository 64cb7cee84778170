// Package agents writes the entry by which an agent finds freshet into the agent's
// own configuration, and takes exactly that out again.
package agents

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Client is an agent whose configuration is known.
type Client struct {
	Name string
	// project and user are the files of its servers, below the project's folder
	// and the home folder; "" where there is none that is the same everywhere.
	project, user string
	key           string // of the object that holds servers; "" for TOML
	shape         shape  // of an entry
	notes         string // the project's file of instructions that it reads
}

// shape is what an entry of a client looks like.
type shape int

const (
	plain shape = iota // command and arguments
	typed              // these, and the type stdio
	local              // the type local, and the command with its arguments in one list
)

// Clients are those whose makers document where they look.
var Clients = []Client{
	{Name: "claude", project: ".mcp.json", user: ".claude.json", key: "mcpServers", notes: "CLAUDE.md"},
	{Name: "codex", project: ".codex/config.toml", user: ".codex/config.toml", notes: "AGENTS.md"},
	{Name: "cursor", project: ".cursor/mcp.json", user: ".cursor/mcp.json", key: "mcpServers", notes: "AGENTS.md"},
	{Name: "vscode", project: ".vscode/mcp.json", key: "servers", shape: typed, notes: "AGENTS.md"},
	{Name: "opencode", project: "opencode.json", user: ".config/opencode/opencode.json", key: "mcp", shape: local, notes: "AGENTS.md"},
	{Name: "zed", project: ".zed/settings.json", user: ".config/zed/settings.json", key: "context_servers", notes: "AGENTS.md"},
	{Name: "gemini", project: ".gemini/settings.json", user: ".gemini/settings.json", key: "mcpServers", notes: "GEMINI.md"},
}

// Names lists the clients.
func Names() []string {
	var out []string
	for _, c := range Clients {
		out = append(out, c.Name)
	}
	return out
}

// Named returns the clients of these names. The error is NotFound.
func Named(names []string) ([]Client, error) {
	var out []Client
	for _, name := range names {
		i := slices.IndexFunc(Clients, func(c Client) bool { return c.Name == name })
		if i < 0 {
			return nil, document.Errorf(document.NotFound, "there is no client %q: choose from %s; others are set up by hand", name, strings.Join(Names(), ", "))
		}
		out = append(out, Clients[i])
	}
	return out, nil
}

// Setup is what is written, and where.
type Setup struct {
	Command string   // the program's absolute path
	Args    []string // its arguments
	Folder  string   // the project's, or the home folder
	User    bool     // Folder is the home folder
}

// note is the paragraph of a project's instructions.
const note = "Search this project with the MCP server freshet rather than with grep, find or by reading whole files: `search` for questions and names, " +
	"`grep` for every line of a pattern, `outline` and `read` for what a file defines and for some of its lines, `related` for what uses a passage, and its tests. Its answers are of the files as they are now."

// files are the files of a client with what stands in them for freshet.
func (s Setup) files(c Client) (map[string]entry, error) {
	file := c.project
	if s.User {
		file = c.user
	}
	if file == "" {
		return nil, document.Errorf(document.InvalidRequest, "where %s has its user's servers differs from machine to machine: set up the project, or put the server in there by hand", c.Name)
	}
	out := map[string]entry{}
	if c.key == "" {
		out[filepath.Join(s.Folder, file)] = marked{comment: "# %s", text: tomlOf(s)}
	} else {
		out[filepath.Join(s.Folder, file)] = member{key: c.key, value: jsonOf(s, c.shape)}
	}
	if !s.User {
		out[filepath.Join(s.Folder, c.notes)] = marked{comment: "<!-- %s -->", text: note + "\n"}
	}
	return out, nil
}
