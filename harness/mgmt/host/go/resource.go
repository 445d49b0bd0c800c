package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"sync/atomic"
	"time"
)

// resource is one that was made.
type resource struct {
	server *server
	label  string
	value  reflect.Value
	begun  bool
	// refresh is what its Refresh says, and sent is what it sent during the present call.
	refresh bool
	sent    interface{}
	// atFirst is what that held when it was sent.
	atFirst interface{}
	// held is what it holds when the call that sent it has ended.
	held interface{}
	// published is what it sent last, sources is where its fields get values from, and received is what Recv gives.
	published interface{}
	// lent is what receivers may still hold of what it sent before.
	lent     []lent
	sources  map[string]source
	received reflect.Value
	// edges are those that it wants, of which it has just named so many.
	edges  reflect.Value
	wanted int
	// head is the resource in whose group it is.
	head    *resource
	watcher *watcher
	applies atomic.Bool
	// caller is the goroutine of the present call of CheckApply.
	caller atomic.Value
	// given is what Init got. done is what ends Watch in the form without contexts.
	given  reflect.Value
	done   chan struct{}
	isDone bool
}

var errorType = reflect.TypeOf((*error)(nil)).Elem()

// kinds are the registered ones, sorted.
func kinds() []string {
	names := append([]string{}, registered()...)
	sort.Strings(names)
	return names
}

func (obj *server) newResource(request *request) (object, error) {
	made, err := create(request.text("kind"), request.text("name"))
	if err != nil {
		return nil, refuse(badParams, "%v", err)
	}
	own := obj.keep(request.text("resource"), reflect.ValueOf(made))
	return object{"type": own.structure().Type().Name()}, nil
}

func (obj *server) keep(label string, value reflect.Value) *resource {
	own := &resource{server: obj, label: label, value: value}
	obj.resources[label] = own
	return own
}

func (obj *server) drop(request *request) (object, error) {
	delete(obj.resources, request.text("resource"))
	return nil, nil
}

// structure is what the pointer of a resource points to.
func (obj *resource) structure() reflect.Value {
	return reflect.Indirect(obj.value)
}

// method is a method by its name; the zero value if there is none.
func (obj *resource) method(name string) reflect.Value {
	return obj.value.MethodByName(name)
}

// call calls a method that may not be there.
func (obj *resource) call(name string, args ...reflect.Value) ([]reflect.Value, error) {
	method := obj.method(name)
	if !method.IsValid() {
		return nil, refuse(noMethod, "%s has no method %s", obj.structure().Type().Name(), name)
	}
	if method.Type().NumIn() != len(args) {
		return nil, refuse(noMethod, "%s takes other arguments", name)
	}
	return method.Call(args), nil
}

// told is the text of an error that a method returned last, or nil.
func told(results []reflect.Value) interface{} {
	if len(results) == 0 {
		return nil
	}
	err, ok := results[len(results)-1].Interface().(error)
	if !ok || err == nil {
		return nil
	}
	return err.Error()
}

func (obj *server) set(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	if raw, ok := request.Params["fields"]; ok {
		if err := json.Unmarshal(raw, &fields); err != nil {
			return nil, refuse(badParams, "fields is no object")
		}
	}
	names := []string{}
	for name := range fields {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		field, ok := own.field(name)
		if !ok {
			return nil, refuse(badParams, "%s has no field %q", own.structure().Type().Name(), name)
		}
		if err := read(fields[name], field); err != nil {
			return nil, refuse(badParams, "the field %q: %v", name, err)
		}
	}
	return nil, nil
}

func (obj *server) get(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	fields := object{}
	for _, field := range own.fields() {
		fields[field.Name] = written(own.structure().FieldByIndex(field.Index))
	}
	return object{"fields": fields, "private": private(own.structure())}, nil
}

func (obj *server) validate(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	results, err := own.call("Validate")
	if err != nil {
		return nil, err
	}
	return object{"error": told(results)}, nil
}

func (obj *server) initResource(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	if own.begun {
		return nil, refuse(notNow, "it has begun already")
	}
	method := own.method("Init")
	if !method.IsValid() || method.Type().NumIn() != 1 {
		return nil, refuse(noMethod, "there is no Init with one parameter")
	}
	given := own.init(method.Type().In(0))
	if err := filled(given); err != nil {
		return nil, err
	}
	results := method.Call([]reflect.Value{given})
	own.begun = told(results) == nil
	return object{"error": told(results)}, nil
}

