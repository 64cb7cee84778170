package ignore

import "strings"

// secretFiles are files whose only content is credentials.
var secretFiles = map[string]bool{
	".npmrc": true, ".netrc": true, "_netrc": true, ".pypirc": true, ".pgpass": true,
	".git-credentials": true, ".htpasswd": true,
	"id_rsa": true, "id_dsa": true, "id_ecdsa": true, "id_ed25519": true,
	"id_ecdsa_sk": true, "id_ed25519_sk": true,
	".vault-token": true, ".dockercfg": true, ".s3cfg": true, ".boto": true,
}

// secretDirs are directories that hold keys and credentials.
var secretDirs = map[string]bool{".ssh": true, ".gnupg": true, ".aws": true, ".kube": true, ".azure": true}

// secretSuffixes end the names of key stores.
var secretSuffixes = []string{".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk"}

// publicEnv are the endings of example files, which hold no values.
var publicEnv = []string{".example", ".sample", ".template", ".dist", ".defaults"}

// Secret reports whether a path, relative and with forward slashes, is one
// under which secrets are kept, and by which rule.
func Secret(path string) (rule string, ok bool) {
	elements := strings.Split(path, "/")
	for i, base := range elements {
		if rule, ok := secretName(base, i < len(elements)-1); ok {
			return rule, true
		}
	}
	return "", false
}

// secretName reports whether a name is one under which secrets are kept.
func secretName(base string, dir bool) (rule string, ok bool) {
	if dir {
		return base + "/", secretDirs[base]
	}
	if secretFiles[base] {
		return base, true
	}
	if base == ".env" || base == ".envrc" || strings.HasPrefix(base, ".env.") {
		for _, s := range publicEnv {
			if strings.HasSuffix(base, s) {
				return "", false
			}
		}
		return ".env*", true
	}
	for _, s := range secretSuffixes {
		if strings.HasSuffix(base, s) {
			return "*" + s, true
		}
	}
	return "", false
}
