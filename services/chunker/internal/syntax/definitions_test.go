package syntax

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// listed writes definitions as "first-last symbol [doc lines]".
func listed(t *testing.T, language, content string) []string {
	t.Helper()
	p := NewParser()
	t.Cleanup(p.Close)
	list, err := p.Definitions(language, []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckDefinitions([]byte(content), list); err != nil {
		t.Error(err)
	}
	var out []string
	for _, d := range list {
		s := fmt.Sprintf("%d-%d %s", d.Start, d.End, d.Symbol)
		if d.DocStart > 0 {
			s += fmt.Sprintf(" [%d-%d]", d.DocStart, d.DocEnd)
		}
		out = append(out, s)
	}
	return out
}

func TestDocComment_IsItsFunctions(t *testing.T) {
	for _, test := range []struct {
		language, content string
		want              []string
	}{
		{"go", `// Package demo shows.
package demo

// A comment that stands alone.

func bare() {}

// Serve does it
// in two lines.
func (s *Server[T]) Serve() error {
	// not a doc comment
	return nil
}

type T struct{} // behind it
func after() {}

/* Block does it. */
func Block() {
	f := func() {}
	f()
}
`, []string{"6-6 bare", "10-13 Server.Serve [8-9]", "16-16 after", "19-22 Block [18-18]"}},
		{"python", `class A:
    """Of the class."""

    def run(self):
        """Runs it

        at length."""
        return 1

    def only(self):
        """Nothing else."""

@cached
@other(1)
def free(x):
    # no docstring
    return x

def inline(): """Beside it."""; return 2

async def later():
    r'''Later.'''
    await x
`, []string{"4-8 A.run [5-7]", "10-11 A.only", "13-17 free", "19-19 inline", "21-23 later [22-22]"}},
		{"rust", `/// Parses it
/// well.
#[inline]
pub fn parse(s: &str) -> u8 { 0 }

impl Foo {
    /// Of a method.
    fn go(&self) {}

    fn no(&self) {}
}

mod inner {
    /// Deep.
    pub fn deep() {}
}
`, []string{"4-4 parse [1-2]", "8-8 Foo.go [7-7]", "10-10 Foo.no", "15-15 deep [14-14]"}},
		{"java", `package a;
class B {
  /**
   * Adds.
   */
  @Override
  public int add(int a) {
    return a;
  }
  int field; // x
  void none() {}
}
`, []string{"6-9 B.add [3-5]", "11-11 B.none"}},
		{"typescript", `/** Loads it. */
export async function load(x: string): Promise<void> {
}
// Squares.
export const square = (n: number) => n * n;

class C {
  /** Of the method. */
  run(): void {}
}
`, []string{"2-3 load [1-1]", "5-5 square [4-4]", "9-9 C.run [8-8]"}},
		{"javascript", `/**
 * Old way.
 */
exports.old = function (a) {
  return a;
};
`, []string{"4-6 old [1-3]"}},
	} {
		if got := listed(t, test.language, test.content); !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %s\nwant %s", test.language, strings.Join(got, "\n     "), strings.Join(test.want, "\n     "))
		}
	}
}

// A content that ends anywhere, or lacks its beginning, has no lines beyond its
// own.
func TestFunctionOfABrokenContent_LiesWithinIt(t *testing.T) {
	p := NewParser()
	t.Cleanup(p.Close)
	for language, content := range map[string]string{
		"go":         "// A.\nfunc (t *T) Run(\n\ta int) {\n\tgo func() {}()\n}\r\n/* B */ func b() {}\n",
		"python":     "@x\ndef f(a):\n    '''Doc\n\n    more'''\n    return 1\n\nclass C:\n  async def g(self): 'x'; return\n",
		"typescript": "/** A */\nexport default class C { /** b */ run() {}\n}\nnamespace N { // c\nfunction f() {} }\n",
		"rust":       "/// A\n#[x]\nimpl T { //! b\n/// c\nfn f() {} }\nmacro_rules! m { () => {} }",
		"java":       "/** A */ class B { /** C */ @X int f() { return 1; } interface I { void g(); } }\n",
		"cpp":        "// A\ntemplate <class T>\nint f(T x) { return 1; }\nnamespace n { /* b */ void g(); }\n",
	} {
		for i := range len(content) {
			for _, part := range []string{content[:i], content[i:]} {
				list, err := p.Definitions(language, []byte(part))
				if err == nil {
					err = CheckDefinitions([]byte(part), list)
				}
				if err != nil {
					t.Fatalf("%s %q: %v", language, part, err)
				}
			}
		}
	}
}
