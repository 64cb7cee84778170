package cli

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/daemon"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet/internal/service"
)

func newService(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{Use: "service", Short: "Have freshet run while you are logged in, and undo it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(newServiceInstall(p), newServiceRemove(p), newServiceStatus(p))
	return cmd
}

func newServiceInstall(p *command.Program) *cobra.Command {
	var file string
	var dry bool
	cmd := &cobra.Command{
		Use: "install [PATH…]", Short: "Make a service of your user that runs freshet up",
		Long: "install writes a unit for systemd (on macOS a property list for launchd), which runs `freshet up` with these paths\n" +
			"and this configuration from each login on, and starts it. It says what it writes. Where systemd does not answer,\n" +
			"the file is written, and the commands that start it are said.",
		Example: "  freshet service install ~/src/project --dry-run\n  freshet service install --config ~/freshet.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := described(p, file, args)
			if err != nil {
				return err
			}
			path, text, err := s.File(runtime.GOOS)
			if err != nil {
				return err
			}
			if _, _, err := service.Ours(path); err != nil {
				return err
			}
			out := terminal.Printer{W: p.Stdout}
			out.Linef("writes %s", terminal.Printable(path))
			for line := range strings.Lines(text) {
				out.Linef("  %s", terminal.Printable(strings.TrimSuffix(line, "\n")))
			}
			if dry {
				for _, c := range s.Begin(runtime.GOOS) {
					out.Linef("runs %s", strings.Join(c, " "))
				}
				out.Linef("nothing was written")
				return out.Err
			}
			if err := service.Write(path, text); err != nil {
				return err
			}
			runAll(cmd.Context(), p, &out, s.Begin(runtime.GOOS))
			return out.Err
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be written and run, and do nothing")
	cmd.Flags().StringVar(&file, "config", "", "configuration `file` that it is started with")
	return cmd
}

func newServiceRemove(p *command.Program) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use: "remove", Short: "End that service and take it out", Args: cobra.NoArgs,
		Long: "remove ends the service and removes the file that `freshet service install` has written, and nothing else. What is\n" +
			"indexed stays.",
		Example: "  freshet service remove",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, path, there, err := installedService()
			if err != nil {
				return err
			}
			if !there {
				return document.Errorf(document.NotFound, "no service of freshet is installed: there is no %s", path)
			}
			out := terminal.Printer{W: p.Stdout}
			before, after := s.End(runtime.GOOS)
			if dry {
				out.Linef("removes %s", terminal.Printable(path))
				out.Linef("nothing was removed")
				return out.Err
			}
			runAll(cmd.Context(), p, &out, before)
			if err := service.Remove(path); err != nil {
				return err
			}
			out.Linef("removed %s", terminal.Printable(path))
			runAll(cmd.Context(), p, &out, after)
			return out.Err
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be removed, and remove nothing")
	return cmd
}

func newServiceStatus(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Say whether that service is there, and runs", Args: cobra.NoArgs,
		Example: "  freshet service status",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, path, there, err := installedService()
			if err != nil {
				return err
			}
			out := terminal.Printer{W: p.Stdout}
			if !there {
				out.Linef("not installed: there is no %s", terminal.Printable(path))
				return out.Err
			}
			out.Linef("installed: %s", terminal.Printable(path))
			said, err := toRun(cmd.Context(), s.State(runtime.GOOS)).CombinedOutput()
			first, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
			if err != nil && first == "" {
				first = err.Error()
			}
			out.Linef("state: %s", terminal.Printable(first))
			return out.Err
		},
	}
}

// described is the service that starts a configuration and paths.
func described(p *command.Program, file string, paths []string) (service.Service, error) {
	s, err := serviceOfUser()
	if err != nil {
		return s, err
	}
	cfg, _, err := configure(p, file, paths, nil)
	if err == nil {
		err = cfg.Validate()
	}
	if err != nil {
		return s, err
	}
	s.Command = append(s.Command, "up")
	if p.Data != "" {
		data, err := filepath.Abs(p.Data)
		if err != nil {
			return s, document.Errorf(document.InvalidRequest, "the state folder %s has no absolute path: %w", p.Data, err)
		}
		s.Command = append(s.Command, "--data", data)
	}
	if p.NATS != "" {
		s.Command = append(s.Command, "--nats", p.NATS)
	}
	if file != "" {
		if file, err = filepath.Abs(file); err != nil {
			return s, document.Errorf(document.InvalidRequest, "the file has no absolute path: %w", err)
		}
		s.Command = append(s.Command, "--config", file)
	}
	s.Command = append(s.Command, "--")
	for _, source := range cfg.Sources[len(cfg.Sources)-len(paths):] {
		s.Command = append(s.Command, cmp.Or(source.Remote, source.Root))
	}
	if len(paths) == 0 {
		s.Command = s.Command[:len(s.Command)-1]
	}
	s.Log, err = logOf(cfg)
	return s, err
}

func logOf(cfg config.Config) (string, error) {
	state, err := instance.Locate(cfg.Data)
	return daemon.LogFile(state), err
}

func serviceOfUser() (service.Service, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return service.Service{}, document.Errorf(document.Unavailable, "where freshet lies is not known: %w", err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return service.Service{}, document.Errorf(document.InvalidRequest, "the home folder is not known: set HOME")
	}
	return service.Service{Command: []string{self}, Home: home, UID: os.Getuid()}, nil
}

// installedService is the service whose file is there.
func installedService() (s service.Service, path string, there bool, err error) {
	if s, err = serviceOfUser(); err != nil {
		return s, "", false, err
	}
	if path, _, err = s.File(runtime.GOOS); err != nil {
		return s, "", false, err
	}
	_, there, err = service.Ours(path)
	return s, path, there, err
}

// runAll runs commands, and says those that are left for a person when one fails.
func runAll(ctx context.Context, p *command.Program, out *terminal.Printer, commands [][]string) {
	for i, c := range commands {
		if said, err := toRun(ctx, c).CombinedOutput(); err != nil {
			first, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
			if first == "" {
				first = err.Error()
			}
			p.Note("`" + strings.Join(c, " ") + "` did not work: " + first)
			for _, left := range commands[i:] {
				out.Linef("left to run: %s", strings.Join(left, " "))
			}
			return
		}
		out.Linef("ran %s", strings.Join(c, " "))
	}
}

// toRun is a command of the machine.
func toRun(ctx context.Context, words []string) *exec.Cmd {
	return exec.CommandContext(ctx, words[0], words[1:]...)
}
