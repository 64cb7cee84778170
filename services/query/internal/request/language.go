package request

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/store"
)

// extensions name the language of a document that is not chunked yet. Only the
// chunker knows for sure; this is enough to apply a filter meanwhile.
var extensions = map[string]string{
	".go": "go", ".py": "python", ".pyi": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript",
	".jsx": "javascript", ".ts": "typescript", ".mts": "typescript", ".tsx": "tsx", ".java": "java", ".rs": "rust",
	".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp", ".cs": "csharp",
	".rb": "ruby", ".php": "php", ".kt": "kotlin", ".swift": "swift", ".scala": "scala", ".lua": "lua", ".zig": "zig",
	".hs": "haskell", ".ex": "elixir", ".exs": "elixir", ".sh": "shell", ".bash": "bash", ".sql": "sql",
	".md": "markdown", ".markdown": "markdown", ".rst": "rst", ".yaml": "yaml", ".yml": "yaml", ".json": "json",
	".toml": "toml", ".html": "html", ".css": "css", ".xml": "xml", ".proto": "proto",
}

// Keep reports whether a passage passes the filter, for channels that are not
// filtered by a store. A passage without a language is judged by its path.
func (r *Request) Keep(a *store.Attrs) bool {
	language := a.Language
	if language == "" {
		language = extensions[a.Path.Ext()]
	}
	return (len(r.Languages) == 0 || slices.Contains(r.Languages, language)) &&
		(len(r.Kinds) == 0 || slices.Contains(r.Kinds, a.Kind)) && r.Paths.Match(a.Path)
}
