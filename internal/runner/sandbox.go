package runner

import (
	"os"
	"path/filepath"
	"strings"
)

const (
	defaultOpenFilesSoft = 1024
	defaultOpenFilesHard = 4096
	defaultProcesses     = 4096
	nobody               = 65534 // the user and group of commands when the driver is root
)

// systemDirs are the folders of the host that HostSystem shows. Where the host has a link, the run gets the same link.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt"}

// systemFiles are the parts of /etc and /sys that dynamic linking, time zones and thread libraries read.
var systemFiles = []string{
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime",
	"/etc/java-11-openjdk", "/etc/java-17-openjdk", "/etc/java-21-openjdk",
	"/sys/devices/system/cpu", "/sys/devices/system/node",
}

// systemRoot is the root file system of a run with the host's programs. uid and gid own the scratch space.
func systemRoot(uid, gid int, scratch int64) *rootSpec {
	spec := bareRoot(uid, gid, scratch)
	for _, dir := range systemDirs {
		if text, err := os.Readlink(dir); err == nil {
			spec.Links = append(spec.Links, linkSpec{Target: dir, Text: text})
		} else {
			spec.showSystem(dir)
		}
	}
	for _, f := range systemFiles {
		spec.showSystem(f)
	}
	return spec
}

// showSystem shows a part of the host if it is there.
func (s *rootSpec) showSystem(path string) {
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	kind := kindFile
	if info.IsDir() {
		kind = kindFolder
	}
	s.Binds = append(s.Binds, bindSpec{Source: path, Target: path, Optional: true, Kind: kind})
}

// base divides the root of runs with the host's programs: into what is the same for all runs of a slot, which its nursery puts
// together once and which is only shown to each, and the rest. Both sides of an init make it for themselves.
func (s *rootSpec) base() (base, rest *rootSpec) {
	base = &rootSpec{Binds: s.Binds, Files: s.Files}
	rest = &rootSpec{Scratch: s.Scratch, UID: s.UID, GID: s.GID, Proc: s.Proc}
	tops := map[string]bool{}
	add := func(target string) {
		top, _, _ := strings.Cut(target[1:], "/")
		if !tops[top] {
			tops[top] = true
			rest.Parts = append(rest.Parts, top)
		}
	}
	for _, b := range s.Binds {
		add(b.Target)
	}
	for _, f := range s.Files {
		add(f.Target)
	}
	for _, l := range s.Links {
		if top := strings.LastIndexByte(l.Target, '/') == 0; top {
			rest.Links = append(rest.Links, l)
		} else {
			base.Links = append(base.Links, l)
			add(l.Target)
		}
	}
	return base, rest
}

// takesPart tells whether a target lies in a folder of the base where the host has nothing, so that it could not be made.
func takesPart(target string) bool {
	for _, dir := range []string{"/dev/", "/etc/", "/sys/"} {
		if strings.HasPrefix(target+"/", dir) {
			return true
		}
	}
	return false
}

// bareRoot has devices, /proc, scratch folders and the names of users, but no programs.
func bareRoot(uid, gid int, scratch int64) *rootSpec {
	spec := &rootSpec{Scratch: scratch, UID: uid, GID: gid, Proc: true}
	for _, d := range []string{"null", "zero", "full", "random", "urandom"} {
		p := filepath.Join("/dev", d)
		spec.Binds = append(spec.Binds, bindSpec{Source: p, Target: p, Devices: true, Writable: true, Kind: kindFile})
	}
	spec.Links = []linkSpec{
		{"/dev/fd", "/proc/self/fd"}, {"/dev/stdin", "/proc/self/fd/0"}, {"/dev/stdout", "/proc/self/fd/1"},
		{"/dev/stderr", "/proc/self/fd/2"},
	}
	spec.Files = []fileSpec{
		{"/etc/passwd", []byte("root:x:0:0:root:/:/bin/false\nsolver:x:1000:1000:solver:" + HomeDir + ":/bin/false\n" +
			"nobody:x:65534:65534:nobody:" + HomeDir + ":/bin/false\n"), 0o444},
		{"/etc/group", []byte("root:x:0:\nsolver:x:1000:\nnogroup:x:65534:\n"), 0o444},
		{"/etc/hosts", []byte("127.0.0.1 localhost " + Hostname + "\n::1 localhost\n"), 0o444},
		{"/etc/nsswitch.conf", []byte("passwd: files\ngroup: files\nhosts: files\n"), 0o444},
	}
	return spec
}
