package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"unicode/utf8"
)

// read puts a JSON value into a field, if it fits the field's type.
func read(raw json.RawMessage, field reflect.Value) error {
	switch field.Kind() {
	case reflect.Ptr:
		if isNull(raw) {
			field.Set(reflect.Zero(field.Type()))
			return nil
		}
		target := reflect.New(field.Type().Elem())
		if err := read(raw, target.Elem()); err != nil {
			return err
		}
		field.Set(target)
		return nil
	case reflect.Interface:
		return readAny(raw, field)
	case reflect.String:
		if len(raw) > 0 && raw[0] == '{' {
			return readBytes(raw, field)
		}
	case reflect.Struct:
		return readStruct(raw, field)
	case reflect.Slice:
		if field.Type().Elem().Kind() != reflect.Uint8 {
			return readList(raw, field)
		}
	case reflect.Array:
		return readList(raw, field)
	case reflect.Map:
		return readMap(raw, field)
	}
	// A number beyond 2^53 is text.
	text := ""
	if isNumber(field.Kind()) && json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	target := reflect.New(field.Type())
	if err := json.Unmarshal(raw, target.Interface()); err != nil {
		return err
	}
	field.Set(target.Elem())
	return nil
}

func isNull(raw json.RawMessage) bool {
	return string(raw) == "null"
}

func readBytes(raw json.RawMessage, field reflect.Value) error {
	var found struct{ Bytes *string }
	if err := json.Unmarshal(raw, &found); err != nil {
		return err
	}
	if found.Bytes == nil {
		return fmt.Errorf("an object is no %s", field.Type())
	}
	text, err := base64.StdEncoding.DecodeString(*found.Bytes)
	if err != nil {
		return err
	}
	field.SetString(string(text))
	return nil
}

func readList(raw json.RawMessage, field reflect.Value) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	list := reflect.New(field.Type()).Elem()
	switch {
	case field.Kind() == reflect.Array:
		if len(items) != list.Len() {
			return fmt.Errorf("a %s has %d items", field.Type(), list.Len())
		}
	case items != nil:
		list.Set(reflect.MakeSlice(field.Type(), len(items), len(items)))
	}
	for i, item := range items {
		if err := read(item, list.Index(i)); err != nil {
			return err
		}
	}
	field.Set(list)
	return nil
}

func readMap(raw json.RawMessage, field reflect.Value) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	if members == nil {
		field.Set(reflect.Zero(field.Type()))
		return nil
	}
	made := reflect.MakeMap(field.Type())
	for name, member := range members {
		key, value := reflect.New(field.Type().Key()).Elem(), reflect.New(field.Type().Elem()).Elem()
		// JSON has no other keys than texts.
		text := json.RawMessage(name)
		if kind := key.Kind(); kind == reflect.String || kind == reflect.Interface {
			text, _ = json.Marshal(name)
		}
		if err := read(text, key); err != nil {
			return fmt.Errorf("the key %q: %v", name, err)
		}
		if err := read(member, value); err != nil {
			return err
		}
		made.SetMapIndex(key, value)
	}
	field.Set(made)
	return nil
}

