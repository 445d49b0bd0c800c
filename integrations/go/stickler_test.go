package stickler

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
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
	options.Args = strings.Fields(os.Getenv("FAKE_ARGS"))
	options.Kinds = strings.Fields(os.Getenv("FAKE_KINDS"))
	options.Select = strings.Fields(os.Getenv("FAKE_SELECT"))
	options.Ignore = strings.Fields(os.Getenv("FAKE_IGNORE"))
	if os.Getenv("FAKE") == "cases" {
		Cases(t, "graphs", options)
		return
	}
	Check(t, options)
}

// command is `go test` of TestInner in a process of its own.
func command(t *testing.T, fake string, flags []string, env ...string) *exec.Cmd {
	t.Helper()
	program, err := filepath.Abs("testdata/stickler")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self, append([]string{"-test.run=^TestInner$", "-test.v"}, flags...)...)
	command.Env = append(os.Environ(), "STICKLER="+program, "FAKE="+fake)
	command.Env = append(command.Env, env...)
	return command
}

// inner returns what TestInner prints, and whether it passes.
func inner(t *testing.T, fake string, flags []string, env ...string) (string, bool) {
	t.Helper()
	printed, err := command(t, fake, flags, env...).CombinedOutput()
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
	expect(t, printed, "FAIL: TestInner/MR101", "resource.go:7: a difference is not seen", "#4   → cmp\\x1b e1",
		"^^ here", "← error=nil⏎--- PASS", "expected: an error", "also in 2 more cases",
		"replay: cd testdata/resource && stickler replay '.stickler/a b.jsonl'", "fix: stickler explain MR101",
		"PASS: TestInner/MR403")
	if passes {
		t.Error(printed)
	}
}

func TestTheMarkStandsBelowItsLetters(t *testing.T) {
	text := excerpt{Arrow: "sent", Text: "é\x1b=ab", Mark: []int{3, 2}}.text("#4")
	if want := "    #4   → é\\x1b=ab\n" + strings.Repeat(" ", 17) + "^^\n"; text != want {
		t.Errorf("%q instead of %q", text, want)
	}
}

