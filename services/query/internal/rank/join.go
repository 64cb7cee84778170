package rank

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// joinConstant is that of the reciprocal ranks of Join. On issues of eight projects
// 1 was better than 3, 5, 10, 30 and 60.
const joinConstant = 1

// Join puts what a part of a question found into the order of what the whole
// found, both best first. Files are ordered by the sum of the reciprocals of their
// ranks in both, and have the scores of the whole; the passages of a file keep
// their proportions. What only the part found is in no channel but that.
func Join(whole, part []candidate.Candidate) []candidate.Candidate {
	at := make(map[document.ChunkID]int, len(whole)+len(part))
	sums := make([]float64, 0, len(whole)+len(part))
	files := map[fileKey]float64{}
	all := whole
	top := 0.0
	for i := range whole {
		at[whole[i].ID] = i
		top = max(top, whole[i].Final-Exact(&whole[i]))
	}
	inWhole := standing(whole, files)
	for i := range whole {
		sums = append(sums, inWhole[i])
	}
	inPart := standing(part, files)
	for i := range part {
		c := &part[i]
		k, known := at[c.ID]
		if !known {
			k = len(all)
			all = append(all, candidate.Candidate{Found: c.Found, Fused: c.Fused, Signals: c.Signals, Confidence: c.Confidence})
			sums = append(sums, 0)
		}
		all[k].Part = contract.Channel{Rank: i + 1, Score: c.Final}
		sums[k] += inPart[i]
	}
	first, best := 0.0, map[fileKey]float64{}
	for i := range all {
		k := keyOf(&all[i])
		first, best[k] = max(first, files[k]), max(best[k], sums[i])
	}
	for i := range all {
		k := keyOf(&all[i])
		lifted := Exact(&all[i])
		all[i].Final = lifted
		if first > 0 && best[k] > 0 {
			all[i].Final += max(top, 1) * files[k] / first * sums[i] / best[k]
		}
	}
	sortBy(all, func(c *candidate.Candidate) float64 { return c.Final })
	return all
}

// standing returns what each passage of a list has of its file's share, and adds
// the shares of the files.
func standing(list []candidate.Candidate, files map[fileKey]float64) []float64 {
	share, best := map[fileKey]float64{}, map[fileKey]float64{}
	out := make([]float64, len(list))
	for i := range list {
		k := keyOf(&list[i])
		if share[k] == 0 {
			share[k] = 1 / float64(joinConstant+len(share)+1)
			best[k] = list[i].Final
		}
		out[i] = share[k]
		if best[k] > 0 {
			out[i] *= max(list[i].Final, 0) / best[k]
		}
	}
	for k, s := range share {
		files[k] += s
	}
	return out
}

func keyOf(c *candidate.Candidate) fileKey { return fileKey{c.Attrs.Source, c.Attrs.Doc} }
