package commands

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
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
	// save is a file for the samples, samples are such files, and set is what the tasks are.
	save, set string
	samples   []string
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
			"sure an answer may be of itself. It prints what that is worth on tasks whose set, or folder, the fit has not seen:\n" +
			"probabilities beside what came out, and how well \"nothing relevant\" is said.\n" +
			"SOURCE=TASKS asks the tasks of a file of that source alone.\n" +
			"Sets that are asked in an index each are kept with --save, and fitted together with --samples.\n" +
			"--write keeps the fit, which freshet is built with.",
		Example: "  freshet eval make ~/src/project --out /tmp/tasks\n" +
			"  freshet eval make ~/src/other --out /tmp/foreign\n" +
			"  freshet eval calibrate /tmp/tasks/tasks.jsonl --index /tmp/tasks/corpus --foreign /tmp/foreign/tasks.jsonl",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(c.samples) > 0 {
				return nil
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	cmd.Flags().StringArrayVar(&c.index, "index", nil, "index this `folder` in a temporary state, and ask there (may be repeated)")
	cmd.Flags().StringVar(&c.config, "config", "", "configuration `file` for --index")
	cmd.Flags().StringArrayVar(&c.foreign, "foreign", nil, "also ask the questions of this task `file`, which is about something else: nothing here answers them; SOURCE=FILE asks them of that source alone (may be repeated)")
	cmd.Flags().StringVar(&c.write, "write", "", "write the fit to this `file`")
	cmd.Flags().StringVar(&c.save, "save", "", "keep what the answers say in this `file`, and fit nothing")
	cmd.Flags().StringVar(&c.set, "set", "", "judge what is asked, a set of this `name`, by fits that have not seen any of it; KIND/NAME counts tasks that do not say how they came to be under KIND")
	cmd.Flags().StringArrayVar(&c.samples, "samples", nil, "fit what was kept in this `file` by --save, too (may be repeated)")
	cmd.Flags().StringVar(&c.over, "over", "", "keep the relevance of passages by themselves as it is in this `file`")
	cmd.Flags().BoolVar(&c.alone, "only-passages", false, "with --over, fit the relevance of passages by themselves, and keep everything else")
	cmd.Flags().BoolVar(&c.json, "json", false, "print the report as JSON")
	return cmd
}

// leastTasks is how many tasks with an answer it takes for a curve of a few levels,
// leastNone how many without: of those, one in three of all are asked.
const (
	leastTasks = 50
	leastNone  = 25
)

func (c *calibrateCommand) run(ctx context.Context, files []string) error {
	inUse, err := readCalibration(c.over)
	if err != nil {
		return err
	}
	answers, hits, err := c.collect(ctx, files)
	if err != nil {
		return err
	}
	if c.save != "" {
		return calibrate.Save(c.save, answers, hits)
	}
	fit, found := calibrate.Calibrate(answers, hits)
	switch {
	case inUse != nil && c.alone:
		inUse.Passage = fit.Passage
		fit = *inUse
	case inUse != nil:
		fit.Passage = inUse.Passage
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

// collect asks the tasks of files, and reads what was kept of others.
func (c *calibrateCommand) collect(ctx context.Context, files []string) (answers, hits []calibrate.Sample, err error) {
	for _, file := range c.samples {
		a, h, err := calibrate.Load(file)
		if err != nil {
			return nil, nil, err
		}
		answers, hits = append(answers, a...), append(hits, h...)
	}
	if len(files) == 0 {
		return answers, hits, c.enough(answers, nil)
	}
	tasks, err := ofSources(files)
	if err != nil {
		return nil, nil, err
	}
	if eval.OfHistory(tasks) {
		return nil, nil, document.Errorf(document.InvalidRequest, "some tasks are asked as of commits: name task files of one state, such as the tasks.jsonl of `freshet eval make`")
	}
	for _, file := range c.foreign {
		source, name := ofSource(file)
		others, err := eval.Read(name)
		if err != nil {
			return nil, nil, err
		}
		tasks = append(tasks, calibrate.Foreign(others, source)...)
	}
	if err := c.enough(answers, tasks); err != nil {
		return nil, nil, err
	}
	a, h, err := c.ask(ctx, tasks)
	if err != nil {
		return nil, nil, err
	}
	for _, list := range [][]calibrate.Sample{a, h} {
		for i := range list {
			s := &list[i]
			s.Set, s.Task = c.set, cmp.Or(s.Task, path.Dir(c.set))
		}
	}
	return append(answers, a...), append(hits, h...), nil
}

// enough reports whether there is what it takes to fit: what was kept, and tasks that
// are to be asked.
func (c *calibrateCommand) enough(kept []calibrate.Sample, tasks []eval.Task) error {
	none := 0
	for i := range kept {
		none += count(kept[i].Unanswerable)
	}
	for i := range tasks {
		none += count(tasks[i].Unanswerable)
	}
	if all := len(kept) + len(tasks); c.save == "" && (none < leastNone || all-none < leastTasks) {
		return document.Errorf(document.InvalidRequest, "there are %d tasks with an answer and %d without: give at least %d with and %d without", all-none, none, leastTasks, leastNone)
	}
	return nil
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
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
