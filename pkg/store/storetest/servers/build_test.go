package servers

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAChangedJar_IsRefused(t *testing.T) {
	// The sum of "jar", as sha256sum says it.
	const list = "0163f1eea7894350060624d315234d40c508ab251ba121714e234503045faadd  a.jar\n"
	for name, c := range map[string]struct {
		files map[string]string
		wants string
	}{
		"changed": {map[string]string{"a.jar": "jar!"}, "a.jar has the SHA-256"},
		"missing": {map[string]string{}, "a.jar"},
		"added":   {map[string]string{"a.jar": "jar", "b.jar": "jar"}, "b.jar was downloaded but is not in"},
		"same":    {map[string]string{"a.jar": "jar"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			lib, sums := t.TempDir(), filepath.Join(t.TempDir(), "SHA256SUMS")
			write(t, sums, list)
			for file, content := range c.files {
				write(t, filepath.Join(lib, file), content)
			}
			err := checkSums(sums, lib)
			if c.wants == "" && err != nil || c.wants != "" && (err == nil || !strings.Contains(err.Error(), c.wants)) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAMissingTool_IsNamed(t *testing.T) {
	t.Setenv(FolderVariable, t.TempDir())
	tools := t.TempDir()
	t.Setenv("PATH", tools)
	t.Setenv("JAVA_HOME", "")
	fails := func(wants ...string) {
		t.Helper()
		err := Build(t.Context(), io.Discard)
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error does not say %q: %v", want, err)
			}
		}
	}
	fails("javac is missing", "apt install")
	javac := filepath.Join(tools, "javac")
	script := func(says string) {
		t.Helper()
		write(t, javac, "#!/bin/sh\n"+says+"\n")
		if err := os.Chmod(javac, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script("echo no runtime present; exit 1")
	fails("does not run (no runtime present)", "apt install")
	script("echo javac 11.0.2")
	fails(`"javac 11.0.2", which is older than 17`, "apt install")
	script("echo javac 21.0.1")
	fails("Maven is missing", "apt install")
}

func TestAServerThatIsNotBuilt_IsNamedWithTheFix(t *testing.T) {
	t.Setenv(elasticsearch.variable, "")
	t.Setenv(weaviate.variable, "")
	t.Setenv(FolderVariable, t.TempDir())
	for _, open := range []func() (*Server, error){
		func() (*Server, error) { return Elasticsearch(t.Context(), t.TempDir()) },
		func() (*Server, error) { return Weaviate(t.Context(), t.TempDir()) },
	} {
		if _, err := open(); err == nil || !strings.Contains(err.Error(), "make servers-build") {
			t.Errorf("the error is %v", err)
		}
	}
}
