package system

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program writes a shell script that stands for a program that goes wrong.
func program(t *testing.T, body string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestEndBeforeReady_IsToldWithItsReason(t *testing.T) {
	p, err := Start(t.Context(), Options{Binary: program(t, "echo indexing\necho no room left >&2\nexit 2\n"), Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = p.Ready(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no room left") {
		t.Errorf("the error does not say what the program said: %v", err)
	}
	if _, err := p.Stop(); err == nil {
		t.Error("a failed program was stopped as if it had not failed")
	}
}

func TestReadyLine_IsRead(t *testing.T) {
	p, err := Start(t.Context(), Options{Binary: program(t, "trap 'exit 0' INT\necho ready steady\necho ready nats://127.0.0.1:1  try: x\nwhile :; do sleep 0.01; done\n"), Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	url, after, err := p.Ready(t.Context())
	if err != nil || url != "nats://127.0.0.1:1" || after <= 0 || time.Since(p.Started()) < after {
		t.Errorf("%q after %s: %v", url, after, err)
	}
	if _, err := p.Stop(); err != nil {
		t.Error(err)
	}
}

func TestCancelledStart_LeavesNoProcess(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := Start(ctx, Options{Binary: program(t, "while :; do sleep 0.01; done\n"), Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, _, err := p.Ready(t.Context()); err == nil {
		t.Error("a cancelled program became ready")
	}
	_, _ = p.Stop()
	if _, ok := inspect(p.cmd.Process.Pid); ok {
		t.Error("the process still runs")
	}
}
