package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/exec/image/imagetest"
)

// compile compiles a C program or library.
func compile(t *testing.T, out, source string, args ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gcc", append([]string{"-x", "c", "-o", out, "-"}, args...)...)
	cmd.Stdin = strings.NewReader(source)
	if b, err := cmd.CombinedOutput(); err != nil {
		if os.Getenv("SMTPIPE_REQUIRE_UMOCI") == "1" {
			t.Fatalf("gcc: %v: %s", err, b)
		}
		t.Skipf("gcc: %v: %s", err, b)
	}
}

// TestLacks checks that the reported lacks match what the place's loader reports.
func TestLacks(t *testing.T) {
	world, folder := t.TempDir(), t.TempDir()
	imagetest.World(t, world, "", "dash", "env")
	write(t, folder+"/script", "#!/usr/bin/dash\n", 0o755)
	write(t, folder+"/python", "#!/usr/bin/python3\n", 0o755)
	write(t, folder+"/by-env", "#!/usr/bin/env -S dash -e\n", 0o755)
	write(t, folder+"/by-env-python", "#!/usr/bin/env python3\n", 0o755)
	write(t, folder+"/own", "#!/solver/nothing\n", 0o755)
	write(t, folder+"/plain", "echo\n", 0o755)
	compile(t, folder+"/hello", "#include <stdio.h>\nint main() { puts(\"sat\"); }")
	compile(t, folder+"/static", "int main() { return 0; }", "-static")
	compile(t, folder+"/lib/libown.so", "int own() { return 1; }", "-shared", "-fPIC", "-Wl,-soname,libown.so")
	uses := "int own(); int main() { return own(); }"
	compile(t, folder+"/bin/origin", uses, "-L"+folder+"/lib", "-lown", "-Wl,-rpath,$ORIGIN/../lib")
	compile(t, folder+"/bin/lost", uses, "-L"+folder+"/lib", "-lown")
	compile(t, folder+"/other", "int main() { return 0; }", "-Wl,--dynamic-linker="+imagetest.Musl)
	compile(t, folder+"/new", "#include <stdio.h>\nint main() { puts(\"sat\"); }")
	b, err := os.ReadFile(folder + "/new")
	if err != nil {
		t.Fatal(err)
	}
	version := "GLIBC_2.34" // the version of __libc_start_main since glibc 2.34
	if !strings.Contains(string(b), version) {
		t.Skipf("this machine's programs do not need %s", version)
	}
	imagetest.Replace(t, folder+"/new", version, "GLIBC_2.99")
	p := Place{Root: world, Name: "the image", Target: "/solver", Folder: folder}
	for program, want := range map[string]string{
		"/solver/script": "", "/solver/by-env": "", "/solver/plain": "", "/solver/hello": "", "/solver/static": "",
		"/solver/bin/origin": "", "dash": "", "/bin/dash": "", "/usr/bin/env": "",
		"/solver/python":        "/solver/python is a script for /usr/bin/python3, which the image does not have",
		"/solver/by-env-python": "is a script for python3, which is not in the PATH of the image",
		"/solver/own":           "is a script for /solver/nothing, which the image does not have",
		"/solver/bin/lost":      "needs the library libown.so, which the image does not have",
		"/solver/other":         "needs the interpreter " + imagetest.Musl + ", which the image does not have",
		"/solver/new":           "needs GLIBC_2.99 of libc.so.6, which the image does not have (it has up to GLIBC_2.",
		"z3":                    "z3 is not in the PATH of the image",
	} {
		lacks, err := p.Lacks(program, nil)
		if err != nil {
			t.Errorf("%s: %v", program, err)
		}
		var texts []string
		for _, l := range lacks {
			texts = append(texts, l.String())
		}
		got := strings.Join(texts, "\n")
		if want == "" && got != "" || !strings.Contains(got, want) || len(lacks) > 1 {
			t.Errorf("%s: %q, want %q", program, got, want)
		}
	}
	if lacks, err := p.Lacks("/solver/bin/lost", []string{"LD_LIBRARY_PATH=/solver/lib"}); err != nil ||
		len(lacks) > 0 {
		t.Errorf("with LD_LIBRARY_PATH: %v, %v", lacks, err)
	}
	if lacks, err := p.Lacks("hello", []string{"PATH=/bin:/solver"}); err != nil || len(lacks) > 0 {
		t.Errorf("with PATH: %v, %v", lacks, err)
	}
	if _, err := p.Lacks("/solver/gone", nil); err == nil {
		t.Error("a program that is not there lacks nothing")
	}
	programs, err := p.Programs()
	want := []string{"/solver/bin/lost", "/solver/bin/origin", "/solver/hello", "/solver/new", "/solver/other"}
	if err != nil || !slices.Equal(programs, want) {
		t.Errorf("the programs are %v, %v", programs, err)
	}
	// On this machine, no program lacks anything.
	here := Place{Root: "/", Name: "this machine"}
	for _, program := range []string{"sh", "python3", "/usr/bin/env"} {
		if lacks, err := here.Lacks(program, nil); err != nil || len(lacks) > 0 {
			t.Errorf("%s on this machine: %v, %v", program, lacks, err)
		}
	}
}

// TestLacksMusl covers musl, whose interpreter is also its C library.
func TestLacksMusl(t *testing.T) {
	world := t.TempDir()
	imagetest.World(t, world, imagetest.Musl, "dash")
	program := world + "/usr/bin/dash"
	imagetest.Replace(t, program, "libc.so.6\x00", "libc.so\x00\x00\x00")
	if lacks, err := (Place{Root: world, Name: "it"}).Lacks("dash", nil); err != nil || len(lacks) > 0 {
		t.Errorf("%v, %v", lacks, err)
	}
}
