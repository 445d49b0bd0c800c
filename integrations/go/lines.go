package stickler

import (
	"fmt"
	"strings"
	"testing"
)

// The lines of `stickler check --format json`; docs/schema/check.schema.json describes them.

type graphCase struct {
	Case        string       `json:"case"`
	Verdict     string       `json:"verdict"`
	Message     string       `json:"message"`
	Title       string       `json:"title"`
	Differences []difference `json:"differences"`
}

type difference struct {
	Part string `json:"part"`
	Diff string `json:"diff"`
}

type rule struct {
	Rule        string    `json:"rule"`
	Level       string    `json:"level"`
	Verdict     string    `json:"verdict"`
	Message     string    `json:"message"`
	Title       string    `json:"title"`
	Reproducer  string    `json:"reproducer"`
	ExplainedBy string    `json:"explained_by"`
	Findings    []finding `json:"findings"`
}

type finding struct {
	Message  string    `json:"message"`
	Expected string    `json:"expected"`
	Case     string    `json:"case"`
	Context  string    `json:"context"`
	Agent    string    `json:"agent"`
	More     int       `json:"more"`
	Excerpt  []excerpt `json:"excerpt"`
}

type excerpt struct {
	Exchange *int   `json:"exchange"`
	Arrow    string `json:"arrow"`
	Text     string `json:"text"`
	Note     string `json:"note"`
}

type summary struct {
	Exit  int      `json:"exit"`
	Hints []string `json:"hints"`
}

// report gives the verdict of a case to its subtest.
func (one graphCase) report(t *testing.T) {
	if one.Verdict == "pass" || one.Verdict == "accepted" {
		return
	}
	text := one.Title + "\n  " + one.Message
	for _, difference := range one.Differences {
		text += fmt.Sprintf("\n  %s:\n%s", difference.Part, difference.Diff)
	}
	t.Error(text)
}

// report gives the verdict of a rule to its subtest.
func (one rule) report(t *testing.T, source source, options Options) {
	t.Helper()
	switch one.Verdict {
	case "pass", "xfail":
		return
	case "not-exercised", "skipped", "waived":
		t.Skipf("%s: %s", one.Verdict, one.Message)
	case "fail", "flaky", "advice", "xpass":
		text := one.text(source)
		if one.fails(options.Level) {
			t.Error(text)
		} else {
			t.Log(text)
		}
	default:
		t.Errorf("%s has the verdict %q, which this package does not know: use the version of Stickler's release", one.Rule, one.Verdict)
	}
}

// fails says whether the rule fails the run, as the exit code of `stickler check` does.
func (one rule) fails(level Level) bool {
	switch one.Verdict {
	case "xpass":
		return true
	case "advice":
		return false
	}
	return one.Level == "must" || one.Level == "should" && level == Should
}

// text is what a person reads about a broken rule.
func (one rule) text(source source) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s: %s\n", one.Rule, one.Level, one.Title)
	if len(one.Findings) == 0 {
		fmt.Fprintf(&out, "  %s\n", one.Message)
	}
	for _, found := range one.Findings {
		if place := source.place(found, one.Title); place != "" {
			fmt.Fprintf(&out, "  %s: %s\n", place, found.Message)
		} else {
			fmt.Fprintf(&out, "  %s\n", found.Message)
		}
		fmt.Fprintf(&out, "  %s\n", found.Context)
		if found.Expected != "" {
			fmt.Fprintf(&out, "  expected: %s\n", found.Expected)
		}
		for _, line := range found.Excerpt {
			out.WriteString(line.text())
		}
		if found.Agent != "" {
			fmt.Fprintf(&out, "  mgmt: %s\n", found.Agent)
		}
		if found.More > 0 {
			fmt.Fprintf(&out, "  also in %d more cases\n", found.More)
		}
	}
	if one.Reproducer != "" {
		fmt.Fprintf(&out, "  replay: stickler replay %s\n", one.Reproducer)
	}
	fmt.Fprintf(&out, "  fix: stickler explain %s", one.Rule)
	return out.String()
}

func (line excerpt) text() string {
	number := ""
	if line.Exchange != nil {
		number = fmt.Sprintf("#%d", *line.Exchange)
	}
	arrow := map[string]string{"sent": "→", "received": "←", "effect": "+"}[line.Arrow]
	text := fmt.Sprintf("    %-4s %1s %s", number, arrow, line.Text)
	if line.Note != "" {
		text += "  (" + line.Note + ")"
	}
	return text + "\n"
}
