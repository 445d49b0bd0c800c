package main

import (
	"encoding/json"
	"reflect"
	"strings"
)

// meta sets meta parameters by their names in YAML. Older forms of the interface lack some of them.
func (obj *server) meta(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(request.Params["meta"], &members); err != nil {
		return nil, refuse(badParams, "meta is no object")
	}
	results, err := own.call("MetaParams")
	if err != nil {
		return nil, err
	}
	params := results[0]
	if params.Kind() != reflect.Ptr {
		return nil, refuse(noMethod, "MetaParams returns no pointer")
	}
	if params.IsNil() {
		params = reflect.New(params.Type().Elem())
	}
	for _, field := range publicFields(params.Elem().Type()) {
		name, ok := tag(field, "yaml").(string)
		if !ok {
			name = strings.ToLower(field.Name)
		}
		if raw, ok := members[name]; ok {
			if err := read(raw, params.Elem().FieldByIndex(field.Index)); err != nil {
				return nil, refuse(badParams, "the meta parameter %q: %v", name, err)
			}
		}
	}
	if _, err = own.call("SetMetaParams", params); err != nil {
		return nil, err
	}
	return object{"lost": own.lost(params, members)}, nil
}

// lost is the first meta parameter, by its name in YAML, that the engine finds to be another one than it has set.
func (obj *resource) lost(set reflect.Value, members map[string]json.RawMessage) interface{} {
	results, err := obj.call("MetaParams")
	if err != nil || results[0].Kind() != reflect.Ptr || results[0].IsNil() {
		return nil
	}
	for _, field := range publicFields(set.Elem().Type()) {
		name, ok := tag(field, "yaml").(string)
		if !ok {
			name = strings.ToLower(field.Name)
		}
		one, other := set.Elem().FieldByIndex(field.Index), results[0].Elem().FieldByIndex(field.Index)
		if _, ok := members[name]; ok && !reflect.DeepEqual(one.Interface(), other.Interface()) {
			return name
		}
	}
	return nil
}
