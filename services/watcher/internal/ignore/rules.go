package ignore

// ruleFile is a parsed ignore file.
type ruleFile struct {
	name  string
	rules []pattern
}

// decideGit asks git's rules, and the index for what they would ignore.
func (d *Dir) decideGit(rel, base string, dir bool) Decision {
	var git Decision
	if d.self.Class == ClassTracked {
		git = d.self // in an ignored directory everything is ignored
		git.Ignored = true
	} else {
		var found bool
		if git, found = d.lookup(rel, base, dir, func(d *Dir) *ruleFile { return &d.git }); !found {
			for i := range d.set.excludes {
				if git, found = d.set.excludes[i].decide(rel, base, dir); found {
					break
				}
			}
		}
		if found {
			git.Class = ClassGit
		}
	}
	if git.Ignored && d.set.tracked[rel] {
		git.Ignored, git.Class = false, ClassTracked
	} else if git.Ignored {
		git.Class = ClassGit
	}
	return git
}

// lookup asks the rule files of one kind from this directory up to the root;
// the innermost file that has a matching rule decides.
func (d *Dir) lookup(rel, base string, dir bool, file func(*Dir) *ruleFile) (Decision, bool) {
	for at := d; at != nil; at = at.parent {
		f := file(at)
		if len(f.rules) == 0 {
			continue
		}
		inner := rel
		if at.rel != "" {
			inner = rel[len(at.rel)+1:]
		}
		if dec, ok := f.decide(inner, base, dir); ok {
			return dec, true
		}
	}
	return Decision{}, false
}

// decide returns what the last matching rule says.
func (f *ruleFile) decide(rel, base string, dir bool) (Decision, bool) {
	for i := len(f.rules) - 1; i >= 0; i-- {
		p := &f.rules[i]
		if p.match(rel, base, dir) {
			return Decision{
				Ignored: !p.negated, Rule: p.rule, File: f.name, Line: p.line,
				Named: p.negated && p.names(),
			}, true
		}
	}
	return Decision{}, false
}
