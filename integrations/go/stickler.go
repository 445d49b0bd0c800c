// Package stickler checks mgmt resources from `go test`: each rule of Stickler becomes a subtest.
//
//	func TestStickler(t *testing.T) {
//		stickler.Check(t, stickler.Options{})
//	}
//
// The package needs the program `stickler`: in PATH, in the variable STICKLER, or in Options.Program. It checks the
// resources that the `stickler.toml` of the folder describes.
package stickler

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Level says which findings fail a test.
type Level int

const (
	// Must fails for findings of level `must`; others are logged.
	Must Level = iota
	// Should also fails for findings of level `should`.
	Should
)

// Options say what is checked, and how. The zero value checks the folder of the test.
type Options struct {
	// Dir is the folder with the package and its stickler.toml. The default is the test's own.
	Dir string
	// Program is the program to run. The default is $STICKLER, or `stickler` in PATH.
	Program string
	// Level says which findings fail the test.
	Level Level
	// Kinds are the kinds of resources to check. The default is all.
	Kinds []string
	// Select has the beginnings of the rules to judge, such as "MR2". The default is all rules.
	Select []string
	// Ignore has the beginnings of rules to leave out.
	Ignore []string
	// Args are further arguments of `stickler check`, such as "--deep".
	Args []string
}

// margin is the time between the end of a check and the deadline of the test. The program has half of it to remove
// what it has made.
const margin = 5 * time.Second

// usual is the time limit of a check that names none.
const usual = time.Minute

// Check runs `stickler check`, and reports each judged rule as a subtest with the rule's code as its name.
//
// `-short` runs the quick suite, `-race` compiles the resources with the race detector, and `-run TestStickler/MR2`
// judges these rules alone. The check takes a minute at most, as on the command line, and ends before the deadline of
// the test.
func Check(t *testing.T, options Options) {
	t.Helper()
	lines := options.run(t, options.arguments(t))
	source := readSource(options.dir())
	explained := false
	for _, one := range lines.rules {
		explained = explained || one.fails(options.Level)
		t.Run(one.Rule, func(t *testing.T) { one.report(t, source, options) })
	}
	lines.end(t, explained)
}

// Cases runs the cases of graphs in all files `*.txtar` below a folder of Options.Dir, and reports each as a subtest
// with its path as its name. Cases have no rules and no quick suite: Kinds, Level, Select, Ignore and `-short` mean
// nothing here.
func Cases(t *testing.T, folder string, options Options) {
	t.Helper()
	arguments := []string{"check", "--format", "json", "--cases", folder}
	if isRacing {
		arguments = append(arguments, "--race")
	}
	lines := options.run(t, append(arguments, options.Args...))
	options.touch(folder)
	explained := false
	for _, one := range lines.cases {
		explained = explained || !one.passes()
		t.Run(one.Case, one.report)
	}
	if len(lines.cases) == 0 {
		t.Errorf("there is no case below %s\n%s", folder, lines.said)
	}
	lines.end(t, explained)
}

// touch reads all files below a folder: `go test` runs a cached test again only if a file changes that it has read.
func (options Options) touch(folder string) {
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(options.dir(), folder)
	}
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			_, err = os.ReadFile(path)
		}
		return err
	})
}

