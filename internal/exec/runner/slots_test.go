package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fakeSys writes a fake /sys with the given CPUs. Each line is "cpu package core node MHz". Offline CPUs have only a
// number.
func fakeSys(t *testing.T, text string) string {
	t.Helper()
	root := t.TempDir()
	write := func(p, content string) {
		p = filepath.Join(root, "sys/devices/system", p)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var online, offline []string
	threads, nodes := map[string][]string{}, map[string][]string{}
	var lines [][]string
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 1 {
			offline = append(offline, f[0])
		}
		if len(f) == 5 {
			lines = append(lines, f)
			online = append(online, f[0])
			threads[f[1]+"."+f[2]] = append(threads[f[1]+"."+f[2]], f[0])
			nodes[f[3]] = append(nodes[f[3]], f[0])
		}
	}
	write("cpu/online", strings.Join(online, ","))
	write("cpu/offline", strings.Join(offline, ","))
	for _, f := range lines {
		dir := "cpu/cpu" + f[0]
		write(dir+"/topology/physical_package_id", f[1])
		write(dir+"/topology/core_id", f[2])
		write(dir+"/topology/thread_siblings_list", strings.Join(threads[f[1]+"."+f[2]], ","))
		if f[4] != "-" {
			write(dir+"/cpufreq/cpuinfo_max_freq", f[4]+"000")
		}
	}
	var nodeNames []string
	for n := range nodes {
		nodeNames = append(nodeNames, n)
		write("node/node"+n+"/cpulist", strings.Join(nodes[n], ","))
		write("node/node"+n+"/meminfo", "Node "+n+" MemTotal:       1000000 kB")
	}
	write("node/online", strings.Join(nodeNames, ","))
	return root
}

const (
	flat = `0 0 0 0 -
1 0 1 0 -
`
	// Two packages, each with two cores of two threads. The numbers of a core's two threads differ by four.
	smt = `0 0 0 0 3000
1 0 1 0 3000
2 1 0 1 3000
3 1 1 1 3000
4 0 0 0 3000
5 0 1 0 3000
6 1 0 1 3000
7 1 1 1 3000
`
	// Two fast cores with two threads each, four slow cores with one thread each, and an offline CPU.
	hybridCores = `0 0 0 0 5000
1 0 0 0 5000
2 0 1 0 4900
3 0 1 0 4900
4 0 2 0 3500
5 0 3 0 3500
6 0 4 0 3500
7 0 5 0 3500
8
`
)

func TestPlanSlots(t *testing.T) {
	const gb = int64(1e9)
	tests := []struct {
		name, sys string
		cfg       Config
		memory    int64
		want      []string // CPU list of each slot, with @ and its NUMA nodes
		over      bool
		err       string
	}{
		{name: "as many as cores", sys: flat, want: []string{"0@0", "1@0"}},
		{name: "one job", sys: flat, cfg: Config{Jobs: 1}, want: []string{"0@0"}},
		{name: "too many jobs", sys: flat, cfg: Config{Jobs: 3},
			err: "3 runs of 1 cores each do not fit 2 cores; use at most 2"},
		{name: "too many jobs allowed", sys: flat, cfg: Config{Jobs: 3, Overcommit: true}, want: []string{"0@0", "1@0",
			"0@0"}, over: true},
		{name: "too many cores", sys: flat, cfg: Config{CoresPerRun: 4},
			err: "a run needs 4 cores, but this machine has 2 cores"},
		{name: "too many cores allowed", sys: flat, cfg: Config{CoresPerRun: 4, Jobs: 1, Overcommit: true},
			want: []string{"0-1@0"}, over: true},
		{name: "memory bounds the slots", sys: flat, cfg: Config{MemoryPerRun: 6 * gb}, memory: 10 * gb,
			want: []string{"0@0"}},
		{name: "memory refuses", sys: flat, cfg: Config{MemoryPerRun: 6 * gb, Jobs: 2}, memory: 10 * gb,
			err: "2 runs of 6000 MB need 12.0 GB of memory, but the machine has 10.0 GB for them; lower the number " +
				"of jobs to 1"},
		{name: "physical cores go round the packages", sys: smt, want: []string{"0,4@0", "2,6@1", "1,5@0", "3,7@1"}},
		{name: "two cores stay in a package", sys: smt, cfg: Config{CoresPerRun: 2}, want: []string{"0-1,4-5@0",
			"2-3,6-7@1"}},
		{name: "three cores span packages", sys: smt, cfg: Config{CoresPerRun: 3}, want: []string{"0-2,4-6@0,1"}},
		{name: "threads as cores", sys: smt, cfg: Config{CoresPerRun: 2, UseSiblings: true},
			want: []string{"0,4@0", "2,6@1", "1,5@0", "3,7@1"}},
		{name: "classes are not mixed", sys: hybridCores, cfg: Config{CoresPerRun: 2}, want: []string{"0-3@0", "4-5@0",
			"6-7@0"}},
		{name: "classes are named", sys: hybridCores, cfg: Config{CoresPerRun: 5},
			err: "but this machine has 2 of 5000 MHz and 4 of 3500 MHz cores"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			top, err := readTopology(fakeSys(t, tt.sys), nil)
			if err != nil {
				t.Fatal(err)
			}
			plans, over, err := planSlots(top, tt.cfg, tt.memory)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range plans {
				got = append(got, formatList(p.cpus)+"@"+formatListPlain(p.nodes))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || over != tt.over {
				t.Errorf("overcommit %v, want %v; slots (-want +got):\n%s", over, tt.over, diff)
			}
		})
	}
}

// formatListPlain writes every number: nodes 0 and 1 must not be read as a range.
func formatListPlain(list []int) string {
	var words []string
	for _, n := range list {
		words = append(words, itoa(n))
	}
	return strings.Join(words, ",")
}

func TestReadTopologyNamesClassesAndOffline(t *testing.T) {
	top, err := readTopology(fakeSys(t, hybridCores), func(c int) bool { return c != 7 })
	if err != nil {
		t.Fatal(err)
	}
	if len(top.CPUs) != 7 || len(top.Offline) != 1 || top.Offline[0] != 8 {
		t.Errorf("%d CPUs, offline %v", len(top.CPUs), top.Offline)
	}
	if top.Nodes[0] != 1000000<<10 {
		t.Errorf("memory of node 0 is %d", top.Nodes[0])
	}
	if _, err := readTopology(fakeSys(t, flat), func(int) bool { return false }); err == nil {
		t.Error("no allowed CPU is no error")
	}
}

func TestLists(t *testing.T) {
	tests := []struct {
		name, text string
		want       []int
		back       string
		bad        bool
	}{
		{name: "empty", text: ""},
		{name: "one", text: "3", want: []int{3}, back: "3"},
		{name: "ranges", text: "0-2,5,7-8", want: []int{0, 1, 2, 5, 7, 8}, back: "0-2,5,7-8"},
		{name: "word", text: "a", bad: true},
		{name: "backwards", text: "3-1", bad: true},
		{name: "open", text: "3-", bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseList(tt.text)
			if (err != nil) != tt.bad || !cmp.Equal(got, tt.want) {
				t.Errorf("parseList(%q) = %v, %v", tt.text, got, err)
			}
			if back := formatList(got); !tt.bad && back != tt.back {
				t.Errorf("formatList gives %q, want %q", back, tt.back)
			}
		})
	}
}
