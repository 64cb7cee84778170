package freshet

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
	"github.com/freshet-dev/freshet/pkg/store/postings"
	"github.com/freshet-dev/freshet/services/freshet/internal/state"
)

// stores are the embedded stores of every generation.
type stores struct {
	lexical map[document.Generation]store.Lexical
	vector  map[document.Generation]store.Vector
}

// openStores opens or creates the stores of the generations. The caller closes
// them, also after an error.
//
// The tokens of a lexical store depend on the analyzer, so its folder carries
// the analyzer's signature: another analyzer finds an empty store, which is
// filled from the log. Folders of stores that nothing refers to any more are
// removed; a store is disposable.
func openStores(folder *state.Folder, generations []document.Generation, analyzer string, dims int, snapshot time.Duration) (*stores, error) {
	s := &stores{lexical: map[document.Generation]store.Lexical{}, vector: map[document.Generation]store.Vector{}}
	sum := sha256.Sum256([]byte(analyzer))
	lexicalName := string(document.Lexical) + "-" + hex.EncodeToString(sum[:4])
	inUse := map[string]bool{}
	for _, g := range generations {
		dir := folder.Stores(g)
		lexicalDir, vectorDir := filepath.Join(dir, lexicalName), filepath.Join(dir, string(document.Vector))
		inUse[dir], inUse[lexicalDir], inUse[vectorDir] = true, true, true
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return s, document.Errorf(document.Unavailable, "cannot create the folder %s for the stores: %w", dir, err)
		}
		lexical, err := postings.Open(lexicalDir, postings.Options{SnapshotEvery: snapshot})
		if err != nil {
			return s, fmt.Errorf("open the lexical store of %s: %w", g, err)
		}
		s.lexical[g] = lexical
		vector, err := flat.Open(vectorDir, dims, flat.Options{SnapshotEvery: snapshot})
		if err != nil {
			return s, fmt.Errorf("open the vector store of %s: %w", g, err)
		}
		s.vector[g] = vector
	}
	return s, removeUnused(folder.Stores(""), inUse)
}

// removeUnused removes folders of generations, and of stores within one, that
// are not in use.
func removeUnused(root string, inUse map[string]bool) error {
	for _, pattern := range []string{"*", "*/*"} {
		dirs, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return fmt.Errorf("look for unused stores: %w", err)
		}
		for _, dir := range dirs {
			if inUse[dir] {
				continue
			}
			if err := os.RemoveAll(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove the unused store %s: %w", dir, err)
			}
		}
	}
	return nil
}

// close persists and closes all stores.
func (s *stores) close() error {
	var errs []error
	for g, st := range s.lexical {
		if err := st.Close(); err != nil {
			errs = append(errs, fmt.Errorf("close the lexical store of %s: %w", g, err))
		}
	}
	for g, st := range s.vector {
		if err := st.Close(); err != nil {
			errs = append(errs, fmt.Errorf("close the vector store of %s: %w", g, err))
		}
	}
	return errors.Join(errs...)
}
