package runner

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TestSlurmJob uses variables documented in srun(1). Sizes are in MiB.
func TestSlurmJob(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		want Job
	}{
		{"no job", map[string]string{"SLURM_CPUS_ON_NODE": "3"}, Job{}},
		{"a step", map[string]string{"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "3",
			"SLURM_CPUS_PER_TASK": "2", "SLURM_CPUS_ON_NODE": "8", "SLURM_MEM_PER_NODE": "1000",
			"SLURMD_NODENAME": "n1"},
			Job{ID: "7", Node: "n1", Tasks: 3, CPUs: 2, MemoryBytes: 1048576000}},
		{"a batch script, memory by CPU", map[string]string{"SLURM_JOB_ID": "8", "SLURM_STEP_NUM_TASKS": "9",
			"SLURM_CPUS_ON_NODE": "4", "SLURM_MEM_PER_CPU": "100"},
			Job{ID: "8", Tasks: 1, CPUs: 4, MemoryBytes: 419430400}},
		{"all the memory", map[string]string{"SLURM_JOB_ID": "9", "SLURM_CPUS_ON_NODE": "x", "SLURM_MEM_PER_NODE": "0"},
			Job{ID: "9", Tasks: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := slurmJob(func(name string) string { return tt.env[name] }); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestJobMemory checks that the driver reserves 64 of 1000 MiB, and that a grant above the machine's memory has no
// effect.
func TestJobMemory(t *testing.T) {
	if got := (Job{MemoryBytes: 1000 << 20}).memory(8e9); got != 936<<20 {
		t.Errorf("%d bytes, want 936 MiB", got)
	}
	for _, j := range []Job{{}, {MemoryBytes: 9e9}} {
		if got := j.memory(8e9); got != 8e9 {
			t.Errorf("%+v: %d bytes, want all 8 GB", j, got)
		}
	}
}

// TestJobChoosesCPUs checks that a job granted two CPUs uses only two of the four available.
func TestJobChoosesCPUs(t *testing.T) {
	machine := &Topology{CPUs: []CPU{{ID: 1000}, {ID: 1001}, {ID: 1002}, {ID: 1003}}}
	lock, _ := lockCores([]int{1000})
	defer lock.release()
	Job{CPUs: 2}.choose(machine)
	var ids []int
	for _, c := range machine.CPUs {
		ids = append(ids, c.ID)
	}
	if !slices.Equal(ids, []int{1001, 1002}) {
		t.Errorf("CPUs %v, want those that nobody has: 1001 and 1002", ids)
	}
}

// TestMemoryLimits checks that the smallest limit among a cgroup's ancestors applies.
func TestMemoryLimits(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "job", "step")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"job/memory.max": "1000\n", "job/step/memory.max": "max\n",
		"job/step/memory.stat": "cache 5\nhierarchical_memory_limit 700\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := memoryLimitV2(root, dir); got != 1000 {
		t.Errorf("v2: %d, want 1000", got)
	}
	if got := memoryLimitV1(dir); got != 700 {
		t.Errorf("v1: %d, want 700", got)
	}
}

// TestJobOutOfMemory checks that a run that the kernel killed below its own limit never has a result. It does not
// matter whether the kernel killed the command, or another of its processes whose end the driver saw first.
func TestJobOutOfMemory(t *testing.T) {
	for _, ended := range []comp.Ending{"", comp.OutOfMemory} {
		if machineKilled(false, true, true, ended) == nil {
			t.Errorf("ended by %q: it is a result", ended)
		}
	}
	if err := machineKilled(false, true, true, comp.WallTimeout); err != nil {
		t.Errorf("a timeout is none: %v", err)
	}
}
