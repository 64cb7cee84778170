package instance

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Default returns the user's state folder for freshet: $XDG_STATE_HOME/freshet,
// else ~/.local/state/freshet; on macOS ~/Library/Application Support/freshet.
// (XDG Base Directory Specification 0.8: a relative value is ignored.)
func Default() (string, error) {
	if base := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "freshet"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", document.Errorf(document.InvalidRequest, "no state folder is known, because HOME is not set: name one").Do(document.DoStateChoose)
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "freshet"), nil
	}
	return filepath.Join(home, ".local", "state", "freshet"), nil
}

// Locate returns the absolute path of dir, or of the default when dir is "".
func Locate(dir string) (string, error) {
	if dir == "" {
		return Default()
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", document.Errorf(document.InvalidRequest, "the state folder %s has no absolute path: %w", dir, err)
	}
	return abs, nil
}
