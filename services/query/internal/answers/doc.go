// Package answers has a language model answer a question from passages, and holds
// what it says against them: sentence by sentence, before anybody sees it.
package answers
