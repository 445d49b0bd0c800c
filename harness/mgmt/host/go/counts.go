package main

import (
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// settling is how many looks goroutines and programs have to end that were told to. On a busy machine, looks take as
// much longer as they do.
const settling = 100

// counts waits until the numbers no longer fall: what was told to end needs a moment. If there is more than last time,
// it may need a longer one.
func (obj *server) counts(request *request) (object, error) {
	last := [3]int{}
	for round := 0; ; round++ {
		now := [3]int{runtime.NumGoroutine() - obj.watching(), descriptors(), children()}
		isMore := obj.counted != nil && (now[0] > obj.counted[0] || now[2] > obj.counted[2])
		if round > 2 && now == last && !isMore || round >= settling {
			obj.counted = &now
			return object{
				"goroutines": now[0], "descriptors": now[1], "children": now[2], "started": started(),
			}, nil
		}
		last = now
		time.Sleep(5 * time.Millisecond)
	}
}

// started tells of each goroutine that is not the host's which function started it, and where.
func started() []object {
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	found := []object{}
	for _, stack := range strings.Split(string(text), "\n\n") {
		_, made, ok := strings.Cut(stack, "\ncreated by ")
		if !ok || strings.HasPrefix(made, "main.") || strings.HasPrefix(made, "runtime.") {
			continue
		}
		by, place, _ := strings.Cut(made, "\n\t")
		by, _, _ = strings.Cut(by, " in goroutine ")
		place, _, _ = strings.Cut(place, "\n")
		place, _, _ = strings.Cut(place, " +0x")
		// What waits for a program stays as long as that does.
		waits := strings.Contains(stack, "os.(*Process).")
		found = append(found, object{"by": path.Base(by), "at": path.Base(place), "waits": waits})
	}
	return found
}

// watching is how many goroutines are the host's own.
func (obj *server) watching() int {
	count := 0
	for _, own := range obj.resources {
		if own.watcher != nil && !own.watcher.hasEnded() {
			count++
		}
	}
	return count
}

func descriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	// One of them reads the folder.
	return len(entries) - 1
}

func children() int {
	count := 0
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0
	}
	for _, task := range tasks {
		text, err := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		if err != nil {
			return byParent()
		}
		count += len(strings.Fields(string(text)))
	}
	return count
}

// byParent looks at all processes, for kernels that list no children.
func byParent() int {
	count := 0
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			count++
		}
	}
	return count
}
