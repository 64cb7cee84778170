package split

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// api tells the description of an API by its version, which stands anywhere in a file
// whose keys are sorted.
var api = regexp.MustCompile(`(?m)^\s{0,4}\{?\s*["']?(openapi|swagger)["']?\s*:\s*["']?[23]\.`)

// largestAPI is how large the description of an API is that is cut by operations: all of
// its parts are kept while it is.
const largestAPI = 8 << 20

func describesAPI(b []byte) bool {
	return len(b) <= largestAPI && bytes.Contains(b, []byte("paths")) && api.Match(b)
}

// openAPI marks what the members of an OpenAPI document define: operations by their ids,
// or by method and path, and schemas by their names.
func openAPI(nodes []node) {
	for i := range nodes {
		switch n := &nodes[i]; n.name {
		case "paths", "webhooks":
			n.open = len(n.inner) > 0
			for k := range n.inner {
				operations(&n.inner[k])
			}
		case "components":
			n.open = len(n.inner) > 0
			for k := range n.inner {
				if n.inner[k].name == "schemas" {
					schemas(&n.inner[k])
				}
			}
		case "definitions":
			schemas(n)
		}
	}
}

func operations(path *node) {
	path.open = len(path.inner) > 0
	for i := range path.inner {
		op := &path.inner[i]
		switch op.name {
		case "get", "put", "post", "delete", "options", "head", "patch", "trace":
			op.signature = strings.ToUpper(op.name) + " " + path.name
			op.kind, op.symbol = document.KindFunction, op.signature
			for k := range op.inner {
				if op.inner[k].name == "operationId" && op.inner[k].symbol != "" {
					op.symbol = op.inner[k].symbol
				}
			}
		}
	}
}

func schemas(n *node) {
	n.open = len(n.inner) > 0
	for i := range n.inner {
		n.inner[i].kind, n.inner[i].symbol = document.KindType, n.inner[i].name
	}
}
