package watcher

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
)

// registration is what is kept of a source across runs.
type registration struct {
	Source document.Source `json:"source"`
	Root   string          `json:"root"`
	Kind   string          `json:"kind"`
	// Remote is the address that Root is the copy of; "" where it is no copy.
	Remote string `json:"remote,omitempty"`
	// Branch is the branch that was asked for; empty for the default one.
	Branch string `json:"branch,omitempty"`
	// Exclude are rules that leave paths out, as lines of a .gitignore at the root.
	Exclude []string `json:"exclude,omitempty"`
	// Accepted is how large the source was when it was accepted, if it was.
	Accepted extent `json:"accepted,omitzero"`
}

// registry holds the registered sources in a bucket of the log, by slug. It
// belongs to one Service, which guards it.
type registry struct {
	bus  *bus.Bus
	kv   jetstream.KeyValue
	list map[document.Source]registration
}

func openRegistry(ctx context.Context, b *bus.Bus, log *slog.Logger) (*registry, error) {
	kv, err := b.JetStream().KeyValue(ctx, contract.BucketSources)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", contract.BucketSources, err)
	}
	r := &registry{bus: b, kv: kv, list: map[document.Source]registration{}}
	keys, err := kv.Keys(ctx)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	for _, key := range keys {
		e, err := kv.Get(ctx, key)
		if err != nil {
			return nil, fmt.Errorf("read source %s: %w", key, err)
		}
		var reg registration
		if err := json.Unmarshal(e.Value(), &reg); err != nil || string(reg.Source) != key {
			// It costs that source alone, which is registered anew by its path.
			log.Warn("a registered source cannot be read and is left out: add it again", "source", key, "error", err, "actions", document.Acts(document.DoSourceAdd))
			continue
		}
		r.list[reg.Source] = reg
	}
	return r, nil
}

func (r *registry) put(ctx context.Context, reg registration) error {
	js, err := json.Marshal(reg)
	if err != nil {
		return fmt.Errorf("encode source %s: %w", reg.Source, err)
	}
	if _, err := r.kv.Put(ctx, string(reg.Source), js); err != nil {
		return fmt.Errorf("register source %s: %w", reg.Source, err)
	}
	r.list[reg.Source] = reg
	return nil
}

func (r *registry) drop(ctx context.Context, name document.Source) error {
	if err := r.bus.Bucket(contract.BucketSources).Forget(ctx, string(name)); err != nil {
		return fmt.Errorf("drop source %s: %w", name, err)
	}
	delete(r.list, name)
	return nil
}

func (r *registry) byRoot(root string) (registration, bool) {
	for _, reg := range r.list {
		if reg.Root == root {
			return reg, true
		}
	}
	return registration{}, false
}

// of returns the registration of a place: by its root, or by the address and branch
// that it is a copy of.
func (r *registry) of(p origin.Place, branch string) (registration, bool) {
	if p.Mirror == nil {
		return r.byRoot(p.Root)
	}
	for _, reg := range r.list {
		if reg.Remote == p.Mirror.URL && reg.Branch == branch {
			return reg, true
		}
	}
	return registration{}, false
}

// free returns a slug that nobody has: the wanted one, or it with a number.
func (r *registry) free(want document.Source) document.Source {
	name := want
	for n := 2; ; n++ {
		if _, taken := r.list[name]; !taken {
			return name
		}
		name = want + document.Source("-"+strconv.Itoa(n))
	}
}

// resolve returns the registration for a place, a new one if it has none. The
// error is Conflict when the slug or the root is taken otherwise.
func (r *registry) resolve(p origin.Place, want document.Source, branch string) (registration, error) {
	if p.Kind == contract.SourceAPI {
		return r.resolveAPI(want)
	}
	reg, known := r.of(p, branch)
	switch {
	case known && want != "" && want != reg.Source:
		return reg, document.Errorf(document.Conflict, "%s is the source %q already: remove that first to give it another name", reg.what(), reg.Source)
	case known && branch != "" && branch != reg.Branch:
		return reg, document.Errorf(document.Conflict, "%s is the source %q already, on another branch: remove that first", p.Root, reg.Source)
	case known:
		reg.Kind = p.Kind // it may have become a repository
		reg.Root = p.Root // the state folder may have moved, and a remote's copy with it
		return reg, nil
	case want == "":
		want = r.free(p.Slug())
	default:
		if _, err := document.ParseSource(string(want)); err != nil {
			return reg, err
		}
		if other, taken := r.list[want]; taken {
			return reg, document.Errorf(document.Conflict, "the name %q belongs to %s: choose another", want, other.what())
		}
	}
	if err := p.TakesBranch(branch); err != nil {
		return reg, err
	}
	return registration{Source: want, Root: p.Root, Remote: p.Remote(), Kind: p.Kind, Branch: branch}, nil
}

// resolveAPI returns the registration of an API source, a new one if it has
// none.
func (r *registry) resolveAPI(want document.Source) (registration, error) {
	if _, err := document.ParseSource(string(want)); err != nil {
		return registration{}, err
	}
	reg, known := r.list[want]
	if known && reg.Kind != contract.SourceAPI {
		return reg, document.Errorf(document.Conflict, "the name %q belongs to %s: choose another", want, reg.what())
	}
	return registration{Source: want, Kind: contract.SourceAPI}, nil
}

// what names the place that a source stands for.
func (reg registration) what() string {
	if reg.Kind == contract.SourceAPI {
		return "a source of kind api"
	}
	return cmp.Or(reg.Remote, reg.Root)
}

func (reg registration) info() contract.SourceInfo {
	return contract.SourceInfo{Source: reg.Source, Root: reg.Root, Remote: reg.Remote, Kind: reg.Kind, Branch: reg.Branch, View: document.Worktree, Exclude: reg.Exclude}
}
