package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"unicode/utf8"
)

// read puts a JSON value into a field, if it fits the field's type.
func read(raw json.RawMessage, field reflect.Value) error {
	if field.Kind() == reflect.Ptr {
		if string(raw) == "null" {
			field.Set(reflect.Zero(field.Type()))
			return nil
		}
		target := reflect.New(field.Type().Elem())
		if err := read(raw, target.Elem()); err != nil {
			return err
		}
		field.Set(target)
		return nil
	}
	if field.Kind() == reflect.String {
		var bytes struct{ Bytes string }
		if len(raw) > 0 && raw[0] == '{' {
			if err := json.Unmarshal(raw, &bytes); err != nil {
				return err
			}
			text, err := base64.StdEncoding.DecodeString(bytes.Bytes)
			if err != nil {
				return err
			}
			field.SetString(string(text))
			return nil
		}
	}
	if field.Kind() == reflect.Struct {
		return readStruct(raw, field)
	}
	if field.Kind() == reflect.Slice && field.Type().Elem().Kind() != reflect.Uint8 {
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			return err
		}
		if items == nil {
			field.Set(reflect.Zero(field.Type()))
			return nil
		}
		list := reflect.MakeSlice(field.Type(), len(items), len(items))
		for i, item := range items {
			if err := read(item, list.Index(i)); err != nil {
				return err
			}
		}
		field.Set(list)
		return nil
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
			return fmt.Errorf("there is no field %q", name)
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
