package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/purpleidea/mgmt/converger"
	"github.com/purpleidea/mgmt/engine"
	"github.com/purpleidea/mgmt/engine/graph"
	"github.com/purpleidea/mgmt/engine/graph/autogroup"
	"github.com/purpleidea/mgmt/pgraph"
)

type seenVertex struct {
	Lanes         map[string][]*item `json:"lanes"`
	End           string             `json:"end"`
	Revalidations int                `json:"revalidations"`
}

type seenCase struct {
	Name     string                 `json:"name"`
	Phases   []object               `json:"phases"`
	Vertices map[string]*seenVertex `json:"vertices"`
	Peak     int                    `json:"peak"`
}

type driver struct {
	input     *caseInput
	trace     *trace
	engine    *graph.Engine
	converger *converger.Coordinator
	graphs    int
	// Is the engine paused, does its converger run, and has a failure stopped it?
	paused, started, stopped bool
	// The graph as it was told last.
	last string
	// What goes on in the background, until someone joins it.
	operation  chan string
	background bool
	ends       map[*core]string
}

// play does to an engine what a case says.
func play(one *givenCase) *seenCase {
	seen := &seenCase{Name: one.Name, Vertices: map[string]*seenVertex{}}
	folder, err := os.MkdirTemp("", "recorder")
	if err != nil {
		seen.Phases = append(seen.Phases, object{"outcome": err.Error()})
		return seen
	}
	defer os.RemoveAll(folder)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	obj := &driver{input: &one.Input, trace: newTrace()}
	obj.begin(ctx, folder)
	for number := range one.Input.Driver {
		seen.Phases = append(seen.Phases, obj.act(number, &one.Input.Driver[number]))
	}
	if obj.ends == nil {
		obj.note()
	}
	obj.trace.mutex.Lock()
	defer obj.trace.mutex.Unlock()
	for _, at := range obj.trace.all {
		lanes := obj.trace.lanesOf(at)
		seen.Vertices[at.label] = &seenVertex{lanes, obj.ends[at], at.revalidations}
	}
	seen.Peak = obj.trace.peak
	// What still runs writes into its items: they are kept as they are now.
	kept, err := json.Marshal(seen)
	if err == nil {
		seen = &seenCase{}
		_ = json.Unmarshal(kept, seen)
	}
	return seen
}

func (obj *driver) begin(ctx context.Context, folder string) {
	timeout := -1
	if obj.input.Converger != nil {
		timeout = *obj.input.Converger
	}
	quiet := func(string, ...interface{}) {}
	obj.converger = &converger.Coordinator{Timeout: timeout, Logf: quiet, StateFns: converger.StateFns{
		"recorder": func(_ context.Context, converged bool) error {
			obj.trace.mutex.Lock()
			defer obj.trace.mutex.Unlock()
			obj.trace.converged = append(obj.trace.converged, converged)
			return nil
		},
	}}
	_ = obj.converger.Init()
	go func() { _ = obj.converger.Run(ctx, true) }()
	obj.engine = &graph.Engine{
		Program: "recorder", Version: "0", Hostname: "host", Prefix: folder,
		Converger: obj.converger, Logf: obj.trace.log,
	}
	if err := obj.engine.Init(); err != nil {
		obj.stopped = true
	}
}

// act is one phase.
func (obj *driver) act(number int, one *action) object {
	obj.trace.enter(number)
	outcome := obj.do(one)
	if !one.NoSettle {
		obj.trace.settle(time.Duration(obj.input.Quiet) * time.Millisecond)
	}
	// An operation may have ended meanwhile.
	if outcome == nil {
		outcome = obj.joined(0)
	}
	text := "still blocked"
	if outcome != nil {
		text = *outcome
	}
	if one.Do == "join" {
		obj.background = false
	} else {
		obj.background = obj.background || one.Async
	}
	return obj.phase(text)
}

