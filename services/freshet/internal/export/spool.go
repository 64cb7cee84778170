package export

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// spool is a file of parts of documents, each behind its length. It is used by one
// goroutine.
type spool struct {
	file *os.File
	out  *bufio.Writer
	end  int64
}

func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, ".spool-*")
	if err != nil {
		return nil, fmt.Errorf("make a file for what is read: %w", err)
	}
	return &spool{file: f, out: bufio.NewWriterSize(f, 1<<20)}, nil
}

// add appends a part and returns where it begins.
func (s *spool) add(d *contract.DocumentPassages) (int64, error) {
	js, err := json.Marshal(d)
	if err != nil {
		return 0, fmt.Errorf("encode what is read: %w", err)
	}
	begin := s.end
	_, err = s.out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(js))))
	if err == nil {
		_, err = s.out.Write(js)
	}
	if err != nil {
		return 0, fmt.Errorf("keep what is read: %w", err)
	}
	s.end += int64(4 + len(js))
	return begin, nil
}

// read returns the part that begins at a place. Nothing is added after the first read.
func (s *spool) read(begin int64) (d contract.DocumentPassages, err error) {
	if err = s.out.Flush(); err == nil {
		var size [4]byte
		if _, err = s.file.ReadAt(size[:], begin); err == nil {
			js := make([]byte, binary.BigEndian.Uint32(size[:]))
			if _, err = s.file.ReadAt(js, begin+4); err == nil {
				err = json.Unmarshal(js, &d)
			}
		}
	}
	if err != nil {
		return d, fmt.Errorf("read back what was kept: %w", err)
	}
	return d, nil
}

func (s *spool) remove() error {
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}
