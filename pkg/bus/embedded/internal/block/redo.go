package block

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// redo is what is about to be overwritten in one block. It is on the disk
// before the first byte changes: a record that a power loss leaves half written
// would make the server give up the rest of the block. The next start writes it
// again.
type redo struct {
	Stream  string  `json:"stream"`
	Path    string  `json:"path"`
	Records []place `json:"records"`
}

// place is where a message stands, or stood.
type place struct {
	At, Len int
	Seq     uint64
}

// redoName is the file of a redo in the log's folder.
const redoName = "erase.redo"

// overwrite overwrites the records of a redo in a block of which the first size
// bytes were looked at.
func overwrite(dir string, r redo, size int) error {
	note := filepath.Join(dir, redoName)
	js, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode %s: %w", redoName, err)
	}
	f, err := os.OpenFile(r.Path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err = WriteSynced(note, js); err == nil {
		err = r.apply(f, size)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Remove(note)
}

// apply overwrites the records.
func (r redo) apply(f *os.File, size int) error {
	number, ok := numberOf(filepath.Base(r.Path))
	if !ok {
		return fmt.Errorf("%s is not named as a block", r.Path)
	}
	sum := SumOf(r.Stream, number)
	for _, p := range r.Records {
		if p.Len < least || p.At < 0 || p.At+p.Len > size {
			return fmt.Errorf("%s names bytes beyond %s", redoName, r.Path)
		}
		if _, err := f.WriteAt(erased(p.Seq, p.Len, sum), int64(p.At)); err != nil {
			return err
		}
	}
	return f.Sync()
}

// FinishErase ends what an earlier run had begun to overwrite in the log in dir.
// No server runs. A block that the server has written anew since does not begin
// a record at the same place with the same length and sequence, and is left
// alone.
func FinishErase(dir string) error {
	note := filepath.Join(dir, redoName)
	js, err := os.ReadFile(note)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", redoName, err)
	}
	var r redo
	if json.Unmarshal(js, &r) == nil { // else nothing was begun
		if err := r.finish(dir); err != nil {
			return fmt.Errorf("overwrite what was removed from %s: %w", r.Stream, err)
		}
	}
	return os.Remove(note)
}

// finish overwrites the records that are still what they were.
func (r redo) finish(dir string) error {
	// The folder may have been moved or copied since.
	r.Path = filepath.Join(Messages(filepath.Join(dir, "jetstream", r.account(), "streams", r.Stream)), filepath.Base(r.Path))
	buf, err := os.ReadFile(r.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	there := map[place]bool{}
	for rec := range walk(buf) {
		there[place{rec.At, rec.Size, rec.Seq}] = !rec.Tomb
	}
	var left []place
	for _, p := range r.Records {
		if there[p] {
			left = append(left, p)
		}
	}
	r.Records = left
	f, err := os.OpenFile(r.Path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(r.apply(f, len(buf)), f.Close())
}

// account is the folder of the account that the block belongs to.
func (r redo) account() string {
	return filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(r.Path)))))
}
