package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/daemon"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// startDetached starts this command again in the background, and waits until that is ready.
func startDetached(p *command.Program, cmd *cobra.Command, cfg config.Config, paths []string) error {
	self, err := os.Executable()
	if err != nil {
		return document.Errorf(document.Unavailable, "where freshet lies is not known: %w", err)
	}
	folder, err := os.Getwd()
	if err != nil {
		return document.Errorf(document.InvalidRequest, "the current folder is gone: %w", err)
	}
	run, err := daemon.Start(cmd.Context(), cfg.Data, daemon.Command{Program: self, Args: append(append(given(cmd), "--"), paths...), Dir: folder})
	switch {
	case err != nil:
		return err
	case !run.Mine:
		return document.Errorf(document.Conflict, "freshet already runs on %s (pid %d, %s): add a folder to the running one, or start another", run.Path, run.PID, bus.HideUser(run.URL)).
			With(document.Action{Do: document.DoStateAdd, Path: document.EncodePath(run.Path)}, document.Action{Do: document.DoStateChoose})
	}
	return (&detached{p, run}).untilReady(cmd.Context())
}

// given are the flags of a command that the one in the background gets, too.
func given(cmd *cobra.Command) []string {
	var out []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name == "detach" || f.Name == "data" {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range list.GetSlice() {
				out = append(out, "--"+f.Name+"="+v)
			}
			return
		}
		out = append(out, "--"+f.Name+"="+f.Value.String())
	})
	return out
}

// detached is a freshet that this command has started in the background.
type detached struct {
	*command.Program
	run daemon.Run
}

// untilReady shows how far the one in the background has come, and says what it
// has said once it is ready.
func (d *detached) untilReady(ctx context.Context) error {
	run, progress := d.run, remote.ProgressOn(d.Program)
	defer progress.Clear()
	nc := reach(run.Record) // without it, what becomes of the process tells
	if nc != nil {
		defer nc.Close()
	}
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	for {
		if said := run.Said("ready "); len(said) > 0 {
			progress.Clear()
			for _, note := range run.Said("freshet: ") {
				d.Note(note)
			}
			d.Note(fmt.Sprintf("freshet runs in the background (pid %d) and logs to %s; end it with `%s`", run.PID, daemon.LogFile(run.Path), stopCommand(run.Path)))
			_, err := fmt.Fprintln(d.Stdout, "ready "+said[0])
			return err
		}
		if err := run.Gone(); err != nil {
			return err
		}
		showStatus(ctx, progress, nc)
		select {
		case <-tick.C:
		case <-ctx.Done():
			progress.Clear()
			d.Note(fmt.Sprintf("freshet goes on in the background (pid %d); end it with `%s`", run.PID, stopCommand(run.Path)))
			return ctx.Err()
		}
	}
}

// reach connects to the instance of a record, wherever the environment leads; nil
// where that cannot be.
func reach(r instance.Record) *nats.Conn {
	login, err := r.Remote(string(contract.RoleAsk))
	if err != nil {
		return nil
	}
	nc, err := login.Dial(nats.Name("freshet command line"), nats.Timeout(stopLook), nats.NoReconnect())
	if err != nil {
		return nil
	}
	return nc
}

func showStatus(ctx context.Context, progress remote.Progress, nc *nats.Conn) {
	if nc == nil || !progress.There() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, settleEvery)
	defer cancel()
	if st, err := client.Status.Ask(ctx, nc, client.None); err == nil {
		progress.Show(st)
	}
}

// stopCommand is what ends the freshet of a state folder.
func stopCommand(path string) string {
	command := command.Callable() + " stop"
	if def, err := instance.Default(); err != nil || def != path {
		command += " --data " + terminal.ShellWord(path)
	}
	return command
}
