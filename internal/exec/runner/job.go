package runner

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Job describes the resources that a batch system granted to this process. A zero field was not specified.
type Job struct {
	ID          string // Slurm's job ID
	Node        string // the batch system's name for the machine
	Tasks       int    // number of processes that execute the same command in this step
	CPUs        int    // number of logical CPUs on this machine
	MemoryBytes int64  // memory on this machine
}

// jobOverhead is the part of a job's memory reserved for the driver.
const jobOverhead = 64 << 20

// ReadJob reads Slurm's variables and the memory limit of this process's cgroup, which also applies without Slurm.
func ReadJob() Job {
	j := slurmJob(os.Getenv)
	if limit := memoryLimit(); limit < memInfo("MemTotal") && (j.MemoryBytes == 0 || limit < j.MemoryBytes) {
		j.MemoryBytes = limit
	}
	return j
}

// memoryLimit returns the memory limit on this process's cgroup, including limits on its ancestors.
func memoryLimit() int64 {
	limit := int64(math.MaxInt64)
	if v2, v1, err := findHierarchies(); err == nil {
		if h, ok := v1["memory"]; ok {
			limit = min(limit, memoryLimitV1(h.own))
		}
		if v2 != nil {
			limit = min(limit, memoryLimitV2(v2.mount, v2.own))
		}
	}
	return limit
}

// checkJob reports which resources the job may use, and which limits Slurm does not enforce.
func (r *Report) checkJob() {
	j := slurmJob(os.Getenv)
	if j.ID == "" {
		return
	}
	r.Add("job", CheckOK, ReadJob().String(), "")
	if j.Tasks > 1 {
		r.Add("tasks of the step", CheckFailed, fmt.Sprintf("%d: each task would execute every run", j.Tasks),
			"start one task: srun --ntasks=1 --nodes=1")
	}
	usable := 0
	if may, err := affinity(); err == nil {
		if t, err := readTopology("/", may); err == nil {
			usable = len(t.CPUs)
		}
	}
	if j.CPUs > 0 && usable > j.CPUs {
		detail := fmt.Sprintf("%d are granted, but this job and others can use %d", j.CPUs, usable)
		r.Add("cores of the job", CheckWarning, detail, "have the administrator set TaskPlugin=task/cgroup in slurm.conf and ConstrainCores=yes in cgroup.conf")
	} else if j.CPUs > 0 {
		r.Add("cores of the job", CheckOK, fmt.Sprintf("%d, exclusively", usable), "")
	}
	switch limit := memoryLimit(); {
	case limit < memInfo("MemTotal"):
		r.Add("memory of the job", CheckOK, "a cgroup limits it to "+bytesText(limit), "")
	default:
		r.Add("memory of the job", CheckWarning, "unlimited: other jobs can use the memory that runs need",
			"have the administrator set TaskPlugin=task/cgroup in slurm.conf and ConstrainRAMSpace=yes in cgroup.conf, or "+
				"request whole nodes (--exclusive)")
	}
}

// slurmJob reads the variables set by srun(1) and sbatch(1). Sizes are in MiB; zero means all of the node's memory.
func slurmJob(getenv func(string) string) Job {
	number := func(name string) int {
		n, err := strconv.Atoi(getenv(name))
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	j := Job{ID: getenv("SLURM_JOB_ID"), Node: getenv("SLURMD_NODENAME")}
	if j.ID == "" {
		return Job{}
	}
	if j.Tasks = number("SLURM_STEP_NUM_TASKS"); getenv("SLURM_STEP_ID") == "" {
		j.Tasks = 1 // the only script of a batch job
	}
	if j.CPUs = number("SLURM_CPUS_PER_TASK"); j.CPUs == 0 {
		j.CPUs = number("SLURM_CPUS_ON_NODE")
	}
	mib := number("SLURM_MEM_PER_NODE")
	if mib == 0 {
		cpus := number("SLURM_CPUS_ON_NODE")
		mib = number("SLURM_MEM_PER_CPU") * max(1, cpus)
	}
	j.MemoryBytes = int64(mib) << 20
	return j
}

// String describes the granted resources in readable form.
func (j Job) String() string {
	var parts []string
	if j.ID != "" {
		parts = append(parts, "Slurm job "+j.ID)
	}
	if j.Node != "" {
		parts = append(parts, "node "+j.Node)
	}
	if j.CPUs > 0 {
		parts = append(parts, fmt.Sprintf("%d CPUs", j.CPUs))
	}
	if j.MemoryBytes > 0 {
		parts = append(parts, bytesText(j.MemoryBytes)+" of memory")
	}
	return strings.Join(parts, ", ")
}

// memory returns the part of total that is available to runs.
func (j Job) memory(total int64) int64 {
	if j.MemoryBytes == 0 || j.MemoryBytes >= total {
		return total
	}
	return max(0, j.MemoryBytes-jobOverhead)
}

// choose selects the CPUs to use if the job has access to more than it was granted, for example because Slurm does not
// bind tasks to cores. It prefers CPUs that no other driver uses, and leaves the rest alone.
func (j Job) choose(t *Topology) {
	if j.CPUs == 0 || len(t.CPUs) <= j.CPUs {
		return
	}
	var free, taken []int
	for _, c := range t.CPUs {
		lock, shared := lockCores([]int{c.ID})
		lock.release()
		if shared {
			taken = append(taken, c.ID)
		} else {
			free = append(free, c.ID)
		}
	}
	granted := append(free, taken...)[:j.CPUs]
	t.CPUs = slices.DeleteFunc(t.CPUs, func(c CPU) bool { return !slices.Contains(granted, c.ID) })
}

// memoryLimitV2 is the equivalent of memoryLimitV1 for v2.
func memoryLimitV2(mount, own string) int64 {
	limit := int64(math.MaxInt64)
	for dir := own; len(dir) > len(mount); dir = filepath.Dir(dir) {
		if n, err := readInt(filepath.Join(dir, "memory.max")); err == nil {
			limit = min(limit, n)
		}
	}
	return limit
}

// kernelKills returns the number of processes that the kernel has killed for lack of memory, on the whole machine or in
// any cgroup.
func kernelKills() int64 {
	vmstat, err := readKernel("/proc/vmstat")
	if err != nil {
		return 0
	}
	n, _ := findKey(vmstat, "oom_kill")
	return n
}
