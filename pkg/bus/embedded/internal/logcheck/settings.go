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

// settings are those of a stream, and their copy. The zero limit is none.
type settings struct {
	stream     string // its name
	dir, spare string // the folders of both
	whole      bool   // they have their checksum
	bare       bool   // neither they nor their copy have
	limit      int    // messages that are kept of a subject; 0: all
}

func settingsOf(stream, dir string) settings {
	return settings{stream: stream, dir: dir, spare: spareOf(dir)}
}

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
		s := settingsOf(filepath.Base(folder), folder)
		raw, sum, err := s.load(s.dir)
		if err != nil {
			return err
		}
		if !s.sound(raw, sum) {
			continue
		}
		if old, oldSum, err := s.load(s.spare); err == nil && string(old) == string(raw) && string(oldSum) == string(sum) {
			continue
		}
		if err := s.write(s.spare, raw, sum); err != nil {
			return err
		}
	}
	return nil
}

// load reads settings and their checksum; both are nil where they are
// not there.
func (s *settings) load(dir string) (raw, sum []byte, err error) {
	raw, err = os.ReadFile(filepath.Join(dir, settingsFile))
	sum, sumErr := os.ReadFile(filepath.Join(dir, settingsSum))
	for _, err := range []error{err, sumErr} {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("read the settings of %s: %w", s.stream, err)
		}
	}
	return raw, sum, nil
}

// write replaces the settings in a folder.
func (s *settings) write(dir string, raw, sum []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep the settings of %s: %w", s.stream, err)
	}
	if err := block.Replace(filepath.Join(dir, settingsFile), raw); err != nil {
		return err
	}
	return block.Replace(filepath.Join(dir, settingsSum), sum)
}

// read reads what the settings, or else their copy, say.
func (s *settings) read() error {
	raw, sum, err := s.load(s.dir)
	if err != nil {
		return err
	}
	if s.whole = s.sound(raw, sum); !s.whole {
		if raw, sum, err = s.load(s.spare); err != nil {
			return err
		}
		if s.bare = !s.sound(raw, sum); s.bare {
			s.limit = 1
			return nil
		}
	}
	var cfg struct {
		Most int `json:"max_msgs_per_subject"`
	}
	if err := json.Unmarshal(raw, &cfg); err != nil {
		return fmt.Errorf("read the settings of %s: %w", s.stream, err)
	}
	s.limit = max(cfg.Most, 0)
	return nil
}

// sound reports whether settings have their checksum.
func (s *settings) sound(raw, sum []byte) bool {
	h := block.Keyed(s.stream)
	h.Write(raw)
	return len(raw) > 0 && hex.EncodeToString(h.Sum(nil)) == string(sum)
}

// restore puts the copy of the settings in the place of those that are
// damaged. Where there is none, the stream goes.
func (s *settings) restore() error {
	if s.bare {
		if err := os.RemoveAll(s.dir); err != nil {
			return fmt.Errorf("remove what has no settings: %w", err)
		}
		return nil
	}
	raw, sum, err := s.load(s.spare)
	if err != nil {
		return err
	}
	return s.write(s.dir, raw, sum)
}