func (obj *driver) phase(outcome string) object {
	fields := object{"outcome": outcome}
	if !obj.background {
		shown, pending := obj.graph()
		if text, err := json.Marshal(shown); err == nil && string(text) != obj.last {
			fields["graph"], obj.last = shown, string(text)
		}
		if len(pending) > 0 {
			fields["refresh_pending"] = pending
		}
	}
	obj.trace.mutex.Lock()
	defer obj.trace.mutex.Unlock()
	if len(obj.trace.engine) > 0 {
		fields["engine_log"] = obj.trace.engine
	}
	if len(obj.trace.converged) > 0 {
		fields["converged"] = obj.trace.converged
	}
	obj.trace.engine, obj.trace.converged = nil, nil
	return fields
}

// joined is the outcome of what goes on in the background, if it ends in time.
func (obj *driver) joined(patience time.Duration) *string {
	ok := "ok"
	if obj.operation == nil {
		return &ok
	}
	select {
	case outcome := <-obj.operation:
		obj.operation = nil
		return &outcome
	default:
	}
	select {
	case outcome := <-obj.operation:
		obj.operation = nil
		return &outcome
	case <-time.After(patience):
		return nil
	}
}

// operate runs what may be blocked.
func (obj *driver) operate(one *action, work func() string) *string {
	if obj.stopped {
		outcome := "not done: engine stopped"
		return &outcome
	}
	operation := make(chan string, 1)
	go func() { operation <- work() }()
	obj.operation = operation
	if one.Async || one.NoSettle {
		return nil
	}
	return obj.joined(longest)
}

// do does an action, and returns its outcome, if it is known yet.
func (obj *driver) do(one *action) *string {
	ok := "ok"
	switch one.Do {
	case "start":
		return obj.operate(one, func() string { return obj.give("main", one.Fast) })
	case "swap":
		return obj.operate(one, func() string { return obj.give(one.Graph, one.Fast) })
	case "pause":
		return obj.operate(one, func() string { return said("pause failed", obj.pause(one.Fast)) })
	case "resume":
		return obj.operate(one, func() string { return said("resume failed", obj.resume()) })
	case "shutdown":
		if !one.Async {
			obj.note()
		}
		return obj.operate(one, func() string {
			if err := obj.pause(false); err != nil {
				return said("pause failed", err)
			}
			err := obj.engine.Shutdown()
			obj.stopped = obj.stopped || err != nil
			return said("shutdown failed", err)
		})
	case "interrupt":
		obj.engine.SoftInterrupt()
	case "open":
		close(obj.trace.gate(one.Gate))
	case "wait":
		time.Sleep(time.Duration(one.Ms) * time.Millisecond)
	case "join":
		return obj.joined(longest)
	case "event", "wrong", "watch":
		outcome := obj.tell(one)
		return &outcome
	}
	return &ok
}

func said(what string, err error) string {
	if err == nil {
		return "ok"
	}
	return strings.ReplaceAll(fmt.Sprintf("%s: %v", what, err), "\n", " ")
}

func (obj *driver) pause(fast bool) error {
	if obj.paused {
		return nil
	}
	if obj.started {
		obj.converger.Pause()
	}
	obj.started = false
	obj.engine.SetFastPause(fast)
	err := obj.engine.Pause()
	obj.engine.SetFastPause(false)
	obj.paused = err == nil
	return err
}

func (obj *driver) resume() error {
	err := obj.engine.Resume()
	if err == nil {
		obj.converger.Resume()
		obj.paused, obj.started = false, true
	}
	return err
}

// give hands the engine a new graph, as mgmt's main loop does.
func (obj *driver) give(name string, fast bool) string {
	ctx := context.Background()
	made, err := obj.made(name)
	if err == nil {
		err = obj.engine.Load(made)
	}
	if err != nil {
		return said("load failed", err)
	}
	prepared := []struct {
		what string
		do   func() error
	}{
		{"validate failed", obj.engine.Validate},
		{"autoedge failed", func() error { return obj.engine.AutoEdge(ctx) }},
		{"autogroup failed", func() error {
			return obj.engine.AutoGroup(ctx, &autogroup.CachedNonReachabilityGrouper{})
		}},
		{"not a dag", func() error {
			return obj.engine.Apply(func(given *pgraph.Graph) error {
				_, err := given.TopologicalSort()
				return err
			})
		}},
	}
	for _, step := range prepared {
		if err := step.do(); err != nil {
			_ = obj.engine.Abort()
			return said(step.what, err)
		}
	}
	committed := []struct {
		what string
		do   func() error
	}{
		{"pause failed", func() error { return obj.pause(fast) }},
		{"sendrecv failed", obj.engine.SendRecv},
		{"commit failed", func() error { return obj.engine.Commit(ctx) }},
		{"resume failed", obj.resume},
	}
	for _, step := range committed {
		if err := step.do(); err != nil {
			_ = obj.engine.Abort()
			obj.stopped = true
			return said(step.what, err)
		}
	}
	return "ok"
}

