package calibrate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Saved is a sample as a file keeps it, a line each.
type Saved struct {
	// Hit says that the sample is a hit, else it is an answer.
	Hit bool `json:"hit,omitempty"`
	Sample
}

// Save writes samples to a file.
func Save(file string, answers, hits []Sample) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return document.Errorf(document.InvalidRequest, "cannot keep the samples: %w: name a file in a folder that is there", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	out := json.NewEncoder(w)
	for i, list := range [][]Sample{answers, hits} {
		for _, s := range list {
			if err := out.Encode(Saved{Hit: i == 1, Sample: s}); err != nil {
				return fmt.Errorf("keep a sample: %w", err)
			}
		}
	}
	return w.Flush()
}

// Load reads samples from a file.
func Load(file string) (answers, hits []Sample, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, document.Errorf(document.NotFound, "cannot read the samples: %w: name a file that `freshet eval calibrate --save` made", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := json.NewDecoder(bufio.NewReader(f))
	in.DisallowUnknownFields() // a file of tasks is none of samples
	for in.More() {
		var s Saved
		if err := in.Decode(&s); err != nil {
			return nil, nil, document.Errorf(document.InvalidRequest, "%s holds no samples (%w): name a file that `freshet eval calibrate --save` made", file, err)
		}
		if s.Hit {
			hits = append(hits, s.Sample)
		} else {
			answers = append(answers, s.Sample)
		}
	}
	return answers, hits, nil
}
