package runner

import (
	"os"
	"testing"
)

// scenario is a problem that a runner must survive.
type scenario struct {
	name  string // starts with the scenario's number
	test  func(t *turn, l *lab)
	timed bool // whether claims about time hold only on an idle machine
}

// scenarios lists everything that has gone wrong with a solver, a runner or a machine in a competition, to our
// knowledge. Issue numbers in the tests refer to BenchExec, the field's reference, where the problems were first
// described.
var scenarios = []scenario{
	{"01 not startable", notStartable, false},
	{"02 exit codes", exitCodes, false},
	{"03 dies by signal", diesBySignal, false},
	{"04 CPU limit, one thread", cpuLimitOneThread, true},
	{"05 CPU limit, many threads and processes", cpuLimitMany, true},
	{"06 wall limit", wallLimit, true},
	{"07 soft limits", softLimits, true},
	{"08 ends at the limit", endsAtLimit, true},
	{"09 answers, then goes on", answersThenGoesOn, true},
	{"10 memory bomb", memoryBomb, true},
	{"11 memory bomb in a child", memoryBombChild, true},
	{"12 very small memory limit", tinyMemoryLimit, true},
	{"13 init survives", initSurvives, true},
	{"14 killed by the machine", killedByMachine, false},
	{"15 address space is not limited", addressSpace, false},
	{"16 no swap", noSwap, false},
	{"17 page cache of inputs", pageCache, false},
	{"18 scratch files count as memory", scratchCounts, false},
	{"19 fork bomb", forkBombScenario, true},
	{"20 daemon", daemonScenario, true},
	{"21 ignores signals", ignoresSignals, true},
	{"22 zombies", zombies, true},
	{"23 stops itself", stopsItself, true},
	{"24 frozen cgroup", frozen, true},
	{"25 no cgroups inside", noCgroupsInside, false},
	{"26 kills everybody", killsEverybody, false},
	{"27 attacks init", attacksInit, false},
	{"28 sees nothing of others", seesNothing, false},
	{"29 writes to its inputs", writesInputs, false},
	{"30 result files", resultFiles, false},
	{"31 floods its output", floods, true},
	{"32 long line", longLineScenario, false},
	{"33 truncates its output", truncates, false},
	{"34 closes its output", closesOutput, true},
	{"35 standard input", standardInput, false},
	{"36 network and IPC", networkAndIPC, false},
	{"37 inherits nothing", inheritsNothing, false},
	{"38 arguments and paths", argumentsAndPaths, false},
	{"39 gains no privileges", gainsNothing, false},
	{"40 priority and affinity", priorityAndAffinity, false},
	{"41 driver is interrupted", driverInterrupted, true},
	{"42 driver is killed", driverKilled, false},
	{"43 starting thread ends", startingThreadEnds, true},
	{"44 two drivers", twoDrivers, false},
	{"45 clock", clockScenario, true},
	{"46 flags of the machine", machineFlags, false},
	{"47 disk full", diskFull, false},
	{"48 cgroup is busy or gone", cgroupTrouble, false},
	{"49 many runs at once", manyRuns, true},
	{"50 machines of all kinds", machinesOfAllKinds, false},
	{"51 home and temporary folders", homeFolders, false},
	{"52 waits for input in the pre-flight", waitsForInput, true},
}

// TestScenarios executes all scenarios in this machine's modes. SMTPIPE_RUNNER_MODES=all adds the rarer modes; a mode's
// name selects only that mode. Tests that a mode does not support are skipped with the reason. A scenario about time is
// attempted three times, because the machine may be busy; a scenario about isolation only once.
func TestScenarios(t *testing.T) {
	want := os.Getenv("SMTPIPE_RUNNER_MODES")
	for _, m := range modes {
		if want != "" && want != "all" && want != m.name || want == "" && m.heavy {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			l := openLab(t, m)
			for _, s := range scenarios {
				attempts := 1
				if s.timed {
					attempts = 3
				}
				t.Run(s.name, func(t *testing.T) { attempt(t, attempts, func(t *turn) { s.test(t, l) }) })
			}
		})
	}
}

// TestScenariosAreComplete compares the list with the catalogue's 52 scenarios.
func TestScenariosAreComplete(t *testing.T) {
	if len(scenarios) != 52 {
		t.Errorf("there are %d scenarios, want 52", len(scenarios))
	}
}
