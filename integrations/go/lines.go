package stickler

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
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
	Rule       string    `json:"rule"`
	Level      string    `json:"level"`
	Verdict    string    `json:"verdict"`
	Message    string    `json:"message"`
	Title      string    `json:"title"`
	Reproducer string    `json:"reproducer"`
	Findings   []finding `json:"findings"`
}

type finding struct {
	Level    string    `json:"level"`
	Message  string    `json:"message"`
	Expected string    `json:"expected"`
	Case     string    `json:"case"`
	Context  string    `json:"context"`
	Agent    string    `json:"agent"`
	More     int       `json:"more"`
	Others   []string  `json:"others"`
	Excerpt  []excerpt `json:"excerpt"`
}

type excerpt struct {
	Exchange *int   `json:"exchange"`
	Arrow    string `json:"arrow"`
	Text     string `json:"text"`
	Mark     []int  `json:"mark"`
	Note     string `json:"note"`
}

type summary struct {
	Hints []string `json:"hints"`
}

func (one graphCase) passes() bool {
	return one.Verdict == "pass" || one.Verdict == "accepted"
}

// report gives the verdict of a case to its subtest.
func (one graphCase) report(t *testing.T) {
	if one.passes() {
		return
	}
	text := one.Title
	if one.Message != "" {
		text += "\n" + one.Message
	}
	for _, difference := range one.Differences {
		text += fmt.Sprintf("\n%s:\n%s", difference.Part, strings.TrimRight(difference.Diff, "\n"))
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
		text := one.text(source, options.Dir)
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
	case "fail", "flaky":
		return one.Level == "must" || level == Should
	}
	return false
}

// kinds is how many findings of other kinds are shown, one line each.
const kinds = 3

// such is how many other texts of the same defect are shown.
const such = 2

// text is what a person reads about a broken rule, in the order of the terminal: the first finding as a whole, and the
// others briefly. Reproducers are named from dir.
func (one rule) text(source source, dir string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s: %s\n", one.Rule, one.Level, visible(one.Title))
	if len(one.Findings) == 0 {
		fmt.Fprintf(&out, "  %s\n", visible(one.Message))
	}
	for i, found := range one.Findings {
		place := source.place(found, one.Title)
		if place != "" {
			place += ": "
		}
		switch {
		case i == 0:
			fmt.Fprintf(&out, "  %s%s\n", place, visible(found.Message))
			found.evidence(&out)
		case i <= kinds:
			fmt.Fprintf(&out, "  also: %s%s: %s\n", place, found.Level, visible(found.Message))
		}
	}
	if rest := len(one.Findings) - 1 - kinds; rest > 0 {
		fmt.Fprintf(&out, "  and %d more kinds\n", rest)
	}
	if one.Reproducer != "" {
		replay := "stickler replay " + quoted(one.Reproducer)
		if dir != "" {
			replay = "cd " + quoted(dir) + " && " + replay
		}
		fmt.Fprintf(&out, "  replay: %s\n", replay)
	}
	fmt.Fprintf(&out, "  fix: stickler explain %s", one.Rule)
	return out.String()
}

// evidence writes where a finding was seen, and what shows it.
func (found finding) evidence(out *strings.Builder) {
	if found.Context != "" {
		fmt.Fprintf(out, "  %s\n", visible(found.Context))
	}
	exchange := 0
	for _, line := range found.Excerpt {
		number := ""
		if line.Exchange != nil && *line.Exchange != exchange {
			exchange = *line.Exchange
			number = fmt.Sprintf("#%d", exchange)
		}
		out.WriteString(line.text(number))
	}
	if found.Expected != "" {
		fmt.Fprintf(out, "  expected: %s\n", visible(found.Expected))
	}
	if found.Agent != "" {
		fmt.Fprintf(out, "  agent: %s\n", visible(found.Agent))
	}
	if found.More > 0 {
		fmt.Fprintf(out, "  also in %d more cases\n", found.More)
	}
	for _, other := range found.Others[:min(such, len(found.Others))] {
		fmt.Fprintf(out, "  such as: %s\n", visible(other))
	}
}

var arrows = map[string]string{"sent": "→", "received": "←", "effect": "+"}

func (line excerpt) text(number string) string {
	arrow := arrows[line.Arrow]
	// Some effects begin with a sign of their own.
	if arrow == "+" && strings.IndexAny(line.Text, "+-~(") == 0 {
		arrow = ""
	}
	before := fmt.Sprintf("    %-4s %1s ", number, arrow)
	text := before + visible(line.Text)
	if len(line.Mark) == 2 {
		// The mark stands below what visible makes of the letters.
		letters := []rune(line.Text)
		from := min(line.Mark[0], len(letters))
		to := min(from+line.Mark[1], len(letters))
		blank := len([]rune(before + visible(string(letters[:from]))))
		signs := max(1, len([]rune(visible(string(letters[from:to])))))
		below := strings.Repeat(" ", blank) + strings.Repeat("^", signs) + " " + visible(line.Note)
		text += "\n" + strings.TrimRight(below, " ")
	} else if line.Note != "" {
		text += "  (" + visible(line.Note) + ")"
	}
	return text + "\n"
}

// visible makes a text one line without characters that control a terminal. So it cannot look like a line of `go test`.
func visible(text string) string {
	var out strings.Builder
	for _, letter := range text {
		switch {
		case letter == '\n':
			out.WriteRune('⏎')
		case unicode.IsPrint(letter):
			out.WriteRune(letter)
		default:
			out.WriteString(strings.Trim(strconv.QuoteRune(letter), "'"))
		}
	}
	return out.String()
}

var plain = regexp.MustCompile(`^[\pL\pN/._+=:,@%{}-]+$`)

// quoted is a word as one writes it in a shell.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
