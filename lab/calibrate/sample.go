// Package calibrate fits how sure an answer may be of itself: it asks tasks,
// compares what the answers knew with what they were worth, and makes the
// calibration that the query service applies.
package calibrate

// Sample is one answer, or one hit of it.
type Sample struct {
	// Group is what samples have in common that must not be on both sides of a
	// fold: the tasks of one folder, or of one repository.
	Group string
	// Set is the name of the tasks that it is of: where it has one, all of them are on
	// one side of a fold, so that a fit is judged by sets that it has not seen.
	Set      string
	Evidence map[string]float64
	// Task is the kind of task that it is of, Stated the probability that the reply
	// states, and Nothing whether it says that nothing in it is relevant.
	Task    string
	Stated  float64
	Nothing bool
	// Right says that the answer was among the hits, or that the hit is it.
	Right bool
	// Unanswerable says that nothing in the corpus answers the question.
	Unanswerable bool
}
