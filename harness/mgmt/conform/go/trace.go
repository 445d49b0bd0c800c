package main

import (
	"context"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"sync"
	"time"
)

type object = map[string]interface{}

// item is a call, an event or a line of the engine's log.
type item struct {
	Fields object `json:"fields"`
	Begin  int64  `json:"begin"`
	End    int64  `json:"end"`
	Ms     int64  `json:"t_ms"`
	phase  int
	ended  bool
	last   int
}

// trace is the record of a case.
type trace struct {
	mutex   sync.Mutex
	places  int64
	phase   int
	began   time.Time
	latest  time.Time
	waits   int
	running int
	peak    int
	// What the engine said of the graph in this phase, and what its converger said.
	engine    []string
	converged []bool
	all       []*core
	// The vertex that an engine's log means.
	named map[string]*core
	gates map[string]chan struct{}
}

func newTrace() *trace {
	return &trace{named: map[string]*core{}, gates: map[string]chan struct{}{}, latest: time.Now()}
}

// enter begins the next phase.
func (obj *trace) enter(phase int) {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	obj.phase, obj.began = phase, time.Now()
	obj.latest = obj.began
}

func (obj *trace) begin(at *core, lane string, fields object) *item {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	obj.places++
	obj.latest = time.Now()
	one := &item{Fields: fields, Begin: obj.places, phase: obj.phase}
	one.Ms = obj.latest.Sub(obj.began).Milliseconds()
	at.lanes[lane] = append(at.lanes[lane], one)
	return one
}

func (obj *trace) end(one *item, more object) {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	obj.places++
	obj.latest = time.Now()
	one.End, one.ended, one.last = obj.places, true, obj.phase
	for key, value := range more {
		one.Fields[key] = value
	}
}

// offered is the end of what counts as done once it is offered: an event.
func (obj *trace) offered(one *item, more object) {
	obj.end(one, more)
	one.End = one.Begin
}

// once notes what takes no time.
func (obj *trace) once(at *core, lane string, fields object) {
	obj.end(obj.begin(at, lane, fields), nil)
}

// wait is a scripted wait: the driver waits for its end. It says whether the context ended before.
func (obj *trace) wait(ctx context.Context, ms int64) error {
	obj.count(&obj.waits, 1)
	defer obj.count(&obj.waits, -1)
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (obj *trace) count(what *int, by int) {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	*what += by
	obj.latest = time.Now()
	if obj.running > obj.peak {
		obj.peak = obj.running
	}
}

func (obj *trace) gate(name string) chan struct{} {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	if obj.gates[name] == nil {
		obj.gates[name] = make(chan struct{})
	}
	return obj.gates[name]
}

// settle waits until there was no call for a while, and no scripted wait runs.
func (obj *trace) settle(quiet time.Duration) {
	limit := time.Now().Add(longest)
	for time.Now().Before(limit) {
		obj.mutex.Lock()
		is := obj.waits == 0 && time.Since(obj.latest) >= quiet
		obj.mutex.Unlock()
		if is {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

var (
	ofVertex = regexp.MustCompile(`(?s)^(\S*?\[[^\]]*\]): (.*)$`)
	stack    = regexp.MustCompile(`(?s)\s+\S+\s+\S+\.go:\d+.*`)
	next     = regexp.MustCompile(`next: \d+ms`)
)

// log is the engine's log. It knows the vertex of a line by its name.
func (obj *trace) log(format string, args ...interface{}) {
	text := fmt.Sprintf(format, args...)
	if strings.HasPrefix(text, "Send/Recv: ") {
		_, receiver, _ := strings.Cut(text, " -> ")
		if dot := strings.LastIndex(receiver, "."); dot >= 0 {
			obj.line(receiver[:dot], "recv", text)
		}
		return
	}
	related := strings.HasPrefix(text, "autoedge: ") && strings.Contains(text, " -> ") ||
		strings.HasPrefix(text, "autogroup: ") && strings.Contains(text, " into ") ||
		strings.HasPrefix(text, "SendRecv: ")
	if related {
		obj.mutex.Lock()
		defer obj.mutex.Unlock()
		obj.engine = append(obj.engine, text)
		return
	}
	found := ofVertex.FindStringSubmatch(text)
	if found == nil || strings.HasSuffix(text, "expired!") {
		return
	}
	said := stack.ReplaceAllString(found[2], " [stack]")
	said = next.ReplaceAllString(said, "next: Nms")
	lane := "run"
	for _, start := range []string{"Watch Error: ", "retrying Watch ", "polling..."} {
		if strings.HasPrefix(said, start) {
			lane = "watch"
		}
	}
	obj.line(found[1], lane, said)
}

func (obj *trace) line(name, lane, text string) {
	obj.mutex.Lock()
	at := obj.named[name]
	obj.mutex.Unlock()
	if at == nil {
		return
	}
	if why, ok := strings.CutPrefix(text, "Error: "); ok {
		obj.mutex.Lock()
		at.failed = &why
		obj.mutex.Unlock()
	}
	obj.once(at, lane, object{"call": "log", "msg": text})
}

// lanesOf are the items of a vertex as recordings have them.
func (obj *trace) lanesOf(at *core) map[string][]*item {
	for _, lane := range at.lanes {
		for _, one := range lane {
			one.Fields["phase"] = one.phase
			if !one.ended {
				one.Fields["unfinished"] = true
				one.End = 1 << 60
			} else if one.last != one.phase {
				one.Fields["end_phase"] = one.last
			}
		}
	}
	// The engine goes through the keys of one transfer in any order.
	received := at.lanes["recv"]
	for from := 0; from < len(received); {
		to := from + 1
		for to < len(received) && received[to].Begin == received[to-1].Begin+2 && received[to].Fields["msg"] != nil {
			to++
		}
		transfer := received[from:to]
		sort.SliceStable(transfer, func(i, j int) bool {
			return fmt.Sprint(transfer[i].Fields["msg"]) < fmt.Sprint(transfer[j].Fields["msg"])
		})
		from = to
	}
	return at.lanes
}