func TestOtherKindsOfFindingsAreBrief(t *testing.T) {
	printed, _ := inner(t, "kinds", nil)
	expect(t, printed, "also: testdata/resource/resource.go:7: must: a difference", "and 2 more kinds")
	if count := strings.Count(printed, "expected: an error"); count != 1 {
		t.Errorf("%d findings are shown as a whole:\n%s", count, printed)
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

func TestAdviceNeverFails(t *testing.T) {
	printed, passes := inner(t, "advice", nil, "FAKE_LEVEL=should")
	expect(t, printed, "PASS: TestInner/MR210", "a difference is not seen")
	if !passes {
		t.Error(printed)
	}
}

func TestNothingPassesUnjudged(t *testing.T) {
	printed, passes := inner(t, "idle", nil)
	expect(t, printed, "exit status 4")
	if passes {
		t.Error(printed)
	}
	printed, passes = inner(t, "unexplained", nil)
	expect(t, printed, "no rule says why: exit status 1")
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
		{[]string{"-test.timeout=0", "-test.run=TestOther|TestInner/MR1"}, "", plain},
		{[]string{"-test.timeout=0"}, "FAKE_KINDS=note file", plain + " --kind note --kind file"},
		{[]string{"-test.timeout=0"}, "FAKE_SELECT=MR1 MR2", plain + " --select MR1 --select MR2"},
		{[]string{"-test.timeout=0", "-test.run=TestInner/MR20"}, "FAKE_SELECT=MR1 MR2", plain + " --select MR20"},
		{[]string{"-test.timeout=0", "-test.run=TestInner/MR2"}, "FAKE_SELECT=MR1 MR20", plain + " --select MR20"},
		{[]string{"-test.timeout=0", "-test.run=TestInner/MR3"}, "FAKE_SELECT=MR1 MR2", plain + " --select MR1 --select MR2"},
		{[]string{"-test.timeout=0"}, "FAKE_IGNORE=MR6", plain + " --ignore MR6"},
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
	for got, want := range map[string]string{
		arguments(t, []string{"-test.timeout=60s"}):                      plain + " --time ",
		arguments(t, []string{"-test.timeout=600s"}, "FAKE_ARGS=--deep"): plain + " --deep --time ",
	} {
		if strings.TrimRight(got, "0123456789s") != want {
			t.Errorf("%q does not begin with %q", got, want)
		}
	}
}

func TestAHangingProgramEndsBeforeTheDeadline(t *testing.T) {
	for _, fake := range []string{"hangs", "stubborn"} {
		fake := fake
		t.Run(fake, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pid")
			printed, passes := inner(t, fake, []string{"-test.timeout=8s"}, "FAKE_PID="+file)
			expect(t, printed, "FAIL: TestInner", "did not end before the deadline")
			if passes || strings.Contains(printed, "panic: test timed out") {
				t.Error(printed)
			}
			endsSoon(t, file)
		})
	}
}

func TestAnInterruptEndsTheProgramAndTheTest(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pid")
	command := command(t, "hangs", nil, "FAKE_PID="+file)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for tries := 0; tries < 400; tries++ {
		if text, _ := os.ReadFile(file); strings.HasSuffix(string(text), "\n") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()
	if status := command.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGINT {
		t.Errorf("the test ended with %s", command.ProcessState)
	}
	endsSoon(t, file)
}

// endsSoon waits until the process whose number a file holds has ended.
func endsSoon(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for tries := 0; isRunning(pid); tries++ {
		if tries == 100 {
			t.Fatal("a process of the program is left")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// isRunning says whether a process is there. One that has ended stays until its parent asks for it, which an init
// process in a container may never do.
func isRunning(pid int) bool {
	state, _ := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return len(state) > 0 && state[0] != 'Z'
}

func TestAModuleOfItsOwnNeedsOneFile(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/motd\n\ngo 1.21\n\nrequire github.com/_OWNER_/stickler/integrations/go v0.0.0\n\n" +
			"replace github.com/_OWNER_/stickler/integrations/go => " + here + "\n",
		"motd.go": "package motd\n\ntype Res struct{}\n\nfunc (obj *Res) Cmp(other *Res) error { return nil }\n",
		"stickler_test.go": "package motd\n\nimport (\n\t\"testing\"\n\n\tstickler \"github.com/_OWNER_/stickler/integrations/go\"\n)\n\n" +
			"func TestStickler(t *testing.T) { stickler.Check(t, stickler.Options{}) }\n\n" +
			"func TestGraphs(t *testing.T) { stickler.Cases(t, \"graphs\", stickler.Options{}) }\n",
		"graphs/a.txtar": "a\n",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(fake, test string) string {
		command := exec.Command("go", "test", "-run", test, "./...")
		command.Dir = folder
		command.Env = append(os.Environ(), "STICKLER="+filepath.Join(here, "testdata", "stickler"), "FAKE="+fake)
		printed, _ := command.CombinedOutput()
		return string(printed)
	}
	expect(t, run("must", "TestStickler"), "--- FAIL: TestStickler/MR101", "  motd.go:5: a difference is not seen",
		"replay: stickler replay '.stickler/a b.jsonl'", "FAIL\texample.org/motd")
	expect(t, run("sound", "TestStickler/MR1"), "ok  \texample.org/motd")
	// `go test` caches nothing that has read files of the last two seconds.
	age := func(names ...string) {
		for _, name := range names {
			before := time.Now().Add(-time.Hour)
			if err := os.Chtimes(filepath.Join(folder, name), before, before); err != nil {
				t.Fatal(err)
			}
		}
	}
	age("graphs/a.txtar", "graphs")
	expect(t, run("case", "TestGraphs"), "ok  \texample.org/motd")
	expect(t, run("case", "TestGraphs"), "(cached)")
	if err := os.WriteFile(filepath.Join(folder, "graphs", "b.txtar"), []byte("b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	age("graphs/b.txtar", "graphs")
	if printed := run("case", "TestGraphs"); strings.Contains(printed, "(cached)") {
		t.Errorf("a new case is not run:\n%s", printed)
	}
}
