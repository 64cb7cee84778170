package cli

import (
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/document"
)

// agentServer is the program that serves agents. It is one of its own because a
// session of an agent each runs it, and it takes a fraction of the memory of this
// one.
const agentServer = "freshet-mcp"

func newMcp(p *command.Program) *cobra.Command {
	var tokenizer, file string
	var noStart bool
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let an agent ask over the Model Context Protocol",
		Long: "mcp serves one agent on standard input and output until that closes them: the tools search, grep, read, outline, related and status\n" +
			"of the running freshet. Where none runs it starts one in the background, which ends when nobody has asked for agents.idle\n" +
			"(30 minutes). Where the current folder lies in no source, its git work tree is added, or the folder itself if it is below\n" +
			"one of agents.roots; the home folder never is. It becomes the program freshet-mcp, which lies beside freshet.",
		Example: "  freshet mcp\n" +
			"  freshet mcp --data /tmp/state --tokenizer cl100k_base",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			args := []string{agentServer}
			for name, value := range map[string]string{"--nats": p.NATS, "--data": p.Data, "--tokenizer": tokenizer, "--config": file} {
				if value != "" {
					args = append(args, name, value)
				}
			}
			if noStart {
				args = append(args, "--no-start")
			}
			return become(args)
		},
	}
	cmd.Flags().StringVar(&tokenizer, "tokenizer", "o200k_base", "`name` of what tokens are counted by: cl100k_base or o200k_base")
	cmd.Flags().StringVar(&file, "config", "", "configuration `file` of a freshet that is started")
	cmd.Flags().BoolVar(&noStart, "no-start", false, "start no freshet, and have no folder watched")
	return cmd
}

// become puts the program that serves agents in the place of this one, so that an
// agent has one process to end and none is left over.
func become(args []string) error {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return document.Errorf(document.Unavailable, "where freshet lies is not known (%w): run freshet-mcp itself", err)
	}
	program := filepath.Join(filepath.Dir(self), agentServer)
	err = syscall.Exec(program, args, os.Environ())
	return document.Errorf(document.NotFound, "the program %s cannot be run (%w): build it with `make build`, or put it beside freshet", program, err)
}
