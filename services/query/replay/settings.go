package replay

import (
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// Priorities are those of a configuration, ready to be asked. They are safe for
// concurrent use.
type Priorities = rank.Priorities

// NewPriorities prepares query.priorities. An error is an InvalidRequest.
func NewPriorities(list []config.Priority) (Priorities, error) { return rank.NewPriorities(list) }

// PerFile bounds the hits of one file among ten; see query.per_file and
// query.per_file_docs.
type PerFile = resolve.PerFile
