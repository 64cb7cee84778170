package pdf

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// memoryPages is the most memory that the module may have for a document, in pages of
// 64 KiB: 256 MiB, so that the largest document fits, and the child that it is in stays
// below its own limit.
const memoryPages = 4096

// Module is PDFium as WebAssembly, started when the first document asks for it. The zero
// value is ready; it is safe for concurrent use.
type Module struct {
	mu   sync.Mutex
	pool pdfium.Pool
}

// instance returns an instance of the module that no document has seen before; its Close
// frees all that it has.
func (m *Module) instance() (pdfium.Pdfium, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ctx := context.Background()
	if m.pool == nil {
		pool, err := webassembly.Init(webassembly.Config{
			Context: ctx, MaxTotal: 1, Stdout: io.Discard, Stderr: io.Discard,
			FSConfig:      wazero.NewFSConfig(), // it sees no file
			RuntimeConfig: runtime(),
		})
		if err != nil {
			return nil, fmt.Errorf("start PDFium: %w", err)
		}
		m.pool = pool
	}
	return m.pool.GetInstanceWithContext(ctx)
}

// Close ends the module. No document may be at hand.
func (m *Module) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pool == nil {
		return nil
	}
	err := m.pool.Close()
	m.pool = nil
	return err
}

// runtime compiles the module once for this machine where there is a folder for caches
// of this user's: it takes seconds and 300 MB, and a fraction of both from then on.
// Without one it is compiled in each child.
func runtime() wazero.RuntimeConfig {
	cfg := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(memoryPages)
	dir, err := os.UserCacheDir()
	if err != nil {
		return cfg
	}
	// What lies there is run: nobody else may write it.
	dir = filepath.Join(dir, "freshet", "compiled")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cfg
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return cfg
	}
	return cfg.WithCompilationCache(cache)
}
