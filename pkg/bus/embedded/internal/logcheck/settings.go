package logcheck

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
)

// settingsFile and settingsSum are the settings of a stream and their checksum.
const (
	settingsFile = "meta.inf"
	settingsSum  = "meta.sum"
)

// spareFolder holds a copy of the settings of each stream, in the server's
// storage folder. Without its settings the server does not open a stream, and
// one that is made anew in its place begins behind all that was in it.
const spareFolder = "settings"

// spareOf returns the folder for the copy of a stream's settings.
func spareOf(dir string) string {
	account := filepath.Dir(filepath.Dir(dir))
	return filepath.Join(filepath.Dir(filepath.Dir(account)), spareFolder, filepath.Base(account), filepath.Base(dir))
}

// KeepSettings copies the settings of every stream of the log in dir that are
// whole, for the day on which they are not.
func KeepSettings(dir string) error {
	folders, err := block.Streams(dir)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		s := &stream{dir: folder, name: filepath.Base(folder), spare: spareOf(folder)}
		raw, sum, err := s.loadSettings(folder)
		if err != nil {
			return err
		}
		if !s.wholeSettings(raw, sum) {
			continue
		}
		if old, oldSum, err := s.loadSettings(s.spare); err == nil && string(old) == string(raw) && string(oldSum) == string(sum) {
			continue
		}
		if err := s.writeSettings(s.spare, raw, sum); err != nil {
			return err
		}
	}
	return nil
}

// loadSettings reads settings and their checksum; both are nil where they are
// not there.
func (s *stream) loadSettings(dir string) (raw, sum []byte, err error) {
	raw, err = os.ReadFile(filepath.Join(dir, settingsFile))
	sum, sumErr := os.ReadFile(filepath.Join(dir, settingsSum))
	for _, err := range []error{err, sumErr} {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("read the settings of %s: %w", s.name, err)
		}
	}
	return raw, sum, nil
}

func (s *stream) writeSettings(dir string, raw, sum []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep the settings of %s: %w", s.name, err)
	}
	if err := block.Replace(filepath.Join(dir, settingsFile), raw); err != nil {
		return err
	}
	return block.Replace(filepath.Join(dir, settingsSum), sum)
}

func (s *stream) readSettings() error {
	raw, sum, err := s.loadSettings(s.dir)
	if err != nil {
		return err
	}
	if s.settings = s.wholeSettings(raw, sum); !s.settings {
		if raw, sum, err = s.loadSettings(s.spare); err != nil {
			return err
		}
		if s.bare = !s.wholeSettings(raw, sum); s.bare {
			s.limit = 1
			return nil
		}
	}
	var cfg struct {
		Most int `json:"max_msgs_per_subject"`
	}
	if err := json.Unmarshal(raw, &cfg); err != nil {
		return fmt.Errorf("read the settings of %s: %w", s.name, err)
	}
	s.limit = max(cfg.Most, 0)
	return nil
}

// wholeSettings reports whether settings have their checksum.
func (s *stream) wholeSettings(raw, sum []byte) bool {
	h := s.sum()
	h.Write(raw)
	return len(raw) > 0 && hex.EncodeToString(h.Sum(nil)) == string(sum)
}

// restoreSettings puts the copy of the settings in the place of those that are
// damaged. Where there is none, the stream goes.
func (s *stream) restoreSettings() error {
	if s.bare {
		if err := os.RemoveAll(s.dir); err != nil {
			return fmt.Errorf("remove what has no settings: %w", err)
		}
		return nil
	}
	raw, sum, err := s.loadSettings(s.spare)
	if err != nil {
		return err
	}
	return s.writeSettings(s.dir, raw, sum)
}
