package main

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"sort"
)

// private is a hash of the private fields of a resource, as far as reflection reads them.
func private(structure reflect.Value) string {
	sum := fnv.New64a()
	for i := 0; i < structure.NumField(); i++ {
		field := structure.Type().Field(i)
		if field.PkgPath == "" || field.Anonymous {
			continue
		}
		fmt.Fprintf(sum, "%s:%s;", field.Name, digest(structure.Field(i), structure.Type().PkgPath(), 0))
	}
	return fmt.Sprintf("%016x", sum.Sum64())
}

// digest tells values apart. Functions, channels and pointers into other packages count for nothing.
func digest(value reflect.Value, own string, depth int) string {
	if depth > deepest {
		return "…"
	}
	switch value.Kind() {
	case reflect.Bool:
		return fmt.Sprint(value.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprint(value.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprint(value.Uint())
	case reflect.Float32, reflect.Float64:
		return fmt.Sprint(value.Float())
	case reflect.String:
		return fmt.Sprintf("%q", value.String())
	case reflect.Ptr:
		if value.IsNil() {
			return "nil"
		}
		if value.Elem().Kind() == reflect.Struct && value.Elem().Type().PkgPath() != own {
			return "*"
		}
		return digest(value.Elem(), own, depth+1)
	case reflect.Slice, reflect.Array:
		text := "["
		for i := 0; i < value.Len(); i++ {
			text += digest(value.Index(i), own, depth+1) + ","
		}
		return text + "]"
	case reflect.Map:
		members := []string{}
		for _, key := range value.MapKeys() {
			members = append(members, digest(key, own, depth+1)+":"+digest(value.MapIndex(key), own, depth+1))
		}
		sort.Strings(members)
		return fmt.Sprint(members)
	case reflect.Struct:
		if value.Type().PkgPath() != own {
			return "*"
		}
		text := "{"
		for i := 0; i < value.NumField(); i++ {
			text += digest(value.Field(i), own, depth+1) + ","
		}
		return text + "}"
	}
	return "*"
}

// sharedPaths are the paths of maps, slices and pointers that two values of one type share.
func sharedPaths(one, other reflect.Value, path string, depth int) []string {
	if depth > deepest || one.Kind() != other.Kind() {
		return nil
	}
	paths := []string{}
	switch one.Kind() {
	case reflect.Map, reflect.Slice, reflect.Ptr:
		if one.IsNil() || other.IsNil() {
			return nil
		}
		empty := one.Kind() == reflect.Slice && (one.Cap() == 0 || other.Cap() == 0)
		if !empty && one.Pointer() == other.Pointer() {
			return []string{path}
		}
		if one.Kind() == reflect.Ptr {
			return sharedPaths(one.Elem(), other.Elem(), path, depth+1)
		}
		if one.Kind() == reflect.Slice {
			for i := 0; i < one.Len() && i < other.Len(); i++ {
				paths = append(paths, sharedPaths(one.Index(i), other.Index(i), fmt.Sprintf("%s[%d]", path, i), depth+1)...)
			}
		}
	case reflect.Struct:
		if one.Type() != other.Type() {
			return nil
		}
		for _, field := range publicFields(one.Type()) {
			inner := field.Name
			if path != "" {
				inner = path + "." + field.Name
			}
			found := sharedPaths(one.FieldByIndex(field.Index), other.FieldByIndex(field.Index), inner, depth+1)
			paths = append(paths, found...)
		}
	}
	return paths
}

func (obj *server) shared(request *request) (object, error) {
	own, other, err := obj.both(request, "other")
	if err != nil {
		return nil, err
	}
	paths := sharedPaths(own.structure(), other.structure(), "", 0)
	if paths == nil {
		paths = []string{}
	}
	return object{"fields": paths}, nil
}
