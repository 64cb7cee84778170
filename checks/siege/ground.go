package siege

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ground is what a round is fought on: folders and settings.
type ground struct {
	roots    map[string]string // folders by name
	sources  []string          // names of those that are watched from the start
	data     string            // state folder
	settings string            // configuration file, without what a form of deployment adds
	env      []string          // settings of a search, where the seed draws them
	log      *os.File
}

// prepare makes the folders and draws the settings.
func (r *round) prepare(ctx context.Context) (ground, error) {
	g := ground{roots: map[string]string{}, data: filepath.Join(r.dir, "state"), settings: filepath.Join(r.dir, "freshet.yaml")}
	for _, name := range []string{"prey", "branches", "large", "visited"} {
		g.roots[name] = filepath.Join(r.dir, name)
		if err := os.MkdirAll(g.roots[name], 0o755); err != nil {
			return g, err
		}
		if name != "visited" {
			g.sources = append(g.sources, name)
		}
	}
	if out, err := exec.CommandContext(ctx, "git", "init", "--quiet", g.roots["branches"]).CombinedOutput(); err != nil {
		return g, fmt.Errorf("git init: %w: %s", err, out)
	}
	if err := os.WriteFile(g.settings, []byte(settings(stream(r.entry.Seed, forSettings))), 0o600); err != nil {
		return g, err
	}
	drawn, _ := stages(r.entry.Seed)
	g.env = drawn.Environment()
	var err error
	g.log, err = os.OpenFile(filepath.Join(r.dir, "log"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	return g, err
}
