package service_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/freshet/internal/service"
)

var odd = service.Service{Command: []string{"/opt/a b/freshet", "up", "--", `/src/100% "$HOME" <&> \x`}, Log: "/var/log/a&b", Home: "/home/ada", UID: 501}

func TestArgument_MeansNothingToTheServiceManager(t *testing.T) {
	_, unit, err := odd.File("linux")
	if err != nil || !strings.Contains(unit, "\nExecStart=\"/opt/a b/freshet\" \"up\" \"--\" \"/src/100%% \\\"$$HOME\\\" <&> \\\\x\"\n") {
		t.Errorf("the unit is %s, %v", unit, err)
	}
	_, plist, err := odd.File("darwin")
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for d := xml.NewDecoder(strings.NewReader(plist)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, plist)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "string" {
			var text string
			if err := d.DecodeElement(&text, &start); err != nil {
				t.Fatal(err)
			}
			words = append(words, text)
		}
	}
	if got, want := strings.Join(words[1:5], "\n"), strings.Join(odd.Command, "\n"); got != want {
		t.Errorf("the arguments are %q", got)
	}
	if _, _, err := odd.File("plan9"); document.KindOf(err) != document.InvalidRequest {
		t.Errorf("another system: %v", err)
	}
}

func TestServiceOfSomebodyElse_IsNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "freshet.service")
	if _, there, err := service.Ours(path); there || err != nil {
		t.Fatalf("%v, %v", there, err)
	}
	_, unit, err := odd.File("linux")
	if err == nil {
		err = service.Write(path, unit)
	}
	if err != nil {
		t.Fatal(err)
	}
	if text, there, err := service.Ours(path); text != unit || !there || err != nil {
		t.Errorf("%q, %v, %v", text, there, err)
	}
	if err := os.WriteFile(path, []byte("[Unit]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := service.Ours(path); document.KindOf(err) != document.Conflict {
		t.Errorf("that of somebody else: %v", err)
	}
}
