package hostile

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// specials makes what is no file: whoever opens it may wait for ever.
func specials(b *builder) {
	for _, name := range []string{"pipe", "pipe.txt", "pipe.go", "README.md", "Makefile", ".env.example", "CACHEDIR.TAG"} {
		b.pipe("specials/pipes/"+name, Skipped, "named pipe")
	}
	b.socket("specials/socket")
	b.socket("specials/socket.md")
	for name, dev := range map[string]struct {
		mode         uint32
		major, minor uint32
	}{"null": {unix.S_IFCHR, 1, 3}, "zero.txt": {unix.S_IFCHR, 1, 5}, "random.go": {unix.S_IFCHR, 1, 8}, "tty.md": {unix.S_IFCHR, 5, 0}, "ram": {unix.S_IFBLK, 1, 0}} {
		path := "specials/devices/" + name
		b.up(path)
		if b.err == nil {
			err := unix.Mknod(b.full(path), dev.mode|0o644, int(unix.Mkdev(dev.major, dev.minor)))
			b.note(Input{Family: "device", Path: path, Outcome: Skipped, Why: "device"}, err)
		}
	}
	b.text("neighbour of what is no file", "specials/devices/beside.txt")
}

func (b *builder) pipe(path string, o Outcome, why string) {
	b.up(path)
	if b.err == nil {
		b.note(Input{Family: "named pipe", Path: path, Outcome: o, Why: why}, unix.Mkfifo(b.full(path), 0o644))
	}
}

// socket binds by a short name, because the addresses of sockets are short.
func (b *builder) socket(path string) {
	b.up(path)
	if b.err != nil {
		return
	}
	dir, err := os.MkdirTemp("", "s")
	b.fail(err)
	short := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
	if err == nil {
		l.SetUnlinkOnClose(false)
		err = os.Rename(short, b.full(path))
		b.fail(l.Close())
	}
	b.note(Input{Family: "socket", Path: path, Outcome: Skipped, Why: "socket"}, err)
	b.fail(os.RemoveAll(dir))
}

// pathMax is the longest path in bytes that Linux takes, without the zero
// behind it.
const pathMax = 4095

// depth makes directories within directories, up to the longest path and
// beyond.
func depth(b *builder) {
	b.text("deep nesting", "depth/"+strings.Repeat("d/", 400)+"bottom.txt")
	b.text("deep nesting", "depth/"+strings.Repeat(strings.Repeat("n", 255)+"/", 8)+"bottom.txt")
	b.text("deep nesting", "depth/"+strings.Repeat("é%\n/", 150)+"bottom.txt")
	for i := range 8 {
		// The whole name has pathMax-3 to pathMax+4 bytes.
		name := fmt.Sprintf("depth/edge%d/", i)
		want := pathMax - 3 + i - len(b.Root) - 1
		for want-len(name) > 255 {
			name += strings.Repeat("e", 200) + "/"
		}
		name += strings.Repeat("e", want-len(name))
		in := Input{Family: "path at the limit", Path: name, Outcome: Indexed, Word: b.word()}
		if len(b.Root)+1+want > pathMax {
			in.Outcome, in.Why = Skipped, "unreadable: path too long"
		}
		b.note(in, b.far(name, []byte("Here stands "+in.Word+".\n")))
	}
	// A directory that no path reaches; what is in it cannot be named either.
	path := "depth/beyond/"
	for len(b.Root)+1+len(path)+200 <= pathMax {
		path += strings.Repeat("b", 200) + "/"
	}
	dir := path + strings.Repeat("b", 200)
	b.note(Input{Family: "path at the limit", Path: dir, Outcome: Skipped, Why: "unreadable: path too long"}, b.far(dir+"/more/and/more.txt", []byte("text\n")))
}

// far writes a file whose whole path may be longer than the system takes.
func (b *builder) far(path string, content []byte) error {
	if b.err != nil {
		return b.err
	}
	root, err := os.OpenRoot(b.Root)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // only a handle
	if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return root.WriteFile(path, content, 0o644)
}