// run runs the program so that it ends before the deadline of the test.
func (options Options) run(t *testing.T, arguments []string) output {
	t.Helper()
	program, err := options.program()
	if err != nil {
		t.Fatal(err)
	}
	ctx, grace := context.Background(), margin/2
	if deadline, ok := t.Deadline(); ok {
		left := time.Until(deadline)
		// A short deadline still leaves most of itself for the check.
		rest := min(margin, left/4)
		left, grace = left-rest, rest/2
		// The suite ends earlier, so that what it found is still tried again.
		limit := left * 3 / 4
		if (limit < usual || slices.ContainsFunc(arguments, isLong)) && !slices.ContainsFunc(arguments, isLimit) {
			arguments = append(arguments, "--time", fmt.Sprintf("%ds", max(1, int(limit.Seconds()))))
		}
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, left)
		defer stop()
	}
	lines, err := run(ctx, grace, program, arguments, options.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// isLimit says whether an argument already limits the run, or names cases, which have no limit.
func isLimit(argument string) bool {
	return strings.HasPrefix(argument, "--time") || argument == "--cases"
}

// isLong says whether an argument removes the usual limit of a minute.
func isLong(argument string) bool {
	return argument == "--deep" || argument == "--baseline" || strings.HasPrefix(argument, "--sessions")
}

// end reports how the program ended, unless failed subtests explain it. With a higher code than that of findings, it
// has not judged what it should.
func (out output) end(t *testing.T, explained bool) {
	t.Helper()
	for _, hint := range out.summary.Hints {
		t.Log(hint)
	}
	if code := out.ended.ExitCode(); code != 0 && (code != 1 || !explained) {
		t.Errorf("stickler failed, and no rule says why: %s\n%s", out.ended, out.said)
	}
}

func (options Options) dir() string {
	if options.Dir == "" {
		return "."
	}
	return options.Dir
}

func (options Options) program() (string, error) {
	name := options.Program
	if name == "" {
		name = os.Getenv("STICKLER")
	}
	if name == "" {
		name = "stickler"
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%w\n  install Stickler, or name the program in STICKLER or Options.Program", err)
	}
	// A path is meant from the test's folder, and the program runs in Options.Dir.
	return filepath.Abs(found)
}

func (options Options) arguments(t *testing.T) []string {
	arguments := []string{"check", "--format", "json"}
	if options.Level == Should {
		arguments = append(arguments, "--strict")
	}
	if testing.Short() {
		arguments = append(arguments, "--quick")
	}
	if isRacing {
		arguments = append(arguments, "--race")
	}
	for _, kind := range options.Kinds {
		arguments = append(arguments, "--kind", kind)
	}
	for _, prefix := range narrow(options.Select, wantedRule(t.Name())) {
		arguments = append(arguments, "--select", prefix)
	}
	for _, prefix := range options.Ignore {
		arguments = append(arguments, "--ignore", prefix)
	}
	return append(arguments, options.Args...)
}

var code = regexp.MustCompile(`^\^?(MR[0-9]{0,3})\$?$`)

// wantedRule is the beginning of codes that `-run` asks for below a test, if it asks for one alone.
func wantedRule(test string) string {
	pattern := flag.Lookup("test.run")
	if pattern == nil || strings.Contains(pattern.Value.String(), "|") {
		return ""
	}
	parts := strings.Split(pattern.Value.String(), "/")
	depth := strings.Count(test, "/") + 1
	if len(parts) <= depth {
		return ""
	}
	if found := code.FindStringSubmatch(parts[depth]); found != nil {
		return found[1]
	}
	return ""
}

// narrow limits the beginnings of codes in selected to those that begin with wanted. If none does, all stay, and
// `go test` leaves out their subtests.
func narrow(selected []string, wanted string) []string {
	if wanted == "" {
		return selected
	}
	if len(selected) == 0 {
		return []string{wanted}
	}
	var both []string
	for _, prefix := range selected {
		if strings.HasPrefix(prefix, wanted) {
			both = append(both, prefix)
		} else if strings.HasPrefix(wanted, prefix) {
			both = append(both, wanted)
		}
	}
	if both == nil {
		return selected
	}
	return both
}

// output is what a run has printed.
type output struct {
	rules   []rule
	cases   []graphCase
	summary summary
	// said is the text on standard error.
	said  string
	ended *os.ProcessState
}

// read takes a line of the program. It says whether the line is the last one of a run.
func (out *output) read(text []byte) (bool, error) {
	var line struct {
		Event string `json:"event"`
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return false, err
	}
	switch line.Event {
	case "rule":
		var one rule
		err := json.Unmarshal(text, &one)
		out.rules = append(out.rules, one)
		return false, err
	case "case":
		var one graphCase
		err := json.Unmarshal(text, &one)
		out.cases = append(out.cases, one)
		return false, err
	case "summary", "cases":
		return true, json.Unmarshal(text, &out.summary)
	}
	return false, nil
}

// run runs the program until it ends or ctx is done. Then it and its process group are killed: they have this much
// grace after SIGTERM.
func run(ctx context.Context, grace time.Duration, program string, arguments []string, dir string) (output, error) {
	var out output
	var stdout, stderr bytes.Buffer
	ctx, interrupt := context.WithCancel(ctx)
	defer interrupt()
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir = dir
	command.Stdout, command.Stderr = &stdout, &stderr
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	command.WaitDelay = grace
	// The terminal sends its signals to the group of the test alone.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	caught := make(chan os.Signal, 1)
	go func() {
		select {
		case one := <-signals:
			caught <- one
			interrupt()
		case <-ctx.Done():
		}
	}()
	err := command.Run()
	signal.Stop(signals)
	if command.Process != nil {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	}
	out.said = strings.TrimSpace(stderr.String())
	out.ended = command.ProcessState
	select {
	case one := <-caught:
		// The test ends as if nobody had caught the signal, which may reach another thread a moment later.
		_ = syscall.Kill(os.Getpid(), one.(syscall.Signal))
		time.Sleep(time.Second)
		return out, fmt.Errorf("%s", one)
	default:
	}
	if ctx.Err() != nil {
		return out, fmt.Errorf("stickler did not end before the deadline of the test; give `go test` a longer -timeout, or use -short\n%s", out.said)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return out, fmt.Errorf("%s cannot be run: %w", program, err)
	}
	scanner := bufio.NewScanner(&stdout)
	scanner.Buffer(nil, 1<<28)
	ended := false
	for scanner.Scan() {
		last, err := out.read(scanner.Bytes())
		if err != nil {
			return out, fmt.Errorf("stickler printed something else than its lines of JSON: %w", err)
		}
		ended = ended || last
	}
	if err := scanner.Err(); err != nil {
		return out, err
	}
	if !ended {
		return out, fmt.Errorf("stickler judged nothing (%s)\n%s", command.ProcessState, out.said)
	}
	return out, nil
}
