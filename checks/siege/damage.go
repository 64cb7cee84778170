package siege

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// flip turns one bit of a block of the log around, while nobody has it open.
func (r *assault) flip() error {
	var blocks []string
	err := filepath.WalkDir(logOf(r.ground.data), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && filepath.Ext(path) == ".blk" {
			blocks = append(blocks, path)
		}
		return err
	})
	if err != nil || len(blocks) == 0 {
		return err
	}
	slices.Sort(blocks)
	path := blocks[r.rng.IntN(len(blocks))]
	raw, err := os.ReadFile(path)
	if err != nil || len(raw) == 0 {
		return err
	}
	at := r.rng.IntN(8 * len(raw))
	raw[at/8] ^= 1 << (at % 8)
	r.count("bit flipped")
	return os.WriteFile(path, raw, 0o600)
}