// The engine never cleans up what has not begun.
func (obj *server) cleanup(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	if !own.begun {
		return nil, refuse(notNow, "it has not begun")
	}
	name := "Cleanup"
	if !own.method(name).IsValid() {
		name = "Close"
	}
	results, err := own.call(name)
	if err != nil {
		return nil, err
	}
	own.begun = false
	return object{"error": told(results)}, nil
}

func (obj *server) checkApply(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	if !own.begun {
		return nil, refuse(notNow, "it has not begun")
	}
	args := []reflect.Value{reflect.ValueOf(request.truth("apply"))}
	if takesContext(own.method("CheckApply"), 2) {
		ctx, cancel := context.WithCancel(context.Background())
		if limit := request.number("timeout_ms"); limit > 0 {
			ctx, cancel = context.WithTimeout(context.Background(), time.Duration(limit)*time.Millisecond)
		}
		defer cancel()
		if request.truth("ended") {
			cancel()
		}
		if after := request.number("cancel_ms"); after > 0 {
			timer := time.AfterFunc(time.Duration(after)*time.Millisecond, cancel)
			defer timer.Stop()
		}
		args = append([]reflect.Value{reflect.ValueOf(ctx)}, args...)
	}
	own.prepare(request)
	defer func() {
		for _, one := range []*resource{own, obj.resources[request.text("beside")]} {
			if one != nil {
				one.applies.Store(false)
				one.caller.Store("")
			}
		}
	}()
	if after := request.number("stop_ms"); after > 0 && own.watcher != nil {
		// Nothing that CheckApply does happens before that, as far as Go's memory model knows.
		time.AfterFunc(time.Duration(after)*time.Millisecond, own.watcher.cancel)
	}
	interrupted := own.interruptLater(request.number("interrupt_ms"))
	begun := time.Now()
	beside := object{}
	finished := obj.besides(request, beside)
	results, err := own.call("CheckApply", args...)
	<-finished
	if err != nil {
		return nil, err
	}
	if len(results) != 2 || results[0].Kind() != reflect.Bool {
		return nil, refuse(noMethod, "CheckApply returns something else than a bool and an error")
	}
	// What is filled in before the call ends is no change.
	changed := own.changedBehind()
	if own.sent != nil {
		own.lends(own.sent)
		own.held = sent(own.sent)
	} else if changed == "" {
		changed = own.changedUnsent()
	}
	answer := object{
		"ok":    results[0].Bool(),
		"error": told(results),
		"ms":    time.Since(begun).Milliseconds(),
		"sent":  sent(own.sent),
	}
	if own.sent != nil {
		answer["sent_type"] = fmt.Sprintf("%T", own.sent)
		if !reflect.DeepEqual(own.atFirst, answer["sent"]) {
			answer["sent_at_first"] = own.atFirst
		}
	}
	if changed != "" {
		answer["sent_before_changed"] = changed
	}
	for name, value := range beside {
		answer[name] = value
	}
	if interrupted != nil {
		for name, value := range inTime(interrupted) {
			answer[name] = value
		}
	}
	return answer, nil
}

// rounds is how often another resource works beside one.
const rounds = 10

// besides has another resource look or apply at the same time, and tells when it has done so, and what came of it.
func (obj *server) besides(request *request, came object) <-chan struct{} {
	finished, begun := make(chan struct{}), make(chan struct{})
	count := rounds
	if request.truth("once") {
		count = 1
	}
	other, ok := obj.resources[request.text("beside")]
	if !ok || !other.begun || !takesContext(other.method("CheckApply"), 2) {
		close(finished)
		return finished
	}
	other.prepare(request)
	go func() {
		defer close(finished)
		// What it comes to by itself is asked otherwise.
		defer func() {
			if r := recover(); r != nil {
				came["beside_error"] = fmt.Sprint(r)
			}
		}()
		other.caller.Store(goroutine())
		close(begun)
		for round := 0; round < count; round++ {
			args := []reflect.Value{reflect.ValueOf(context.Background()), reflect.ValueOf(request.truth("apply"))}
			results, err := other.call("CheckApply", args...)
			if err != nil {
				came["beside_error"] = err.Error()
				return
			}
			came["beside_error"] = told(results)
		}
	}()
	// So that neither is done before the other one begins.
	<-begun
	return finished
}

