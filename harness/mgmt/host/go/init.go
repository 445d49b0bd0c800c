package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// takesContext says whether a method has so many parameters, the first of which is a context.
func takesContext(method reflect.Value, count int) bool {
	return method.IsValid() && method.Type().NumIn() == count && method.Type().In(0).String() == "context.Context"
}

// sample is a resource of the first kind, to look at the interface.
func sample() *resource {
	for _, kind := range kinds() {
		if made, err := create(kind, "stickler"); err == nil {
			return &resource{value: reflect.ValueOf(made)}
		}
	}
	return nil
}

// era is the form of the interface.
func era() string {
	if known := sample(); known != nil && takesContext(known.method("CheckApply"), 2) {
		return "context"
	}
	return "done"
}

func hasRunning() bool {
	known := sample()
	if known == nil || !known.method("Init").IsValid() || known.method("Init").Type().NumIn() != 1 {
		return false
	}
	parameter := known.method("Init").Type().In(0)
	if parameter.Kind() != reflect.Ptr {
		return false
	}
	_, ok := parameter.Elem().FieldByName("Running")
	return ok
}

// init makes what a resource gets from the engine. What the host does not know stays zero.
func (obj *resource) init(parameter reflect.Type) reflect.Value {
	made := reflect.New(parameter.Elem())
	fields := made.Elem()
	text := func(name, value string) {
		if field := fields.FieldByName(name); field.IsValid() && field.Kind() == reflect.String {
			field.SetString(value)
		}
	}
	text("Program", "mgmt")
	text("Version", "0.0.1")
	text("Hostname", "stickler")
	if field := fields.FieldByName("Debug"); field.IsValid() && field.Kind() == reflect.Bool {
		field.SetBool(obj.server.debug)
	}
	function := func(name string, work func([]reflect.Value) []interface{}) {
		field := fields.FieldByName(name)
		if !field.IsValid() || field.Kind() != reflect.Func {
			return
		}
		kind := field.Type()
		field.Set(reflect.MakeFunc(kind, func(args []reflect.Value) []reflect.Value {
			given := work(args)
			results := make([]reflect.Value, kind.NumOut())
			for i := range results {
				results[i] = reflect.Zero(kind.Out(i))
				if i < len(given) && given[i] != nil {
					results[i] = reflect.ValueOf(given[i]).Convert(kind.Out(i))
				}
			}
			return results
		}))
	}
	function("Running", func(args []reflect.Value) []interface{} { return obj.event(args, true) })
	function("Event", func(args []reflect.Value) []interface{} { return obj.event(args, false) })
	function("Refresh", func([]reflect.Value) []interface{} {
		obj.need("refreshable", "res does not support the Refreshable trait")
		obj.during("Refresh", true)
		return []interface{}{obj.refresh}
	})
	function("Send", func(args []reflect.Value) []interface{} {
		obj.need("sendable", fmt.Sprintf("res of kind `%s` does not support the Sendable trait", obj.kind()))
		obj.during("Send", true)
		obj.sent = args[0].Interface()
		obj.published, obj.atFirst = obj.sent, sent(obj.sent)
		if method := obj.method("Send"); fits(method, args[0]) {
			method.Call(args)
		}
		return []interface{}{nil}
	})
	function("Recv", func([]reflect.Value) []interface{} {
		obj.need("recvable", fmt.Sprintf("res of kind `%s` does not support the Recvable trait", obj.kind()))
		obj.during("Recv", true)
		if !obj.received.IsValid() {
			return nil
		}
		return []interface{}{obj.received.Interface()}
	})
	function("VarDir", func(args []reflect.Value) []interface{} {
		// Objects with one kind and name have one folder, as in mgmt.
		folder := filepath.Join(obj.server.folder, obj.kind(), url.PathEscape(obj.name()), args[0].String())
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return []interface{}{"", err}
		}
		if obj.server.litter {
			if err := strew(folder); err != nil {
				return []interface{}{"", err}
			}
		}
		return []interface{}{folder + "/", nil}
	})
	function("Logf", func(args []reflect.Value) []interface{} {
		given := []interface{}{}
		for i := 0; i < args[1].Len(); i++ {
			given = append(given, args[1].Index(i).Interface())
		}
		line := strings.ToValidUTF8(fmt.Sprintf(args[0].String(), given...), "\uFFFD")
		if line, ok := obj.server.logs.take(obj.label, line); ok {
			obj.server.tell("log", object{"resource": obj.label, "text": line})
		}
		return nil
	})
	obj.given = made
	obj.isDone = true
	obj.reopen()
	return made
}

// reopen makes the channel that ends Watch in the form without contexts, if the last one is closed.
func (obj *resource) reopen() {
	field := obj.given.Elem().FieldByName("Done")
	if !field.IsValid() || field.Kind() != reflect.Chan || !obj.isDone {
		return
	}
	obj.done, obj.isDone = make(chan struct{}), false
	if value := reflect.ValueOf(obj.done); value.Type().ConvertibleTo(field.Type()) {
		field.Set(value.Convert(field.Type()))
	}
}

// filled has the author's function fill in what is given to a resource.
func filled(made reflect.Value) error {
	if fill == nil {
		return nil
	}
	function := reflect.ValueOf(fill)
	if !fits(function, made) {
		return refuse(notNow, "the function of `init` has to take one parameter, a *engine.Init")
	}
	if why := told(function.Call([]reflect.Value{made})); why != nil {
		return refuse(notNow, "the function of `init` fails: %v", why)
	}
	return nil
}

// strew leaves files in a folder of VarDir, as an earlier run of mgmt may have done.
func strew(folder string) error {
	if err := os.MkdirAll(filepath.Join(folder, "stale", "folder"), 0o700); err != nil {
		return err
	}
	for _, name := range []string{"stale/file", ".stale", "state", "lock"} {
		path := filepath.Join(folder, name)
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		if err := os.WriteFile(path, []byte("left over\n"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (obj *resource) kind() string {
	results, err := obj.call("Kind")
	if err != nil || len(results) != 1 {
		return ""
	}
	return results[0].String()
}

func (obj *resource) name() string {
	results, err := obj.call("Name")
	if err != nil || len(results) != 1 {
		return obj.label
	}
	return results[0].String()
}

// need panics as the engine does, if the resource lacks a trait.
func (obj *resource) need(trait, text string) {
	if !obj.hasTrait(trait) {
		panic(text)
	}
}

// during tells if a function of Init is called outside of CheckApply.
func (obj *resource) during(call string, applies bool) {
	if obj.applies.Load() != applies {
		obj.server.tell("misuse", object{"resource": obj.label, "call": call, "where": "outside of CheckApply"})
	}
}
