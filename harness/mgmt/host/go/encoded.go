package main

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"reflect"
)

// round writes a resource, and reads another one from that.
func (obj *server) round(request *request) (object, error) {
	from, err := obj.known(request, "from")
	if err != nil {
		return nil, err
	}
	method := from.method("Cmp")
	if !method.IsValid() || method.Type().NumIn() != 1 {
		return nil, refuse(noMethod, "there is no Cmp with one parameter")
	}
	// The engine writes the interface, so that the type is written, too.
	holder := reflect.New(method.Type().In(0))
	holder.Elem().Set(from.value)
	text := &bytes.Buffer{}
	if err := gob.NewEncoder(text).Encode(holder.Interface()); err != nil {
		return object{"error": err.Error()}, nil
	}
	var again interface{}
	if err := gob.NewDecoder(text).Decode(&again); err != nil {
		return object{"error": err.Error()}, nil
	}
	value := reflect.ValueOf(again)
	if value.Type() != from.value.Type() {
		return object{"error": fmt.Sprintf("a %s comes back as a %s", from.value.Type(), value.Type())}, nil
	}
	return object{"error": nil}, obj.keep(request.text("resource"), value).isCalled(from)
}

// isCalled gives a resource the kind, the name and the meta parameters of another one.
func (obj *resource) isCalled(from *resource) error {
	for _, name := range []string{"Kind", "Name", "MetaParams"} {
		value, err := from.call(name)
		if err != nil {
			return err
		}
		if _, err := obj.call("Set"+name, value[0]); err != nil {
			return err
		}
	}
	return nil
}

// unmarshal makes a resource of the same type from nothing, and has it read fields as YAML has them.
func (obj *server) unmarshal(request *request) (object, error) {
	from, err := obj.known(request, "from")
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(request.Params["fields"], &fields); err != nil {
		return nil, refuse(badParams, "fields is no object")
	}
	own := obj.keep(request.text("resource"), reflect.New(from.structure().Type()))
	reads := func(target interface{}) error {
		value := reflect.ValueOf(target)
		if value.Kind() != reflect.Ptr || value.Elem().Kind() != reflect.Struct {
			return fmt.Errorf("it can only be read into a struct")
		}
		whole := &resource{value: value}
		for name, raw := range fields {
			field, ok := whole.field(name)
			if !ok {
				return fmt.Errorf("there is no field %q", name)
			}
			if err := read(raw, field); err != nil {
				return fmt.Errorf("the field %q: %v", name, err)
			}
		}
		return nil
	}
	method := own.method("UnmarshalYAML")
	if !fits(method, reflect.ValueOf(reads)) {
		return nil, refuse(noMethod, "there is no UnmarshalYAML that takes a function")
	}
	results := method.Call([]reflect.Value{reflect.ValueOf(reads)})
	return object{"error": told(results)}, own.isCalled(from)
}

// reversed makes the resource that undoes another one.
func (obj *server) reversed(request *request) (object, error) {
	from, err := obj.known(request, "from")
	if err != nil {
		return nil, err
	}
	results, err := from.call("Reversed")
	if err != nil {
		return nil, err
	}
	made := results[0]
	for made.Kind() == reflect.Interface && !made.IsNil() {
		made = made.Elem()
	}
	if made.Kind() != reflect.Ptr || made.IsNil() {
		return object{"reversed": false, "error": told(results)}, nil
	}
	own := obj.keep(request.text("resource"), made)
	return object{"reversed": true, "type": own.structure().Type().Name(), "error": told(results)}, nil
}

// interrupt asks a resource to end soon.
func (obj *server) interrupt(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	if !own.method("Interrupt").IsValid() {
		return nil, refuse(noMethod, "there is no Interrupt")
	}
	return inTime(own.interrupt(0)), nil
}
