package main

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

// share is which part of all lines of a process one request may have.
const share = 8

// around is about how many bytes a message has beside the line in it.
const around = 100

// logs are the lines of Logf. Those of a process are limited, so that a resource that never stops keeps nobody from
// judging the rest.
type logs struct {
	mutex sync.Mutex
	// most is how many bytes of messages a process may have; zero is no limit.
	most int
	// told are the bytes of this process, and recent those since the last answer.
	told, recent int
	// left are the lines since then that were left out, by resources.
	left map[string]int
}

// take gives a line as it is told, if it is.
func (obj *logs) take(label, line string) (string, bool) {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	if obj.most <= 0 {
		return line, true
	}
	room := obj.most - obj.told
	if own := obj.most/share - obj.recent; own < room {
		room = own
	}
	if room <= 0 {
		if obj.left == nil {
			obj.left = map[string]int{}
		}
		obj.left[label]++
		return "", false
	}
	if len(line) > room {
		line = strings.ToValidUTF8(line[:room], "") + " …"
	}
	obj.told += len(line) + around
	obj.recent += len(line) + around
	return line, true
}

// rest says which lines were left out since it was last asked.
func (obj *logs) rest() []object {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	obj.recent = 0
	labels := []string{}
	for label := range obj.left {
		labels = append(labels, label)
	}
	sort.Strings(labels)
	told := []object{}
	for _, label := range labels {
		count := obj.left[label]
		text := fmt.Sprintf("(%d more lines are left out)", count)
		told = append(told, object{"resource": label, "text": text, "left_out": count})
	}
	obj.left = nil
	return told
}
