// Package makers says what makes the text of each format.
package makers

import (
	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/csv"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/html"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/jupyter"
)

// Of returns the maker of a format by its name, nil where there is none.
func Of(name string) extract.Maker {
	switch name {
	case "csv":
		return csv.Make
	case "html":
		return html.Make
	case "jupyter":
		return jupyter.Make
	}
	return nil
}
