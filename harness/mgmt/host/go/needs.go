package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
)

// given are the fields of Init that only a running mgmt can fill.
var given = regexp.MustCompile(`(?i)\b(world|local|converger|filteredgraph)\b`)

// lacks names what a resource used and did not get, if that made it panic.
func lacks(text, stack string) interface{} {
	if !strings.Contains(text, "nil pointer dereference") {
		return nil
	}
	_, after, ok := strings.Cut(stack, "\npanic(")
	if !ok {
		return nil
	}
	for _, line := range strings.Split(after, "\n") {
		place, ok := strings.CutPrefix(line, "\t")
		if !ok || strings.Contains(place, "/src/runtime/") {
			continue
		}
		place, _, _ = strings.Cut(place, " ")
		at := strings.LastIndex(place, ":")
		if at < 0 {
			return nil
		}
		number, err := strconv.Atoi(place[at+1:])
		if err != nil {
			return nil
		}
		source, err := os.ReadFile(place[:at])
		lines := strings.Split(string(source), "\n")
		if err != nil || number < 1 || number > len(lines) {
			return nil
		}
		if found := given.FindString(lines[number-1]); found != "" {
			return found
		}
		return nil
	}
	return nil
}
