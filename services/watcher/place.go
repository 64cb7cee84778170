package watcher

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
)

// placeOf returns what a request to add a source stands for.
func (m *mirrors) placeOf(ctx context.Context, add contract.SourceAdd) (origin.Place, error) {
	switch {
	case add.Remote != "" && (add.Root != "" || add.Kind != "" || add.Once):
		return origin.Place{}, document.Errorf(document.InvalidRequest, "a source with a remote has no other place and is followed: leave root, kind and once out")
	case add.Remote != "":
		return m.place(ctx, add)
	case add.Kind == contract.SourceAPI && (add.Root != "" || add.Branch != "" || add.Once || len(add.Exclude) > 0):
		return origin.Place{}, document.Errorf(document.InvalidRequest, "a source of kind api has a name alone: leave root, branch, once and exclude out")
	case add.Kind == contract.SourceAPI:
		return origin.Place{Kind: contract.SourceAPI}, nil
	case add.Kind != "":
		return origin.Place{}, document.Errorf(document.InvalidRequest, "the kind %q cannot be asked for: leave it out for a folder or repository, or give %q", add.Kind, contract.SourceAPI)
	case add.Root == "":
		return origin.Place{}, document.Errorf(document.InvalidRequest, "the request names no root: give the path of a folder or repository, or the remote of one")
	}
	return origin.Locate(add.Root)
}