// prepare tells a resource what it may ask during CheckApply.
func (obj *resource) prepare(request *request) {
	obj.refresh, obj.sent = request.truth("refresh"), nil
	obj.applies.Store(true)
	obj.caller.Store(goroutine())
	if obj.hasTrait("refreshable") {
		obj.call("SetRefresh", reflect.ValueOf(obj.refresh))
	}
	changed := []string{}
	json.Unmarshal(request.Params["changed"], &changed)
	obj.isNew(changed)
}

// patience is how long Interrupt may take before nobody waits any more.
const patience = 3 * time.Second

// inTime waits for what Interrupt comes to.
func inTime(answers <-chan object) object {
	select {
	case answer := <-answers:
		return answer
	case <-time.After(patience):
		return object{"interrupt_error": nil, "interrupt_panic": nil, "interrupt_ms": patience.Milliseconds()}
	}
}

// interruptLater calls Interrupt after so many milliseconds, if they are more than zero.
func (obj *resource) interruptLater(after int) <-chan object {
	if after <= 0 {
		return nil
	}
	return obj.interrupt(time.Duration(after) * time.Millisecond)
}

// interrupt calls Interrupt after a while, and tells how long it took.
func (obj *resource) interrupt(after time.Duration) <-chan object {
	answers := make(chan object, 1)
	time.AfterFunc(after, func() {
		answer := object{"interrupt_error": nil, "interrupt_panic": nil}
		begun := time.Now()
		defer func() {
			if r := recover(); r != nil {
				answer["interrupt_panic"] = fmt.Sprint(r)
			}
			answer["interrupt_ms"] = time.Since(begun).Milliseconds()
			answers <- answer
		}()
		if results, err := obj.call("Interrupt"); err == nil {
			answer["interrupt_error"] = told(results)
		}
	})
	return answers
}

// lent is a pointer, slice or map in what a resource sent, as receivers have got it.
type lent struct {
	name  string
	value reflect.Value
	held  interface{}
}

// lends keeps what receivers of a struct get that others could change.
func (obj *resource) lends(sent interface{}) {
	obj.lendsWithin(reflect.Indirect(reflect.ValueOf(sent)), "")
	if extra := len(obj.lent) - mostLent; extra > 0 {
		obj.lent = obj.lent[extra:]
	}
}

// lendsWithin does so for a struct and for the structs that are parts of it. above is the name of what it is a part of.
func (obj *resource) lendsWithin(value reflect.Value, above string) {
	if value.Kind() != reflect.Struct {
		return
	}
	for _, field := range publicFields(value.Type()) {
		inner := value.FieldByIndex(field.Index)
		if inner.Kind() == reflect.Interface {
			inner = inner.Elem()
		}
		switch inner.Kind() {
		case reflect.Struct:
			obj.lendsWithin(inner, above+key(field)+".")
		case reflect.Ptr, reflect.Slice, reflect.Map:
			if !inner.IsNil() {
				// The header is copied: the struct may be used again.
				copied := reflect.New(inner.Type()).Elem()
				copied.Set(inner)
				obj.lent = append(obj.lent, lent{above + key(field), copied, written(copied)})
			}
		}
	}
}

// changedUnsent is the name of the first field that holds something else in what it sent last, though nothing was sent
// since.
func (obj *resource) changedUnsent() string {
	if obj.published == nil {
		return ""
	}
	before, _ := obj.held.(object)
	now, _ := sent(obj.published).(object)
	names := []string{}
	for name := range before {
		if !reflect.DeepEqual(before[name], now[name]) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	sort.Strings(names)
	return names[0]
}

// mostLent is how many of them are kept.
const mostLent = 40

// changedBehind is the name of the first of them that holds something else by now.
func (obj *resource) changedBehind() string {
	for _, one := range obj.lent {
		if !reflect.DeepEqual(one.held, written(one.value)) {
			return one.name
		}
	}
	return ""
}

// sent is what a resource has sent, by the names of its fields.
func sent(value interface{}) interface{} {
	if value == nil {
		return nil
	}
	return written(reflect.Indirect(reflect.ValueOf(value)))
}
