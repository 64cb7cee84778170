// Package secrets finds secrets and personal data in texts that are about to leave for a
// model of somebody else's, and takes them out.
//
// gitleaks.toml are the rules of gitleaks (github.com/gitleaks/gitleaks, MIT, see
// gitleaks.LICENSE), unchanged: the file config/gitleaks.toml of its commit 09242ce9 of
// 2025-11-20, which was the newest on 2026-07-22. To bring them up to date, put a newer
// file in its place and run the tests: each of its expressions has to be one of Go's.
package secrets
