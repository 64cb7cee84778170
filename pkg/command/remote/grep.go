package remote

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

type grepFlags struct {
	fixed, ignoreCase, word, invert bool
	files, counts, json             bool
	only, quiet                     bool
	patterns                        []string
	before, after, context          int
	maxCount, limit, columns        int
	maxBytes                        string
	sources, views, langs, paths    []string
	meta                            metaFlag
	collections                     collectionsFlag
	token, lease, commit            string
	all                             bool
	deadline                        time.Duration
}

type grepCommand struct {
	*command.Program
	grepFlags
}

func newGrep(p *command.Program) *cobra.Command {
	c := &grepCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "grep PATTERN [PATH…]",
		Short: "List the lines that match a pattern",
		Long: "grep lists every line of the indexed documents that matches a regular expression (RE2), as path:line:text.\n" +
			"It reads the text in the log: what was accepted is found at once, while its passages are still being made.\n" +
			"Files whose text cannot match are not read. A pattern of which no three characters are certain has all in scope read:\n" +
			"PATH, --lang and --source narrow it. PATH is a file, folder or quoted glob here, or SOURCE:PATH. Without one, the\n" +
			"source around the current folder is searched, with --all or from elsewhere all that are watched.\n" +
			"It exits 0 with matches, 1 with none, 2 on an error, and where it could not search everything: it says what.",
		Example: "  freshet grep \"func Parse[A-Z]\\w*\" pkg/\n" +
			"  freshet grep -F -w retry --lang go -C 2\n" +
			"  freshet grep -l TODO --commit HEAD",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(c.patterns) > 0 {
				return nil
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(c.patterns) == 0 {
				c.patterns, args = args[:1], args[1:]
			}
			req, err := c.request(cmd, c.pattern())
			if err != nil {
				return err
			}
			return c.run(cmd.Context(), req, args)
		},
	}
	c.register(cmd)
	cmd.SetFlagErrorFunc(otherGrep)
	return cmd
}

// pattern is what any of the patterns matches.
func (f *grepFlags) pattern() string {
	if len(f.patterns) == 1 {
		return f.patterns[0]
	}
	each := make([]string, len(f.patterns))
	for i, p := range f.patterns {
		if f.fixed {
			p = regexp.QuoteMeta(p)
		}
		each[i] = "(?:" + p + ")"
	}
	f.fixed = false
	return strings.Join(each, "|")
}

// ofOtherGreps says of flags of grep and ripgrep what to do in their place.
var ofOtherGreps = map[string]string{
	"n": alwaysNumbered, "line-number": alwaysNumbered, "H": alwaysNumbered, "with-filename": alwaysNumbered,
	"r": alwaysBelow, "R": alwaysBelow, "recursive": alwaysBelow,
	"E": alwaysExtended, "extended-regexp": alwaysExtended, "G": alwaysExtended, "basic-regexp": alwaysExtended,
	"P": noPerl, "perl-regexp": noPerl, "pcre2": noPerl,
	"g": byPath, "glob": byPath, "include": byPath, "t": byLanguage, "type": byLanguage,
}

const (
	alwaysNumbered = "lines stand behind their path and number anyway: leave it out"
	alwaysBelow    = "all that is below a folder is searched anyway: leave it out"
	alwaysExtended = "a pattern is an expression as RE2 reads it, in which + ? | ( ) { } need no backslash: leave it out"
	noPerl         = "a pattern is an expression as RE2 reads it, without look-around and back references: leave it out"
	byPath         = "name the files behind the pattern, or by --path GLOB"
	byLanguage     = "name the language by --lang"
)

// otherGrep says of a flag that grep users know what there is in its place.
func otherGrep(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if instead := ofOtherGreps[unknown.GetSpecifiedName()]; instead != "" {
			dashes := "--"
			if len(unknown.GetSpecifiedName()) == 1 {
				dashes = "-"
			}
			return document.Errorf(document.InvalidRequest, "grep has no %s%s, since %s", dashes, unknown.GetSpecifiedName(), instead)
		}
	}
	return WrongFlag(cmd, err)
}

