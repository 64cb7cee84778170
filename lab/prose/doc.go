// Package prose makes task sets of public collections of questions about prose:
// of abstracts, and of encyclopedia paragraphs in several languages. The
// collections are not part of this project.
package prose
