package quality

import "fmt"

// Check returns an error when the whole scores below floor (NDCG@10 over
// files), or not above both channels alone.
func Check(answers []Answer, floor float64) error {
	whole, _, n := Mean(answers, Arms[len(Arms)-1].Name, all)
	if n == 0 {
		return fmt.Errorf("no task was asked")
	}
	if whole < floor {
		return fmt.Errorf("the whole has NDCG@10 %.3f over files, below the floor of %.3f", whole, floor)
	}
	for _, arm := range Arms[:2] {
		if alone, _, _ := Mean(answers, arm.Name, all); whole <= alone {
			return fmt.Errorf("the whole has NDCG@10 %.3f over files, no more than %s with %.3f", whole, arm.Name, alone)
		}
	}
	return nil
}