func (f *grepFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVarP(&f.fixed, "fixed-strings", "F", false, "PATTERN is text, no expression")
	flags.BoolVarP(&f.ignoreCase, "ignore-case", "i", false, "letters match whatever their case")
	flags.BoolVarP(&f.word, "word-regexp", "w", false, "match whole words only")
	flags.BoolVarP(&f.invert, "invert-match", "v", false, "list the lines that do not match")
	flags.BoolVarP(&f.files, "files-with-matches", "l", false, "list paths only")
	flags.BoolVarP(&f.counts, "count", "c", false, "list paths and the number of their matching lines")
	flags.BoolVarP(&f.only, "only-matching", "o", false, "list what matches in a line, not the whole line")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing, and exit 0 if anything matches")
	flags.StringArrayVarP(&f.patterns, "regexp", "e", nil, "the `pattern`; all arguments are PATHs then. What any of several matches (may be repeated)")
	flags.IntVarP(&f.after, "after-context", "A", 0, "`number` of lines to show behind each match")
	flags.IntVarP(&f.before, "before-context", "B", 0, "`number` of lines to show before each match")
	flags.IntVarP(&f.context, "context", "C", 0, "`number` of lines to show on both sides of each match")
	flags.IntVarP(&f.maxCount, "max-count", "m", 0, "`number` of matching lines after which a file is read no further")
	flags.IntVar(&f.limit, "limit", 1000, "`number` of lines to list, or of paths with -l and -c, 1 to 10,000; the others are counted")
	flags.IntVar(&f.columns, "max-columns", 4096, "`number` of bytes to show of one line, 1 to 65,536")
	flags.StringVar(&f.maxBytes, "max-bytes", "", "`size` of the text to search at most, such as 512MiB")
	flags.BoolVar(&f.json, "json", false, "print the reply as it came over NATS")
	flags.StringArrayVar(&f.sources, "source", nil, "only the source of this `name` (may be repeated)")
	flags.StringArrayVar(&f.views, "view", nil, "only this `view` of a source, such as the branch main, or worktree (may be repeated)")
	flags.StringArrayVar(&f.langs, "lang", nil, "only this `language` (may be repeated)")
	addCollections(flags, &f.collections)
	flags.StringArrayVar(&f.paths, "path", nil, pathUsage)
	addMeta(flags, &f.meta, askMeta)
	flags.BoolVar(&f.all, "all", false, allUsage)
	flags.StringVar(&f.token, "token", "", "search what is at least as new as this `token`; everything accepted so far is searched without")
	flags.StringVar(&f.lease, "lease", "", leaseUsage)
	flags.StringVar(&f.commit, "commit", "", "wait until this git `commit` of a source is there: HEAD or any revision of the repository around the current folder, or an id")
	flags.DurationVar(&f.deadline, "deadline", 0, "`time` for the answer, such as 5s (default 30s)")
}

func (f *grepFlags) request(cmd *cobra.Command, pattern string) (contract.GrepRequest, error) {
	req := contract.GrepRequest{
		Pattern: pattern, Fixed: f.fixed, IgnoreCase: f.ignoreCase, Word: f.word, Invert: f.invert,
		Before: max(f.before, f.context), After: max(f.after, f.context), MaxCount: f.maxCount, Limit: &f.limit, LineBytes: f.columns,
		Filter: contract.Filter{Paths: f.paths, Languages: f.langs, Metadata: document.Metadata(f.meta)}, Token: f.token, Lease: f.lease, Collections: f.collections,
	}
	wrong := func(format string, args ...any) (contract.GrepRequest, error) {
		return req, document.Errorf(document.InvalidRequest, format, args...)
	}
	switch {
	case !utf8.ValidString(pattern):
		return wrong("the pattern is not valid UTF-8: write it as UTF-8, and bytes that are no text as a dot")
	case f.only && (f.invert || f.files || f.counts):
		return wrong("-o lists what matches in lines: it goes with none of -v, -l and -c")
	case f.files && f.counts:
		return wrong("-l and -c ask for two different lists: give one of them")
	case f.columns < 1:
		return wrong("--max-columns is %d: choose 1 to 65,536", f.columns)
	case min(f.before, f.after, f.context) < 0:
		return wrong("lines of context cannot be fewer than 0")
	case f.files || f.quiet:
		req.Show = contract.GrepFiles
	case f.counts:
		req.Show = contract.GrepCounts
	}
	var err error
	if req.Filter.Sources, err = document.ParseSources(f.sources); err != nil {
		return req, err
	}
	for _, v := range f.views {
		req.Filter.Views = append(req.Filter.Views, document.View(v))
	}
	if f.maxBytes != "" {
		size, err := config.ParseSize(f.maxBytes)
		if err != nil {
			return wrong("--max-bytes: %w", err)
		}
		req.MaxBytes = int64(size)
	}
	if req.DeadlineMS, err = deadlineOf(cmd, f.deadline); err != nil {
		return req, err
	}
	req.Commit, err = commitOf(cmd.Context(), f.commit)
	return req, err
}

func (c *grepCommand) print(places render.Places, req contract.GrepRequest, reply contract.GrepReply) error {
	people := terminal.IsTerminal(c.Stdout)
	if c.only {
		return render.GrepMatches(c.Stdout, c.Style(), people, places, reply)
	}
	return render.Grep(c.Stdout, c.Style(), people, places, req, reply)
}

func (c *grepCommand) run(ctx context.Context, req contract.GrepRequest, paths []string) error {
	nc, err := c.Dial(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	places := PlacesOf(ctx, nc)
	if err := standing(c.Program, places, c.all).narrow(&req.Filter, paths); err != nil {
		return err
	}
	raw, reply, err := client.Grep.Raw(ctx, nc, req)
	if err != nil {
		return err
	}
	if c.quiet {
		if reply.Matched > 0 {
			return nil // whatever was not searched
		}
	} else if c.json {
		err = c.PrintJSON(raw)
	} else if err = c.print(places, req, reply); err == nil {
		err = render.GrepNotes(c.Stderr, terminal.StyleFor(c.Stderr), places, req, reply)
		if err == nil && c.only {
			err = render.GrepMatchNotes(c.Stderr, reply)
		}
		if err == nil {
			err = render.LeaseNotes(c.Stderr, terminal.StyleFor(c.Stderr), places, reply.Lease)
		}
	}
	switch {
	case err != nil:
		return err
	case !reply.Complete || reply.Searched+reply.PassedOver == 0:
		return command.Unsearched
	case reply.Matched == 0:
		return command.NoHits
	}
	return nil
}
