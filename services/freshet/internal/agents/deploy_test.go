package agents_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"
)

// What the plugin and the link start is what freshet agent install writes.
func TestPlugin_StartsTheServerThatInstallWrites(t *testing.T) {
	type server struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	want := server{"freshet", []string{"mcp"}}
	folder := filepath.Join("..", "..", "..", "..", "deploy", "agents")
	read := func(name string, into any) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var plugin struct {
		Servers map[string]server `json:"mcpServers"`
	}
	read("freshet/.mcp.json", &plugin)
	if got := plugin.Servers["freshet"]; !reflect.DeepEqual(got, want) {
		t.Errorf("the plugin starts %+v", got)
	}
	var market struct {
		Plugins []struct{ Name, Source string }
	}
	read(".claude-plugin/marketplace.json", &market)
	for _, p := range market.Plugins {
		var manifest struct{ Name string }
		read(filepath.Join(p.Source, ".claude-plugin", "plugin.json"), &manifest)
		if manifest.Name != p.Name {
			t.Errorf("the plugin %s calls itself %s", p.Name, manifest.Name)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	link, err := url.Parse(regexp.MustCompile(`cursor://\S+`).FindString(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(link.Query().Get("config"))
	var got server
	if err == nil {
		err = json.Unmarshal(raw, &got)
	}
	if err != nil || link.Query().Get("name") != "freshet" || !reflect.DeepEqual(got, want) {
		t.Errorf("the link %s means %+v, %v", link, got, err)
	}
}
