package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
)

// registered and create are those of the engine; a generated file sets them.
var (
	registered func() []string
	create     func(kind, name string) (interface{}, error)
	// fill is a function of the author's that fills in what Init gets, if there is one.
	fill interface{}
)

// Codes of errors. The first one says that the resource panicked.
const (
	panicked  = 1
	noMethod  = -32601
	badParams = -32602
	notNow    = -32000
)

// failure is an error of the protocol.
type failure struct {
	code    int
	message string
	data    interface{}
}

func (obj *failure) Error() string { return obj.message }

func refuse(code int, format string, args ...interface{}) error {
	return &failure{code: code, message: fmt.Sprintf(format, args...)}
}

type request struct {
	ID     json.RawMessage            `json:"id"`
	Method string                     `json:"method"`
	Params map[string]json.RawMessage `json:"params"`
}

// text is a parameter that is a text.
func (obj *request) text(key string) string {
	var text string
	json.Unmarshal(obj.Params[key], &text)
	return text
}

// truth is a parameter that is true or false.
func (obj *request) truth(key string) bool {
	var truth bool
	json.Unmarshal(obj.Params[key], &truth)
	return truth
}

// number is a parameter that is a number.
func (obj *request) number(key string) int {
	var number int
	json.Unmarshal(obj.Params[key], &number)
	return number
}

type server struct {
	mutex     sync.Mutex
	out       *bufio.Writer
	resources map[string]*resource
	// classes are the UIDs that were seen, one of each kind that matches.
	classes []reflect.Value
	debug   bool
	folder  string
	// litter says that a folder of VarDir holds files already.
	litter bool
	logs   logs
	// counted is what the last count gave: goroutines, descriptors, child processes.
	counted *[3]int
}

// object is what is written as a JSON object.
type object map[string]interface{}

type method func(*server, *request) (object, error)

var methods map[string]method

func init() {
	methods = map[string]method{
		"initialize": (*server).initialize,
		"describe":   (*server).describe,
		"new":        (*server).newResource,
		"set":        (*server).set,
		"get":        (*server).get,
		"drop":       (*server).drop,
		"validate":   (*server).validate,
		"init":       (*server).initResource,
		"checkapply": (*server).checkApply,
		"cleanup":    (*server).cleanup,
		"cmp":        (*server).cmp,
		"copy":       (*server).copyResource,
		"shared":     (*server).shared,
		"meta":       (*server).meta,
		"round":      (*server).round,
		"unmarshal":  (*server).unmarshal,
		"reversed":   (*server).reversed,
		"interrupt":  (*server).interrupt,
		"receives":   (*server).receives,
		"receive":    (*server).receive,
		"value":      (*server).value,
		"sent":       (*server).sent,
		"groupcmp":   (*server).groupCmp,
		"group":      (*server).group,
		"autoedges":  (*server).autoEdges,
		"nextuids":   (*server).nextUIDs,
		"testuids":   (*server).testUIDs,
		"uids":       (*server).uids,
		"iff":        (*server).iff,
		"counts":     (*server).counts,
		"engine":     (*server).runEngine,
		"watch":      (*server).watch,
		"await":      (*server).await,
		"ack":        (*server).ack,
		"cancel":     (*server).cancel,
	}
}

// answer carries out a request, and writes its answer.
func (obj *server) answer(line []byte) {
	request := &request{}
	if err := json.Unmarshal(line, request); err != nil {
		obj.write(object{"jsonrpc": "2.0", "id": nil, "error": object{"code": -32700, "message": err.Error()}})
		return
	}
	result, err := obj.carryOut(request)
	for _, left := range obj.logs.rest() {
		obj.tell("log", left)
	}
	answer := object{"jsonrpc": "2.0", "id": request.ID}
	if err == nil {
		if result == nil {
			result = object{}
		}
		answer["result"] = result
	} else {
		told, ok := err.(*failure)
		if !ok {
			told = &failure{code: notNow, message: err.Error()}
		}
		report := object{"code": told.code, "message": told.message}
		if told.data != nil {
			report["data"] = told.data
		}
		answer["error"] = report
	}
	obj.write(answer)
}

// carryOut recovers panics, which are those of the resource.
func (obj *server) carryOut(request *request) (result object, err error) {
	known, ok := methods[request.Method]
	if !ok {
		return nil, refuse(noMethod, "there is no method %q", request.Method)
	}
	defer func() {
		if r := recover(); r != nil {
			text, stack := fmt.Sprint(r), string(debug.Stack())
			data := object{"panic": text, "stack": stack, "needs": lacks(text, stack)}
			result, err = nil, &failure{code: panicked, message: text, data: data}
		}
	}()
	return known(obj, request)
}

// tell sends a notification.
func (obj *server) tell(method string, params object) {
	obj.write(object{"jsonrpc": "2.0", "method": method, "params": params})
}

func (obj *server) write(message object) {
	line, err := json.Marshal(message)
	if err != nil {
		line = []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no JSON"}}`)
	}
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	obj.out.Write(line)
	obj.out.WriteByte('\n')
	obj.out.Flush()
}

func (obj *server) initialize(request *request) (object, error) {
	obj.debug = request.truth("debug")
	obj.folder = request.text("var")
	obj.litter = request.truth("litter")
	obj.logs.most = request.number("logs")
	return object{
		"protocol": 1,
		"go":       runtime.Version(),
		"race":     race,
		"era":      era(),
		"running":  hasRunning(),
		"kinds":    kinds(),
	}, nil
}

// known is the resource that a parameter names.
func (obj *server) known(request *request, key string) (*resource, error) {
	label := request.text(key)
	known, ok := obj.resources[label]
	if !ok {
		return nil, refuse(badParams, "there is no resource %q", label)
	}
	return known, nil
}

// both are the resources that two parameters name: `resource` and another one.
func (obj *server) both(request *request, key string) (*resource, *resource, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, nil, err
	}
	other, err := obj.known(request, key)
	return own, other, err
}
