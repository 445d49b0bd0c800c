package stickler

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestInner is what the other tests run in a `go test` of its own, because it may fail.
func TestInner(t *testing.T) {
	if os.Getenv("FAKE") == "" {
		t.Skip("only other tests run it")
	}
	options := Options{Dir: "testdata/resource"}
	if os.Getenv("FAKE_LEVEL") == "should" {
		options.Level = Should
	}
	if words := os.Getenv("FAKE_ARGS"); words != "" {
		options.Args = strings.Fields(words)
	}
	if os.Getenv("FAKE") == "cases" {
		Cases(t, "graphs", options)
		return
	}
	Check(t, options)
}

// inner runs TestInner in a process of its own. It returns what that prints, and whether it passes.
func inner(t *testing.T, fake string, flags []string, env ...string) (string, bool) {
	t.Helper()
	program, err := filepath.Abs("testdata/stickler")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := "-test.run=^TestInner$"
	command := exec.Command(self, append([]string{run, "-test.v"}, flags...)...)
	command.Env = append(os.Environ(), "STICKLER="+program, "FAKE="+fake)
	command.Env = append(command.Env, env...)
	printed, err := command.CombinedOutput()
	return string(printed), err == nil
}

func expect(t *testing.T, printed string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(printed, text) {
			t.Errorf("%q is not in:\n%s", text, printed)
		}
	}
}

func TestEachRuleIsASubtest(t *testing.T) {
	printed, passes := inner(t, "sound", nil)
	expect(t, printed, "PASS: TestInner/MR101", "SKIP: TestInner/MR102", "not-exercised: why", "a hint")
	if !passes {
		t.Error(printed)
	}
}

func TestABrokenRuleFailsWithItsPlace(t *testing.T) {
	printed, passes := inner(t, "must", nil)
	expect(t, printed, "FAIL: TestInner/MR101", "resource.go:7: a difference is not seen", "#4   → cmp e1",
		"also in 2 more cases", "fix: stickler explain MR101", "PASS: TestInner/MR403")
	if passes {
		t.Error(printed)
	}
}

func TestEachCaseIsASubtest(t *testing.T) {
	printed, passes := inner(t, "cases", []string{"-test.timeout=0"})
	expect(t, printed, "PASS: TestInner/graphs/a.txtar", "FAIL: TestInner/graphs/b.txtar", "the end differs", "+failed")
	if passes {
		t.Error(printed)
	}
}

func TestTheLevelSaysWhatFails(t *testing.T) {
	printed, passes := inner(t, "should", nil)
	expect(t, printed, "PASS: TestInner/MR403", "a difference is not seen")
	if !passes {
		t.Error(printed)
	}
	printed, passes = inner(t, "should", nil, "FAKE_LEVEL=should")
	expect(t, printed, "FAIL: TestInner/MR403")
	if passes {
		t.Error(printed)
	}
}

func TestNothingPassesUnjudged(t *testing.T) {
	printed, passes := inner(t, "idle", nil)
	expect(t, printed, "exit code 4")
	if passes {
		t.Error(printed)
	}
	printed, passes = inner(t, "config", nil)
	expect(t, printed, "stickler judged nothing", `stickler.toml:3:1: unknown key "colour"`)
	if passes {
		t.Error(printed)
	}
	printed, passes = inner(t, "sound", nil, "STICKLER=/nowhere/stickler")
	expect(t, printed, "install Stickler, or name the program")
	if passes {
		t.Error(printed)
	}
}

// arguments are those that the program got. A failing run shows them.
func arguments(t *testing.T, flags []string, env ...string) string {
	t.Helper()
	printed, _ := inner(t, "config", flags, env...)
	_, after, _ := strings.Cut(printed, "arguments: ")
	line, _, _ := strings.Cut(after, "\n")
	return line
}

func TestFlagsOfGoTestReachTheProgram(t *testing.T) {
	plain := "check --format json"
	if isRacing {
		plain += " --race"
	}
	for _, one := range []struct {
		flags []string
		env   string
		want  string
	}{
		{[]string{"-test.timeout=0"}, "", plain},
		{[]string{"-test.timeout=0", "-test.short"}, "", strings.Replace(plain, "json", "json --quick", 1)},
		{[]string{"-test.timeout=0", "-test.run=TestInner/MR40"}, "", plain + " --select MR40"},
		{[]string{"-test.timeout=0", "-test.run=TestInner/^MR403$"}, "", plain + " --select MR403"},
		{[]string{"-test.timeout=0", "-test.run=TestInner/MR1|MR2"}, "", plain},
		{[]string{"-test.timeout=0"}, "FAKE_ARGS=--deep --seed=7", plain + " --deep --seed=7"},
		{[]string{"-test.timeout=0"}, "FAKE_LEVEL=should", strings.Replace(plain, "json", "json --strict", 1)},
		{[]string{"-test.timeout=600s"}, "", plain},
		{[]string{"-test.timeout=40s"}, "FAKE_ARGS=--time=9s", plain + " --time=9s"},
	} {
		got := arguments(t, one.flags, one.env)
		if got != one.want {
			t.Errorf("%v %s: %q instead of %q", one.flags, one.env, got, one.want)
		}
	}
	// What the deadline leaves depends on how long the process took to start.
	got := arguments(t, []string{"-test.timeout=60s"})
	if want := plain + " --time "; strings.TrimRight(got, "0123456789s") != want {
		t.Errorf("%q does not begin with %q", got, want)
	}
}

func TestAHangingProgramEndsBeforeTheDeadline(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pid")
	began := time.Now()
	printed, passes := inner(t, "hangs", []string{"-test.timeout=20s"}, "FAKE_PID="+file)
	expect(t, printed, "FAIL: TestInner", "did not end before the deadline")
	if passes || strings.Contains(printed, "panic: test timed out") {
		t.Error(printed)
	}
	if took := time.Since(began); took > 60*time.Second {
		t.Errorf("it took %s", took)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("sh", "-c", "kill -0 "+strings.TrimSpace(string(text)))
	for tries := 0; command.Run() == nil; tries++ {
		if tries == 100 {
			t.Fatal("a process of the program is left")
		}
		time.Sleep(50 * time.Millisecond)
		command = exec.Command(command.Args[0], command.Args[1:]...)
	}
}
