package main

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// source is where the value of a field comes from.
type source struct {
	From *string `json:"from"`
	Kind string  `json:"kind"`
	Name string  `json:"name"`
	Key  string  `json:"key"`
}

func (obj source) sender() string { return fmt.Sprintf("%s[%s]", obj.Kind, obj.Name) }

// receives tells a resource from where its fields get values.
func (obj *server) receives(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(request.Params["fields"], &own.sources); err != nil {
		return nil, refuse(badParams, "fields: %v", err)
	}
	method := own.method("SetRecv")
	if !method.IsValid() || method.Type().NumIn() != 1 || method.Type().In(0).Kind() != reflect.Map {
		return nil, refuse(noMethod, "%s has no trait Recvable", own.structure().Type().Name())
	}
	kind := method.Type().In(0)
	own.received = reflect.MakeMap(kind)
	for field, from := range own.sources {
		entry := reflect.New(kind.Elem().Elem())
		set := func(name string, value reflect.Value) {
			if field := entry.Elem().FieldByName(name); field.IsValid() && value.Type().AssignableTo(field.Type()) {
				field.Set(value)
			}
		}
		set("Kind", reflect.ValueOf(from.Kind))
		set("Name", reflect.ValueOf(from.Name))
		set("Key", reflect.ValueOf(from.Key))
		if sender := obj.sender(from); sender != nil {
			set("Res", sender.value)
		}
		own.received.SetMapIndex(reflect.ValueOf(field), entry)
	}
	method.Call([]reflect.Value{own.received})
	return nil, nil
}

// sender is the resource that a source names, if it is there.
func (obj *server) sender(from source) *resource {
	if from.From == nil {
		return nil
	}
	return obj.resources[*from.From]
}

// isNew says which received fields count as changed.
func (obj *resource) isNew(fields []string) {
	if !obj.received.IsValid() {
		return
	}
	for field := range obj.sources {
		changed := false
		for _, name := range fields {
			changed = changed || name == field
		}
		entry := obj.received.MapIndex(reflect.ValueOf(field)).Elem()
		if flag := entry.FieldByName("Changed"); flag.IsValid() {
			flag.SetBool(changed)
		}
	}
}

// lastSent is what a resource sent last, as a struct; the zero value if it sent nothing.
func (obj *resource) lastSent() reflect.Value {
	published := obj.published
	// A head sends for the members of its group, and not by a function of the host.
	if method := obj.method("Sent"); method.IsValid() && method.Type().NumIn() == 0 && method.Type().NumOut() == 1 {
		if value := method.Call(nil)[0]; value.IsValid() && !value.IsZero() {
			published = value.Interface()
		}
	}
	if published == nil {
		return reflect.Value{}
	}
	value := reflect.ValueOf(published)
	if value.Kind() == reflect.Ptr && !value.IsNil() && value.Elem().Kind() == reflect.Struct {
		return value
	}
	return reflect.Value{}
}

// receive copies what the sender of a field has sent last, as the engine does.
func (obj *server) receive(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	name := request.text("field")
	from, ok := own.sources[name]
	if !ok {
		return nil, refuse(badParams, "the field %q receives nothing", name)
	}
	changed, err := own.take(name, from)
	if err != nil {
		return object{"changed": false, "error": err.Error()}, nil
	}
	return object{"changed": changed, "error": nil}, nil
}

func (obj *resource) take(name string, from source) (bool, error) {
	sender := obj.server.sender(from)
	if sender == nil {
		return false, fmt.Errorf("sender %s is not in the graph", from.sender())
	}
	sent := sender.lastSent()
	if !sent.IsValid() {
		return false, fmt.Errorf("received nil value from: %s", from.sender())
	}
	value, ok := (&resource{value: sent}).field(from.Key)
	if !ok {
		return false, fmt.Errorf("key not found in send struct")
	}
	field, ok := obj.field(name)
	if !ok {
		return false, fmt.Errorf("key not found in recv struct")
	}
	fitting, err := fit(value, field.Type())
	if err != nil {
		return false, err
	}
	if reflect.DeepEqual(fitting.Interface(), field.Interface()) {
		return false, nil
	}
	field.Set(fitting)
	return true, nil
}

// fit is a value as a field of another type takes it: pointers are followed, or made.
func fit(value reflect.Value, wanted reflect.Type) (reflect.Value, error) {
	if value.Type() == wanted {
		return value, nil
	}
	if value.Kind() == reflect.Interface && !value.IsNil() {
		return fit(value.Elem(), wanted)
	}
	if value.Kind() == reflect.Ptr && wanted.Kind() != reflect.Ptr {
		if value.IsNil() {
			return reflect.Zero(wanted), nil
		}
		return fit(value.Elem(), wanted)
	}
	if wanted.Kind() == reflect.Ptr && value.Kind() != reflect.Ptr {
		inner, err := fit(value, wanted.Elem())
		if err != nil {
			return reflect.Value{}, err
		}
		made := reflect.New(wanted.Elem())
		made.Elem().Set(inner)
		return made, nil
	}
	if value.Kind() != wanted.Kind() {
		return reflect.Value{}, fmt.Errorf("field kind mismatch between %s and %s", value.Kind(), wanted.Kind())
	}
	if wanted.Kind() == reflect.Interface && value.Type().Implements(wanted) || value.Type().ConvertibleTo(wanted) {
		return value.Convert(wanted), nil
	}
	return reflect.Value{}, fmt.Errorf("type mismatch between %s and %s", value.Type(), wanted)
}

// value is what a field holds that may receive.
func (obj *server) value(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	field, ok := own.field(request.text("field"))
	if !ok {
		return nil, refuse(badParams, "there is no field %q", request.text("field"))
	}
	return object{"value": written(field), "type": field.Type().String()}, nil
}

// sent is what a resource has sent last, by its keys.
func (obj *server) sent(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	value := own.lastSent()
	if !value.IsValid() {
		return object{"sent": nil}, nil
	}
	keys := object{}
	for _, field := range publicFields(value.Elem().Type()) {
		inner := value.Elem().FieldByIndex(field.Index)
		keys[key(field)] = object{"value": written(inner), "type": inner.Type().String()}
	}
	return object{"sent": keys}, nil
}

// key is the name of a field in the language, in YAML, or in Go.
func key(field reflect.StructField) string {
	for _, name := range []string{"lang", "yaml"} {
		if text, ok := tag(field, name).(string); ok && text != "" && text != "-" {
			return text
		}
	}
	return field.Name
}
