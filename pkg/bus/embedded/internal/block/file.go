package block

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Streams lists the folders of the streams of a log, which lies in dir, a
// server's storage folder. A folder without a log has none.
func Streams(dir string) ([]string, error) {
	folders, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "*"))
	if err != nil {
		return nil, fmt.Errorf("list the streams below %s: %w", dir, err)
	}
	return slices.DeleteFunc(folders, func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || !info.IsDir() || strings.HasPrefix(filepath.Base(path), ".") // deleted
	}), nil
}

// File is a block on the disk.
type File struct {
	Number int
	Path   string
}

// Messages is the folder of the blocks in the folder of a stream.
func Messages(stream string) string { return filepath.Join(stream, "msgs") }

// Name is the name of a block's file.
func Name(number int) string { return strconv.Itoa(number) + ".blk" }

// Files lists the blocks in the folder of a stream by their numbers.
func Files(stream string) ([]File, error) {
	dir := Messages(stream)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the blocks of %s: %w", filepath.Base(stream), err)
	}
	var files []File
	for _, e := range entries {
		if number, ok := numberOf(e.Name()); ok {
			files = append(files, File{number, filepath.Join(dir, e.Name())})
		}
	}
	slices.SortFunc(files, func(a, b File) int { return a.Number - b.Number })
	return files, nil
}

// numberOf is the number of the block that a file holds.
func numberOf(name string) (int, bool) {
	text, ok := strings.CutSuffix(name, ".blk")
	number, err := strconv.Atoi(text)
	return number, ok && err == nil
}

// FilesOf lists the blocks of a stream of the log in dir, by its name.
func FilesOf(dir, name string) ([]File, error) {
	folders, err := Streams(dir)
	if err != nil {
		return nil, err
	}
	var all []File
	for _, folder := range folders {
		if filepath.Base(folder) != name {
			continue
		}
		files, err := Files(folder)
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
	}
	return all, nil
}

// Replace writes a file in one step, so that it is whole after a crash too.
func Replace(path string, content []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".mend-*")
	if err != nil {
		return fmt.Errorf("write %s again: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s again: %w", path, errors.Join(err, os.Remove(f.Name())))
		}
	}()
	if _, err := f.Write(content); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// WriteSynced writes a file and has it on the disk.
func WriteSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
