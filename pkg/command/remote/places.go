package remote

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/named"
	"github.com/freshet-dev/freshet/pkg/render"
)

// PlacesOf tells where documents lie, as far as the watcher answers, and where the
// caller stands: without symbolic links, as the roots are. From a folder that was
// deleted under our feet paths are absolute.
func PlacesOf(ctx context.Context, nc *nats.Conn) render.Places {
	places := render.Places{Folder: "/", Sources: sourceRoots(ctx, nc).Sources}
	if folder := named.Resolve("."); folder != "" {
		places.Folder = folder
	}
	return places
}

// rootsTimeout keeps a busy watcher from holding up the answer.
const rootsTimeout = 500 * time.Millisecond

func sourceRoots(ctx context.Context, nc *nats.Conn) contract.SourceList {
	ctx, cancel := context.WithTimeout(ctx, rootsTimeout)
	defer cancel()
	list, err := client.Sources.Ask(ctx, nc, client.None)
	if err != nil {
		return contract.SourceList{}
	}
	return list
}
