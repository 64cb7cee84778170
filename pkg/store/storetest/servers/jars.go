package servers

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// leastJava is the Java for which Elasticsearch 8 is compiled.
const leastJava = 17

const javaFix = "install a JDK 17 or newer and Maven (Debian: apt install openjdk-17-jdk-headless maven; Fedora: dnf install java-21-openjdk-devel maven; macOS: brew install openjdk maven), or point JAVA_HOME to the JDK"

// buildElasticsearch downloads the server's jars, compares them with the sums
// that are kept here, and compiles the launcher.
func buildElasticsearch(ctx context.Context, log io.Writer, from, to string) error {
	javac, err := javaTool("javac")
	if err != nil {
		return err
	}
	if err := checkJava(ctx, javac); err != nil {
		return err
	}
	maven, err := exec.LookPath("mvn")
	if err != nil {
		return document.Errorf(document.NotFound, "Maven is missing; %s", javaFix)
	}
	lib := filepath.Join(to, "lib")
	if err := run(ctx, log, from, nil, maven, "-q", "-B", "--strict-checksums",
		"dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory="+lib); err != nil {
		return err
	}
	if err := checkSums(filepath.Join(from, "SHA256SUMS"), lib); err != nil {
		return err
	}
	return run(ctx, log, from, nil, javac, "-nowarn", "-cp", filepath.Join(lib, "*"), "-d", filepath.Join(to, "classes"), "EsNode.java")
}

// javaTool finds a program of the JDK in JAVA_HOME, or else in PATH.
func javaTool(name string) (string, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		name = filepath.Join(home, "bin", name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", document.Errorf(document.NotFound, "%s is missing; %s", name, javaFix)
	}
	return path, nil
}

func checkJava(ctx context.Context, javac string) error {
	// macOS has a program of this name which only says that there is no JDK.
	out, err := exec.CommandContext(ctx, javac, "-version").CombinedOutput()
	if err != nil {
		return document.Errorf(document.NotFound, "%s does not run (%s); %s", javac, strings.TrimSpace(string(out)), javaFix)
	}
	if m := regexp.MustCompile(`javac (\d+)`).FindSubmatch(out); m != nil {
		if major, err := strconv.Atoi(string(m[1])); err == nil && major >= leastJava {
			return nil
		}
	}
	return document.Errorf(document.VersionMismatch, "%s says %q, which is older than %d; %s", javac, strings.TrimSpace(string(out)), leastJava, javaFix)
}

// checkSums compares the files of the folder lib with a list as sha256sum writes
// it: none may be missing, changed or added.
func checkSums(list, lib string) error {
	f, err := os.Open(list)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	known := map[string]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		want, name, _ := strings.Cut(lines.Text(), "  ")
		known[name] = true
		got, err := sum(filepath.Join(lib, name))
		if err != nil {
			return err
		}
		if got != want {
			return document.Errorf(document.IdentityMismatch, "%s has the SHA-256 %s, but %s lists %s; remove it from the local Maven repository and try again", name, got, list, want)
		}
	}
	entries, err := os.ReadDir(lib)
	for _, e := range entries {
		if !known[e.Name()] {
			return document.Errorf(document.IdentityMismatch, "%s was downloaded but is not in %s; if pom.xml was changed on purpose, add it there", e.Name(), list)
		}
	}
	return errors.Join(err, lines.Err())
}

func sum(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("check a downloaded jar: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("check a downloaded jar: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
