package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"time"
)

// real makes parts of mgmt's own engine. A generated file sets it, if the host is built with that engine.
var real *parts

type parts struct {
	engine    func() interface{}
	converger func() interface{}
	grouper   func() interface{}
	graph     func() (interface{}, error)
	edge      func(name string, notify bool) interface{}
}

// The lines in which the engine says that it calls CheckApply, and what comes of it.
const (
	calledLine   = "%s: CheckApply(%t)"
	returnedLine = "%s: CheckApply(%t): Return(%t, "
)

// called is a call of CheckApply as the engine told it.
type called struct {
	Resource string      `json:"resource"`
	Apply    bool        `json:"apply"`
	OK       bool        `json:"ok"`
	Error    interface{} `json:"error"`
}

// logbook is what the engine told so far.
type logbook struct {
	mutex  sync.Mutex
	labels map[uintptr]string
	calls  []*called
	open   map[string]*called
	last   time.Time
}

func (obj *logbook) label(who interface{}) string {
	value := reflect.ValueOf(who)
	if value.Kind() == reflect.Ptr {
		if label, ok := obj.labels[value.Pointer()]; ok {
			return label
		}
	}
	return fmt.Sprint(who)
}

// note is the engine's log. It says nothing of a call that finds the state right, so a call counts as one until it is
// told otherwise.
func (obj *logbook) note(format string, args ...interface{}) {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	obj.last = time.Now()
	switch {
	case format == calledLine && len(args) == 2:
		one := &called{Resource: obj.label(args[0]), OK: true}
		one.Apply, _ = args[1].(bool)
		obj.calls = append(obj.calls, one)
		obj.open[one.Resource] = one
	case strings.HasPrefix(format, returnedLine) && len(args) == 4:
		if one := obj.open[obj.label(args[0])]; one != nil {
			one.OK, _ = args[2].(bool)
			// Some forms give the error itself, others its text.
			if text := fmt.Sprint(args[3]); text != fmt.Sprint(nil) && text != "" {
				one.Error = text
			}
		}
	}
}

// quiet says since when nothing has been told.
func (obj *logbook) quiet() time.Duration {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	return time.Since(obj.last)
}

func (obj *logbook) all() []called {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	all := []called{}
	for _, one := range obj.calls {
		all = append(all, *one)
	}
	return all
}

// invoke calls a method of the engine.
func invoke(value reflect.Value, name string, args ...reflect.Value) error {
	known, err := tried(value, name, args...)
	if !known {
		return fmt.Errorf("this form of mgmt's engine is not known: it has no method %s as others have it", name)
	}
	return err
}

// tried calls a method that not all forms of the engine have, and says whether there is one. They also differ in
// parameters: contexts and booleans that are not given are filled in.
func tried(value reflect.Value, name string, args ...reflect.Value) (bool, error) {
	method := value.MethodByName(name)
	if !method.IsValid() {
		return false, nil
	}
	given := []reflect.Value{}
	for i := 0; i < method.Type().NumIn(); i++ {
		parameter := method.Type().In(i)
		switch {
		case parameter.String() == "context.Context":
			given = append(given, reflect.ValueOf(context.Background()))
		case len(args) > 0 && args[0].Type().AssignableTo(parameter):
			given, args = append(given, args[0]), args[1:]
		case parameter.Kind() == reflect.Bool:
			given = append(given, reflect.ValueOf(false))
		default:
			return false, nil
		}
	}
	if why := told(method.Call(given)); why != nil {
		return true, fmt.Errorf("%s: %v", name, why)
	}
	return true, nil
}

// put sets a public field, if there is one of this type.
func put(value reflect.Value, name string, given reflect.Value) {
	field := reflect.Indirect(value).FieldByName(name)
	if field.IsValid() && field.CanSet() && given.IsValid() && given.Type().AssignableTo(field.Type()) {
		field.Set(given)
	}
}

