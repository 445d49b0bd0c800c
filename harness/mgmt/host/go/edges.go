package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
)

// class is the number of a UID: UIDs of one type that match have the same.
func (obj *server) class(uid reflect.Value) int {
	for uid.Kind() == reflect.Interface {
		uid = uid.Elem()
	}
	for number, known := range obj.classes {
		if known.Type() != uid.Type() {
			continue
		}
		results := known.MethodByName("IFF").Call([]reflect.Value{uid})
		if results[0].Bool() {
			return number
		}
	}
	obj.classes = append(obj.classes, uid)
	return len(obj.classes) - 1
}

// autoEdges asks a resource for the edges that it wants.
func (obj *server) autoEdges(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	args := []reflect.Value{}
	if takesContext(own.method("AutoEdges"), 1) {
		args = append(args, reflect.ValueOf(context.Background()))
	}
	results, err := own.call("AutoEdges", args...)
	if err != nil {
		return nil, err
	}
	own.edges = results[0]
	there := own.edges.Kind() != reflect.Interface || !own.edges.IsNil()
	if !there {
		own.edges = reflect.Value{}
	}
	return object{"edges": there, "error": told(results)}, nil
}

// nextUIDs are the next UIDs that it wants.
func (obj *server) nextUIDs(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	if !own.edges.IsValid() {
		return nil, refuse(notNow, "it wants no edges")
	}
	results := own.edges.MethodByName("Next").Call(nil)
	uids := []object{}
	for i := 0; i < results[0].Len(); i++ {
		uid := results[0].Index(i)
		uids = append(uids, object{
			"id":       obj.class(uid),
			"text":     fmt.Sprintf("%v", uid.Interface()),
			"reversed": uid.MethodByName("IsReversed").Call(nil)[0].Bool(),
		})
	}
	own.wanted = len(uids)
	return object{"uids": uids}, nil
}

// testUIDs tells which of them were found.
func (obj *server) testUIDs(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	if !own.edges.IsValid() {
		return nil, refuse(notNow, "it wants no edges")
	}
	found := make([]bool, own.wanted)
	if raw, ok := request.Params["found"]; ok {
		if err := json.Unmarshal(raw, &found); err != nil || len(found) != own.wanted {
			return nil, refuse(badParams, "found has as many items as Next gave")
		}
	}
	results := own.edges.MethodByName("Test").Call([]reflect.Value{reflect.ValueOf(found)})
	return object{"more": results[0].Bool()}, nil
}
