//go:build prove

package e2e

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// watchOutside has the kernel note every open of a folder and of what is in
// it. The function that it returns ends that and names what was opened.
func watchOutside(t *testing.T, dir string) func() []string {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	places := map[int32]string{}
	if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		wd, err := unix.InotifyAddWatch(fd, path, unix.IN_OPEN|unix.IN_ACCESS)
		places[int32(wd)] = path
		return err
	}); err != nil {
		t.Fatal(err)
	}
	drain(t, fd, nil) // the walk's own
	return func() []string { return drain(t, fd, places) }
}

// drain reads every event that is there.
func drain(t *testing.T, fd int, places map[int32]string) (opened []string) {
	t.Helper()
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(fd, buf)
		if errors.Is(err, unix.EAGAIN) {
			return opened
		}
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < n; {
			ev := (*unix.InotifyEvent)(unsafe.Pointer(&buf[at]))
			name, _, _ := bytes.Cut(buf[at+unix.SizeofInotifyEvent:at+unix.SizeofInotifyEvent+int(ev.Len)], []byte{0})
			opened = append(opened, strings.TrimSuffix(places[ev.Wd]+"/"+string(name), "/"))
			at += unix.SizeofInotifyEvent + int(ev.Len)
		}
	}
}
