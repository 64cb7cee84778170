package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/lab/calibrate"
	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/report"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/confidence"
	"github.com/freshet-dev/freshet/pkg/document"
)

type calibrateFlags struct {
	index  []string
	config string
	write  string
	over   string
	alone  bool
	json   bool
	// foreign are task files of another corpus, as FILE or SOURCE=FILE: nothing
	// here answers them.
	foreign []string
}

type calibrateCommand struct {
	*command.Program
	calibrateFlags
}

func newEvalCalibrate(p *command.Program) *cobra.Command {
	c := &calibrateCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "calibrate [SOURCE=]TASKS…",
		Short: "Fit how sure an answer may be of itself",
		Long: "calibrate asks the running instance the questions of task files, some of which nothing answers, and fits how\n" +
			"sure an answer may be of itself. It prints what that is worth on tasks whose folder the fit has not seen:\n" +
			"probabilities beside what came out, and how well \"nothing relevant\" is said.\n" +
			"SOURCE=TASKS asks the tasks of a file of that source alone.\n" +
			"--write keeps the fit, which freshet is built with.",
		Example: "  freshet eval make ~/src/project --out /tmp/tasks\n" +
			"  freshet eval make ~/src/other --out /tmp/foreign\n" +
			"  freshet eval calibrate /tmp/tasks/tasks.jsonl --index /tmp/tasks/corpus --foreign /tmp/foreign/tasks.jsonl",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	cmd.Flags().StringArrayVar(&c.index, "index", nil, "index this `folder` in a temporary state, and ask there (may be repeated)")
	cmd.Flags().StringVar(&c.config, "config", "", "configuration `file` for --index")
	cmd.Flags().StringArrayVar(&c.foreign, "foreign", nil, "also ask the questions of this task `file`, which is about something else: nothing here answers them; SOURCE=FILE asks them of that source alone (may be repeated)")
	cmd.Flags().StringVar(&c.write, "write", "", "write the fit to this `file`")
	cmd.Flags().StringVar(&c.over, "over", "", "fit names, copied text and names of files alone, and take everything else from this `file`, which the running program is built with")
	cmd.Flags().BoolVar(&c.alone, "only-passages", false, "with --over, fit the relevance of passages by themselves alone")
	cmd.Flags().BoolVar(&c.json, "json", false, "print the report as JSON")
	return cmd
}

// leastTasks is how many of each kind it takes for a curve of a few levels.
const leastTasks = 50

func (c *calibrateCommand) run(ctx context.Context, files []string) error {
	tasks, err := ofSources(files)
	if err != nil {
		return err
	}
	if eval.OfHistory(tasks) {
		return document.Errorf(document.InvalidRequest, "some tasks are asked as of commits: name task files of one state, such as the tasks.jsonl of `freshet eval make`")
	}
	for _, file := range c.foreign {
		source, name := ofSource(file)
		others, err := eval.Read(name)
		if err != nil {
			return err
		}
		tasks = append(tasks, calibrate.Foreign(others, source)...)
	}
	inUse, err := readCalibration(c.over)
	if err != nil {
		return err
	}
	none := 0
	for i := range tasks {
		if tasks[i].Unanswerable {
			none++
		}
	}
	if none < leastTasks || len(tasks)-none < leastTasks {
		return document.Errorf(document.InvalidRequest, "there are %d tasks with an answer and %d without: give at least %d of each", len(tasks)-none, none, leastTasks)
	}
	answers, hits, err := c.ask(ctx, tasks)
	if err != nil {
		return err
	}
	fit, found := calibrate.Calibrate(answers, hits, inUse)
	if c.alone && inUse != nil {
		inUse.Passage = fit.Passage
		fit = *inUse
	}
	if c.write != "" {
		if err := writeCalibration(c.write, fit); err != nil {
			return err
		}
	}
	if !c.json {
		return report.Calibration(c.Stdout, c.Style(), &found)
	}
	raw, err := json.Marshal(found)
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	return c.PrintJSON(raw)
}

// ofSource takes FILE or SOURCE=FILE apart.
func ofSource(arg string) (document.Source, string) {
	source, file, named := strings.Cut(arg, "=")
	if !named {
		return "", arg
	}
	return document.Source(source), file
}

// ofSources reads the tasks of files, each of its source where one is named.
func ofSources(args []string) ([]eval.Task, error) {
	var all []eval.Task
	for _, arg := range args {
		source, file := ofSource(arg)
		tasks, err := eval.Read(file)
		if err != nil {
			return nil, err
		}
		for i := range tasks {
			if source != "" {
				tasks[i].Source, tasks[i].ID = source, string(source)+" "+tasks[i].ID
			}
		}
		all = append(all, tasks...)
	}
	return all, nil
}

func (c *calibrateCommand) ask(ctx context.Context, tasks []eval.Task) (answers, hits []calibrate.Sample, err error) {
	progress := c.Live()
	defer progress.Clear()
	nc, own, err := asked{c.Program, c.index, c.config}.open(ctx, tasks, progress)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if own == nil {
			nc.Close()
			return
		}
		err = errors.Join(err, own.Close())
	}()
	if tasks, err = eval.Sections(ctx, nc, tasks, eval.Options{}); err != nil {
		return nil, nil, err
	}
	return calibrate.Ask(ctx, nc, tasks, func(done, total int) { progress.Text(fmt.Sprintf("asking  %d of %d", done, total)) })
}

// readCalibration reads what a program is built with; nil for no file.
func readCalibration(file string) (*confidence.Calibration, error) {
	if file == "" {
		return nil, nil //nolint:nilnil // there is none to keep
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, document.Errorf(document.NotFound, "cannot read what is to be kept: %w: name the file that `freshet eval calibrate --write` made", err)
	}
	return confidence.Parse(raw)
}

func writeCalibration(file string, fit confidence.Calibration) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(fit); err != nil {
		return fmt.Errorf("encode the fit: %w", err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		return document.Errorf(document.InvalidRequest, "cannot write the fit: %w: name a file in a folder that is there", err)
	}
	return nil
}