// runEngine runs a graph of resources in mgmt's own engine until nothing happens any more, and tells the calls of
// CheckApply in their order.
func (obj *server) runEngine(request *request) (object, error) {
	if real == nil {
		return nil, refuse(notNow, "the host is built without mgmt's engine")
	}
	graph, book, err := obj.graphOf(request)
	if err != nil {
		return nil, err
	}
	engine, end, err := obj.begin(book)
	if err != nil {
		return nil, err
	}
	defer end()
	grouper := reflect.ValueOf(real.grouper())
	steps := []func() error{
		func() error { return invoke(engine, "Load", graph) },
		func() error { return invoke(engine, "Validate") },
		func() error { return invoke(engine, "AutoEdge") },
		func() error { return invoke(engine, "AutoGroup", grouper) },
		func() error { return invoke(engine, "Reversals") },
		func() error {
			// Some forms begin as paused, and then this fails.
			_ = invoke(engine, "Pause")
			return nil
		},
		func() error {
			_, err := tried(engine, "SendRecv")
			return err
		},
		func() error { return invoke(engine, "Commit") },
		func() error { return invoke(engine, "Resume") },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return object{"calls": book.all(), "went": "refused", "error": err.Error()}, nil
		}
	}
	went := "restless"
	quiet := time.Duration(request.number("quiet_ms")) * time.Millisecond
	limit := time.Now().Add(time.Duration(request.number("ms")) * time.Millisecond)
	for time.Now().Before(limit) {
		if book.quiet() >= quiet {
			went = "converged"
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	calls := book.all()
	err = invoke(engine, "Pause")
	for _, name := range []string{"Shutdown", "Close"} {
		if err == nil {
			_, err = tried(engine, name)
		}
	}
	answer := object{"calls": calls, "went": went, "error": nil}
	if err != nil {
		answer["error"] = err.Error()
	}
	return answer, nil
}

// graphOf is a graph of resources that were made, and a logbook that knows their labels.
func (obj *server) graphOf(request *request) (reflect.Value, *logbook, error) {
	labels := []string{}
	json.Unmarshal(request.Params["resources"], &labels)
	edges := []struct {
		From   int    `json:"from"`
		To     int    `json:"to"`
		Name   string `json:"name"`
		Notify bool   `json:"notify"`
	}{}
	json.Unmarshal(request.Params["edges"], &edges)
	book := &logbook{labels: map[uintptr]string{}, open: map[string]*called{}, last: time.Now()}
	made, err := real.graph()
	if err != nil {
		return reflect.Value{}, nil, err
	}
	graph := reflect.ValueOf(made)
	vertices := []reflect.Value{}
	for _, label := range labels {
		known, ok := obj.resources[label]
		if !ok {
			return graph, nil, refuse(badParams, "there is no resource %q", label)
		}
		book.labels[known.value.Pointer()] = label
		vertices = append(vertices, known.value)
	}
	graph.MethodByName("AddVertex").Call(vertices)
	for _, edge := range edges {
		if edge.From < 0 || edge.To < 0 || edge.From >= len(vertices) || edge.To >= len(vertices) {
			return graph, nil, refuse(badParams, "an edge has no end")
		}
		made := reflect.ValueOf(real.edge(edge.Name, edge.Notify))
		graph.MethodByName("AddEdge").Call([]reflect.Value{vertices[edge.From], vertices[edge.To], made})
	}
	return graph, book, nil
}

// begin starts an engine that tells a logbook what it does. What it returns ends what runs beside it.
func (obj *server) begin(book *logbook) (reflect.Value, func(), error) {
	engine := reflect.ValueOf(real.engine())
	log := reflect.ValueOf(book.note)
	converger := reflect.ValueOf(real.converger())
	put(converger, "Timeout", reflect.ValueOf(-1))
	put(converger, "Logf", log)
	put(engine, "Program", reflect.ValueOf("mgmt"))
	put(engine, "Version", reflect.ValueOf("0.0.1"))
	put(engine, "Hostname", reflect.ValueOf("stickler"))
	put(engine, "Prefix", reflect.ValueOf(filepath.Join(obj.folder, "engine")))
	put(engine, "Debug", reflect.ValueOf(true))
	put(engine, "Logf", log)
	put(engine, "Converger", converger)
	if known := sample(); known != nil && fill != nil {
		known.server = obj
		given := known.init(known.method("Init").Type().In(0))
		if err := filled(given); err != nil {
			return engine, nil, err
		}
		for _, name := range []string{"World", "Local"} {
			if field := given.Elem().FieldByName(name); field.IsValid() {
				put(engine, name, field)
			}
		}
	}
	if _, err := tried(converger, "Init"); err != nil {
		return engine, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	if run := converger.MethodByName("Run"); run.IsValid() {
		args := []reflect.Value{reflect.ValueOf(false)}
		if run.Type().NumIn() == 2 {
			args = append([]reflect.Value{reflect.ValueOf(ctx)}, args...)
		}
		go run.Call(args)
	}
	if err := invoke(engine, "Init"); err != nil {
		cancel()
		return engine, nil, err
	}
	return engine, cancel, nil
}
