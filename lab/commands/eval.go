package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/report"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/document"
)

// evalFlags are what the flags of eval say.
type evalFlags struct {
	set, source   string
	k             int
	off, arms     []string
	noDedupe      bool
	index         []string
	config        string
	save, against string
	floors        string
	ripgrep       bool
	misses, json  bool
}

type evalCommand struct {
	*command.Program
	evalFlags
}

// Eval returns `freshet eval`, with the commands below it.
func Eval(p *command.Program) *cobra.Command {
	c := &evalCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "eval [TASKS…]",
		Short: "Measure how well it finds what it should",
		Long: "eval asks the running instance the questions of task files, and prints NDCG@10, recall, MRR and hit rates\n" +
			"by category and language with their 95 % intervals, how long answers took, and at which stage each miss was\n" +
			"lost. TASKS are files with a JSON object a line, or golden questions in YAML; without any it asks the golden\n" +
			"questions that the instance keeps, as the page does.\n" +
			"With --index it indexes folders in a temporary state of its own, and asks there.\n" +
			"It exits 0 when done, 1 where a figure is below its floor, 2 on an error.",
		Example: "  freshet eval\n" +
			"  freshet eval questions.yaml --misses\n" +
			"  freshet eval questions.yaml --save before.json\n" +
			"  freshet eval questions.yaml --against before.json --off signals\n" +
			"  freshet eval questions.yaml --index docs/ --floors floors.yaml",
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	cmd.Flags().StringVar(&c.set, "set", "", "`name` of the task set (default: that of the first file)")
	cmd.Flags().StringVar(&c.source, "source", "", "ask only the source of this `name`, where a task names none")
	cmd.Flags().IntVarP(&c.k, "k", "k", 10, "`number` of hits among which a task is recalled or missed, 1 to 1,000")
	cmd.Flags().StringSliceVar(&c.off, "off", nil, "`stages` to leave out, separated by commas, as in a search request")
	cmd.Flags().StringArrayVar(&c.arms, "arm", nil, "ask once more as `NAME=STAGE,KEY=VALUE`, without these stages, with these weights of query.ranking or with a min_confidence, and compare (may be repeated)")
	cmd.Flags().BoolVar(&c.ripgrep, "ripgrep", false, "compare with what ripgrep finds of the words, in the folders of --index")
	cmd.Flags().BoolVar(&c.noDedupe, "no-dedupe", false, "count ranks over the hits as they come, not over files")
	cmd.Flags().StringArrayVar(&c.index, "index", nil, "index this `folder` in a temporary state, and ask there (may be repeated)")
	cmd.Flags().StringVar(&c.config, "config", "", "configuration `file` for --index")
	cmd.Flags().StringVar(&c.save, "save", "", "keep the answers in this `file`")
	cmd.Flags().StringVar(&c.against, "against", "", "compare with the answers in this `file`, task by task")
	cmd.Flags().StringVar(&c.floors, "floors", "", "fail where a figure is below its floor in this YAML `file`")
	cmd.Flags().BoolVar(&c.misses, "misses", false, "print a line for each miss")
	cmd.Flags().BoolVar(&c.json, "json", false, "print the report as JSON")
	cmd.AddCommand(newEvalAdd(p), newEvalList(p), newEvalRemove(p), newEvalKeep(p), newEvalMake(p), newEvalTune(p), newEvalCalibrate(p))
	return cmd
}

func (c *evalCommand) asked() asked { return asked{c.Program, c.index, c.config} }

// options checks the flags.
func (f *evalFlags) options() (eval.Options, error) {
	o := eval.Options{K: f.k, Off: f.off, Way: eval.OverFiles}
	if f.noDedupe {
		o.Way = eval.OverChunks
	}
	if f.k < 1 || f.k > 1000 {
		return o, document.Errorf(document.InvalidRequest, "--k is %d: choose 1 to 1000", f.k)
	}
	if f.config != "" && len(f.index) == 0 {
		return o, document.Errorf(document.InvalidRequest, "--config is for an instance of eval's own: name what it indexes with --index, or leave it out")
	}
	if f.ripgrep && len(f.index) == 0 {
		return o, document.Errorf(document.InvalidRequest, "--ripgrep looks into the folders of --index: name them, or leave it out")
	}
	if f.source != "" {
		var err error
		if o.Source, err = document.ParseSource(f.source); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (c *evalCommand) run(cmd *cobra.Command, files []string) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	// Whatever is wrong with a file is said before anything is indexed or asked.
	tasks, err := c.tasks(cmd.Context(), files)
	if err != nil {
		return err
	}
	var floors eval.Floors
	if c.floors != "" {
		if floors, err = eval.ReadFloors(c.floors); err != nil {
			return err
		}
	}
	var before eval.Saved
	if c.against != "" {
		if before, err = eval.Load(c.against); err != nil {
			return err
		}
	}
	var arms []eval.Arm
	for _, text := range c.arms {
		a, err := eval.ParseArm(text)
		if err != nil {
			return err
		}
		arms = append(arms, a)
	}
	tasks, answers, report, err := c.evaluate(cmd.Context(), tasks, arms, o)
	if err != nil {
		return err
	}
	if c.against != "" {
		if report.Against, err = eval.Compare(c.against, before, tasks, answers, o); err != nil {
			return err
		}
	}
	if c.save != "" {
		if err := eval.Save(c.save, c.set, answers, o); err != nil {
			return err
		}
	}
	if floors != nil {
		if report.Below, err = floors.Check(&report, c.floors); err != nil {
			return err
		}
	}
	return c.print(&report)
}

// tasks are those of the files, else the golden questions that the instance keeps, and
// names the set.
func (c *evalCommand) tasks(ctx context.Context, files []string) ([]eval.Task, error) {
	if len(files) > 0 {
		if c.set == "" {
			name := filepath.Base(files[0])
			c.set = strings.TrimSuffix(name, filepath.Ext(name))
		}
		return eval.Read(files...)
	}
	if len(c.index) > 0 {
		return nil, document.Errorf(document.InvalidRequest, "an instance of eval's own keeps no golden questions: name files with tasks, or leave out --index")
	}
	c.set = cmp.Or(c.set, "golden")
	nc, err := c.Dial(ctx)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	list, err := client.ListGolden.Ask(ctx, nc, client.None)
	if err != nil {
		return nil, err
	}
	if len(list.Questions) == 0 {
		return nil, document.Errorf(document.NotFound, "no golden question is kept: add some with `freshet eval add` or on the page, or name files with tasks")
	}
	return eval.OfGolden(list.Questions), nil
}

// print prints the report, and what is below its floor.
func (c *evalCommand) print(r *eval.Report) error {
	if c.json {
		raw, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode the report: %w", err)
		}
		if err := c.PrintJSON(raw); err != nil {
			return err
		}
	} else {
		if err := report.Evaluation(c.Stdout, c.Style(), r, c.misses); err != nil {
			return err
		}
		if len(r.Misses) > 0 && !c.misses && len(r.Below) == 0 {
			c.Note("see each miss with --misses; `freshet explain PATH --query QUESTION` tells the whole story of one")
		}
	}
	if len(r.Below) == 0 {
		return nil
	}
	for _, b := range r.Below {
		c.Complain(b.String())
	}
	return command.Below
}
