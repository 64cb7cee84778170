// Package train fits the rows of a static model to pairs of a question and the
// passage that answers it: InfoNCE with the other passages of a batch as wrong
// answers (van den Oord et al., 2018), at the whole length of a vector and at
// its first half (Kusupati et al., 2022), with a step for each row that occurs.
package train
