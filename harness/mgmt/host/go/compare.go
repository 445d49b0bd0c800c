package main

import (
	"fmt"
	"reflect"
)

func (obj *server) cmp(request *request) (object, error) {
	own, other, err := obj.both(request, "other")
	if err != nil {
		return nil, err
	}
	results, err := own.call("Cmp", other.value)
	if err != nil {
		return nil, err
	}
	return object{"error": told(results)}, nil
}

// copyResource copies as the engine does: kind, name and meta parameters are not the author's work.
func (obj *server) copyResource(request *request) (object, error) {
	from, err := obj.known(request, "from")
	if err != nil {
		return nil, err
	}
	results, err := from.call("Copy")
	if err != nil {
		return nil, err
	}
	if len(results) != 1 || results[0].Kind() == reflect.Interface && results[0].IsNil() {
		return nil, refuse(notNow, "Copy returned nothing")
	}
	copied := results[0]
	if copied.Kind() == reflect.Interface {
		copied = copied.Elem()
	}
	own := obj.keep(request.text("resource"), copied)
	for _, name := range []string{"Kind", "Name"} {
		value, err := from.call(name)
		if err != nil {
			return nil, err
		}
		if _, err := own.call("Set"+name, value[0]); err != nil {
			return nil, err
		}
	}
	return object{"copies": own.structure().Type().Name()}, nil
}

// own are the UIDs of a resource.
func (obj *resource) ownUIDs() ([]reflect.Value, error) {
	results, err := obj.call("UIDs")
	if err != nil {
		return nil, err
	}
	all := []reflect.Value{}
	for i := 0; i < results[0].Len(); i++ {
		all = append(all, results[0].Index(i))
	}
	return all, nil
}

func (obj *server) uids(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	all, err := own.ownUIDs()
	if err != nil {
		return nil, err
	}
	texts, ids := []string{}, []int{}
	for _, uid := range all {
		texts = append(texts, fmt.Sprintf("%v", uid.Interface()))
		ids = append(ids, obj.class(uid))
	}
	return object{"uids": texts, "ids": ids}, nil
}

// iff says whether each UID of one resource matches one of the other.
func (obj *server) iff(request *request) (object, error) {
	own, other, err := obj.both(request, "other")
	if err != nil {
		return nil, err
	}
	all, err := own.ownUIDs()
	if err != nil {
		return nil, err
	}
	others, err := other.ownUIDs()
	if err != nil {
		return nil, err
	}
	matches := len(all) == len(others)
	for _, one := range all {
		found := false
		for _, two := range others {
			results := one.MethodByName("IFF").Call([]reflect.Value{two})
			found = found || results[0].Bool()
		}
		matches = matches && found
	}
	return object{"matches": matches}, nil
}
