// Package schemas holds the schemas of every message, and the descriptions of the
// interfaces that carry them.
package schemas

import "embed"

// Files are the schemas (*.json) and openapi.yaml.
//
//go:embed *.json openapi.yaml
var Files embed.FS
