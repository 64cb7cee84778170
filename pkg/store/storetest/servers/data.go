package servers

import (
	"fmt"
	"os"
	"path/filepath"
)

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Wipe removes all data of a stopped server.
func (s *Server) Wipe() error {
	if err := s.stopped("wiped"); err != nil {
		return err
	}
	if err := os.RemoveAll(s.data()); err != nil {
		return fmt.Errorf("wipe %s: %w", s.kind.name, err)
	}
	if err := os.Mkdir(s.data(), 0o700); err != nil {
		return fmt.Errorf("wipe %s: %w", s.kind.name, err)
	}
	return nil
}

// Copy copies all data of a stopped server to the folder to, which must not hold
// anything yet.
func (s *Server) Copy(to string) error {
	if err := s.stopped("copied"); err != nil {
		return err
	}
	if err := os.CopyFS(to, os.DirFS(s.data())); err != nil {
		return fmt.Errorf("copy the data of %s: %w", s.kind.name, err)
	}
	return nil
}

// Restore puts a stopped server back to the data that Copy left in the folder
// from, which stays as it is.
func (s *Server) Restore(from string) error {
	if err := s.stopped("put back"); err != nil {
		return err
	}
	if err := s.Wipe(); err != nil {
		return err
	}
	if err := os.CopyFS(s.data(), os.DirFS(from)); err != nil {
		return fmt.Errorf("put %s back to %s: %w", s.kind.name, from, err)
	}
	return nil
}