func (obj *driver) made(name string) (*pgraph.Graph, error) {
	obj.graphs++
	made, err := pgraph.NewGraph("graph")
	if err != nil {
		return nil, err
	}
	given, vertices := obj.input.Graphs[name], map[string]scripted{}
	for _, one := range given.Vertices {
		label := fmt.Sprintf("%s@%d", one.Name, obj.graphs)
		vertices[one.Name] = newResource(one, obj.trace, label)
		made.AddVertex(vertices[one.Name])
	}
	for _, edge := range given.Edges {
		from, to := vertices[edge.From], vertices[edge.To]
		if from == nil || to == nil {
			continue
		}
		name := edge.Name
		if name == "" {
			name = fmt.Sprintf("%s -> %s", from, to)
		}
		made.AddEdge(from, to, &engine.Edge{Name: name, Notify: edge.Notify})
	}
	return made, nil
}

// tell tells a running vertex something.
func (obj *driver) tell(one *action) string {
	var at *core
	for _, vertex := range obj.engine.Graph().Vertices() {
		if known, ok := vertex.(scripted); ok && known.Name() == one.At {
			at = known.itself()
		}
	}
	if at == nil {
		return "no such vertex"
	}
	at.mutex.Lock()
	defer at.mutex.Unlock()
	if one.Wrong || one.Do == "wrong" {
		at.wrong = true
	}
	if one.Do == "wrong" {
		return "ok"
	}
	if !at.watching {
		return "no watch running"
	}
	at.told <- *one
	return "ok"
}

// note notes how the vertices stand.
func (obj *driver) note() {
	obj.trace.mutex.Lock()
	all := append([]*core{}, obj.trace.all...)
	obj.trace.mutex.Unlock()
	obj.ends = map[*core]string{}
	for _, at := range all {
		obj.ends[at] = at.end()
	}
}

// graph is the running graph, and its edges with a pending refresh.
func (obj *driver) graph() (object, [][]string) {
	running := obj.engine.Graph()
	vertices, edges, pending := []object{}, [][]interface{}{}, [][]string{}
	for _, vertex := range running.VerticesSorted() {
		own := vertex.(scripted).itself()
		one := member(own)
		if semas := own.MetaParams().Sema; len(semas) > 0 {
			one["sema"] = semas
		}
		vertices = append(vertices, one)
	}
	for _, from := range running.VerticesSorted() {
		for _, to := range running.OutgoingGraphVertices(from) {
			edge, ok := running.Adjacency()[from][to].(*engine.Edge)
			if !ok {
				continue
			}
			ends := []string{from.(scripted).itself().label, to.(scripted).itself().label}
			edges = append(edges, []interface{}{ends[0], ends[1], edge.Notify})
			if edge.Refresh() {
				pending = append(pending, ends)
			}
		}
	}
	// The engine keeps edges in no order.
	sort.Slice(edges, func(i, j int) bool { return fmt.Sprint(edges[i]) < fmt.Sprint(edges[j]) })
	sort.Slice(pending, func(i, j int) bool { return fmt.Sprint(pending[i]) < fmt.Sprint(pending[j]) })
	return object{"vertices": vertices, "edges": edges}, pending
}

func member(own *core) object {
	one := object{"v": own.label}
	groupable, ok := own.outer.(engine.GroupableRes)
	if !ok || len(groupable.GetGroup()) == 0 {
		return one
	}
	members := []object{}
	for _, inner := range groupable.GetGroup() {
		members = append(members, member(inner.(scripted).itself()))
	}
	one["group"] = members
	return one
}
