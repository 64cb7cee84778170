package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/report"
	"github.com/freshet-dev/freshet/pkg/document"
)

// errBelow makes eval exit with ExitBelow; the sentences are printed before.
var errBelow = errors.New("a figure is below its floor")

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

func (p *Program) eval() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval TASKS…",
		Short: "Measure how well it finds what it should",
		Long: "eval asks the running instance the questions of task files, and prints NDCG@10, recall, MRR and hit rates\n" +
			"by category and language with their 95 % intervals, how long answers took, and at which stage each miss was\n" +
			"lost. TASKS are files with a JSON object a line, or golden questions in YAML.\n" +
			"With --index it indexes folders in a temporary state of its own, and asks there.\n" +
			"It exits 0 when done, 1 where a figure is below its floor, 2 on an error.",
		Example: "  freshet eval questions.yaml --misses\n" +
			"  freshet eval questions.yaml --save before.json\n" +
			"  freshet eval questions.yaml --against before.json --off signals\n" +
			"  freshet eval questions.yaml --index docs/ --floors floors.yaml",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.runEval(cmd, f, args) },
	}
	cmd.Flags().StringVar(&f.set, "set", "", "`name` of the task set (default: that of the first file)")
	cmd.Flags().StringVar(&f.source, "source", "", "ask only the source of this `name`, where a task names none")
	cmd.Flags().IntVarP(&f.k, "k", "k", 10, "`number` of hits among which a task is recalled or missed, 1 to 1,000")
	cmd.Flags().StringSliceVar(&f.off, "off", nil, "`stages` to leave out, separated by commas, as in a search request")
	cmd.Flags().StringArrayVar(&f.arms, "arm", nil, "ask once more as `NAME=STAGE,STAGE`, without these stages, and compare (may be repeated)")
	cmd.Flags().BoolVar(&f.ripgrep, "ripgrep", false, "compare with what ripgrep finds of the words, in the folders of --index")
	cmd.Flags().BoolVar(&f.noDedupe, "no-dedupe", false, "count ranks over the hits as they come, not over files")
	cmd.Flags().StringArrayVar(&f.index, "index", nil, "index this `folder` in a temporary state, and ask there (may be repeated)")
	cmd.Flags().StringVar(&f.config, "config", "", "configuration `file` for --index")
	cmd.Flags().StringVar(&f.save, "save", "", "keep the answers in this `file`")
	cmd.Flags().StringVar(&f.against, "against", "", "compare with the answers in this `file`, task by task")
	cmd.Flags().StringVar(&f.floors, "floors", "", "fail where a figure is below its floor in this YAML `file`")
	cmd.Flags().BoolVar(&f.misses, "misses", false, "print a line for each miss")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the report as JSON")
	cmd.AddCommand(p.evalMake(), p.evalTune(), p.evalCalibrate())
	return cmd
}

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

func (p *Program) runEval(cmd *cobra.Command, f evalFlags, files []string) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	// Whatever is wrong with a file is said before anything is indexed or asked.
	tasks, err := eval.Read(files...)
	if err != nil {
		return err
	}
	if f.set == "" {
		name := filepath.Base(files[0])
		f.set = strings.TrimSuffix(name, filepath.Ext(name))
	}
	var floors eval.Floors
	if f.floors != "" {
		if floors, err = eval.ReadFloors(f.floors); err != nil {
			return err
		}
	}
	var before eval.Saved
	if f.against != "" {
		if before, err = eval.Load(f.against); err != nil {
			return err
		}
	}
	var arms []eval.Arm
	for _, text := range f.arms {
		a, err := eval.ParseArm(text)
		if err != nil {
			return err
		}
		arms = append(arms, a)
	}
	tasks, answers, report, err := p.evaluate(cmd.Context(), f, tasks, arms, o)
	if err != nil {
		return err
	}
	if f.against != "" {
		if report.Against, err = eval.Compare(f.against, before, tasks, answers, o); err != nil {
			return err
		}
	}
	if f.save != "" {
		if err := eval.Save(f.save, f.set, answers, o); err != nil {
			return err
		}
	}
	if floors != nil {
		if report.Below, err = floors.Check(&report, f.floors); err != nil {
			return err
		}
	}
	return p.evaluated(&report, f)
}

// evaluated prints the report, and what is below its floor.
func (p *Program) evaluated(r *eval.Report, f evalFlags) error {
	if f.json {
		raw, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode the report: %w", err)
		}
		if err := p.printJSON(raw); err != nil {
			return err
		}
	} else {
		if err := report.Evaluation(p.Stdout, p.style(), r, f.misses); err != nil {
			return err
		}
		if len(r.Misses) > 0 && !f.misses && len(r.Below) == 0 {
			p.note("see each miss with --misses; `freshet explain PATH --query QUESTION` tells the whole story of one")
		}
	}
	if len(r.Below) == 0 {
		return nil
	}
	for _, b := range r.Below {
		p.complain(b.String())
	}
	return errBelow
}
