package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPackageScripts installs and removes the AppArmor profile in a dpkg root folder.
func TestPackageScripts(t *testing.T) {
	for name, knows := range map[string]bool{"with user namespaces": true, "older": false} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write := func(path string, content []byte) {
				t.Helper()
				path = filepath.Join(root, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, content, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			profile, err := os.ReadFile("../../scripts/package/smtpipe.apparmor")
			if err != nil {
				t.Fatal(err)
			}
			write("usr/lib/smtpipe/smtpipe.apparmor", profile)
			if write("etc/apparmor.d/abi/3.0", nil); knows {
				write("etc/apparmor.d/abi/4.0", nil)
			}
			script := func(name, arg string) {
				t.Helper()
				cmd := exec.Command("sh", "../../scripts/package/"+name, arg)
				cmd.Env = append(os.Environ(), "DPKG_ROOT="+root)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s %s: %v\n%s", name, arg, err, out)
				}
			}
			installed := func() bool {
				got, err := os.ReadFile(filepath.Join(root, "etc/apparmor.d/smtpipe"))
				return err == nil && string(got) == string(profile)
			}
			script("postinst", "configure")
			if installed() != knows {
				t.Errorf("installed: %v, want %v", installed(), knows)
			}
			script("prerm", "upgrade")
			script("postinst", "configure")
			if installed() != knows {
				t.Errorf("installed after an upgrade: %v, want %v", installed(), knows)
			}
			script("prerm", "remove")
			if installed() {
				t.Error("the profile is there after the removal")
			}
		})
	}
}