// readAny puts a value into an interface, as mgmt's language hands it over: whole numbers are int64, and lists and maps
// of values of one type have that type.
func readAny(raw json.RawMessage, field reflect.Value) error {
	if isNull(raw) {
		field.Set(reflect.Zero(field.Type()))
		return nil
	}
	if field.NumMethod() > 0 {
		return fmt.Errorf("no plain value is a %s", field.Type())
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var found interface{}
	if err := decoder.Decode(&found); err != nil {
		return err
	}
	value, err := handedOver(found)
	if err != nil {
		return err
	}
	field.Set(reflect.ValueOf(value))
	return nil
}

func handedOver(found interface{}) (interface{}, error) {
	switch found := found.(type) {
	case json.Number:
		if number, err := found.Int64(); err == nil {
			return number, nil
		}
		if !strings.ContainsAny(found.String(), ".eE") {
			return nil, fmt.Errorf("%s is no int64", found)
		}
		return found.Float64()
	case []interface{}:
		items := []interface{}{}
		for _, item := range found {
			value, err := handedOver(item)
			if err != nil {
				return nil, err
			}
			items = append(items, value)
		}
		one := common(items)
		if one == nil {
			return items, nil
		}
		list := reflect.MakeSlice(reflect.SliceOf(one), 0, len(items))
		for _, item := range items {
			list = reflect.Append(list, reflect.ValueOf(item))
		}
		return list.Interface(), nil
	case map[string]interface{}:
		members, values := map[string]interface{}{}, []interface{}{}
		for name, member := range found {
			value, err := handedOver(member)
			if err != nil {
				return nil, err
			}
			members[name] = value
			values = append(values, value)
		}
		one := common(values)
		if one == nil {
			return members, nil
		}
		made := reflect.MakeMap(reflect.MapOf(reflect.TypeOf(""), one))
		for name, member := range members {
			made.SetMapIndex(reflect.ValueOf(name), reflect.ValueOf(member))
		}
		return made.Interface(), nil
	}
	return found, nil
}

// common is the type that all values have, or nil.
func common(values []interface{}) (one reflect.Type) {
	for _, value := range values {
		kind := reflect.TypeOf(value)
		if kind == nil || one != nil && kind != one {
			return nil
		}
		one = kind
	}
	return one
}

func isNumber(kind reflect.Kind) bool {
	return kind >= reflect.Int && kind <= reflect.Float64
}

// readStruct sets the fields of a struct by their tags.
func readStruct(raw json.RawMessage, field reflect.Value) error {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	whole := &resource{value: field.Addr()}
	for name, member := range members {
		inner, ok := whole.field(name)
		if !ok {
			return fmt.Errorf("%s has no field %q", field.Type(), name)
		}
		if err := read(member, inner); err != nil {
			return err
		}
	}
	return nil
}

// written is a value as JSON has it.
func written(value reflect.Value) interface{} {
	return writtenAt(value, 0)
}

// deepest is how far values are followed: pointers may go in circles.
const deepest = 16

func writtenAt(value reflect.Value, depth int) interface{} {
	if depth > deepest {
		return object{"go": "…"}
	}
	switch value.Kind() {
	case reflect.Bool:
		return value.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return json.Number(fmt.Sprint(value.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return json.Number(fmt.Sprint(value.Uint()))
	case reflect.Float32, reflect.Float64:
		text, err := json.Marshal(value.Float())
		if err != nil {
			return object{"go": fmt.Sprint(value.Float())}
		}
		return json.RawMessage(text)
	case reflect.String:
		return textOf(value.String())
	case reflect.Ptr, reflect.Interface:
		if value.IsNil() {
			return nil
		}
		return writtenAt(value.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		if value.Kind() == reflect.Slice && value.IsNil() {
			return nil
		}
		items := []interface{}{}
		for i := 0; i < value.Len(); i++ {
			items = append(items, writtenAt(value.Index(i), depth+1))
		}
		return items
	case reflect.Map:
		if value.IsNil() {
			return nil
		}
		return writtenMap(value, depth)
	case reflect.Struct:
		members := object{}
		for _, field := range publicFields(value.Type()) {
			members[field.Name] = writtenAt(value.FieldByIndex(field.Index), depth+1)
		}
		return members
	}
	return object{"go": value.Type().String()}
}

func writtenMap(value reflect.Value, depth int) interface{} {
	if value.Type().Key().Kind() == reflect.String {
		members := object{}
		for _, key := range value.MapKeys() {
			members[key.String()] = writtenAt(value.MapIndex(key), depth+1)
		}
		return members
	}
	pairs := [][2]interface{}{}
	for _, key := range value.MapKeys() {
		pairs = append(pairs, [2]interface{}{writtenAt(key, depth+1), writtenAt(value.MapIndex(key), depth+1)})
	}
	sort.Slice(pairs, func(i, j int) bool { return fmt.Sprint(pairs[i][0]) < fmt.Sprint(pairs[j][0]) })
	return pairs
}

func textOf(text string) interface{} {
	if utf8.ValidString(text) {
		return text
	}
	return object{"bytes": base64.StdEncoding.EncodeToString([]byte(text))}
}
