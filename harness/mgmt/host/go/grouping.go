package main

import "reflect"

// groupCmp asks whether a resource takes another one into its group.
func (obj *server) groupCmp(request *request) (object, error) {
	own, other, err := obj.both(request, "other")
	if err != nil {
		return nil, err
	}
	if !fits(own.method("GroupCmp"), other.value) {
		return nil, refuse(noMethod, "it is not groupable, or the other one is not")
	}
	return object{"error": told(own.method("GroupCmp").Call([]reflect.Value{other.value}))}, nil
}

// group puts a resource into the group of another one, as the engine does.
func (obj *server) group(request *request) (object, error) {
	own, member, err := obj.both(request, "member")
	if err != nil {
		return nil, err
	}
	if !fits(own.method("GroupRes"), member.value) {
		return nil, refuse(noMethod, "it is not groupable, or the member is not")
	}
	results := own.method("GroupRes").Call([]reflect.Value{member.value})
	if why := told(results); why != nil {
		return object{"error": why}, nil
	}
	if method := member.method("SetGrouped"); fits(method, reflect.ValueOf(true)) {
		method.Call([]reflect.Value{reflect.ValueOf(true)})
	}
	if method := member.method("SetParent"); fits(method, own.value) {
		method.Call([]reflect.Value{own.value})
	}
	member.head = own
	return object{"error": nil}, nil
}

// fits says whether a method takes this one argument.
func fits(method, argument reflect.Value) bool {
	return method.IsValid() && method.Type().NumIn() == 1 && argument.Type().AssignableTo(method.Type().In(0))
}
