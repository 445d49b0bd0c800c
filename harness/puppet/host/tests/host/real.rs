use crate::common::{Host, Module};
use serde_json::{Value, json};

fn module() -> Module {
    let body = "def get(context)\n  context.debug('getting')\n  [{ name: 'there', ensure: 'present', v: 1 }]\nend\n\
                def create(context, name, should); context.info(should[:v].to_s); end\n\
                def update(context, name, should); raise 'boom'; end\n\
                def delete(context, name); Puppet.notice('bye'); end";
    Module::new()
        .kind("thing", "v: { type: 'Optional[Integer]', desc: 'x' }")
        .simple("thing", body)
}

/// What a conversation yields that does not depend on the library.
fn conversation(host: &mut Host) -> Vec<Value> {
    let mut said = vec![host.call("load", &json!({"type": "thing"}))];
    let mut opened = host.call("open", &json!({"type": "thing"}));
    said.push(opened["class"].take());
    said.push(opened["inherited"].take());
    said.push(host.call("get", &json!({"provider": 1})));
    said.append(&mut host.logs);
    let present = json!({"name": "there", "ensure": "present", "v": 2});
    for change in [
        json!({"is": {"name": "there", "ensure": "absent"}, "should": present}),
        json!({"is": present, "should": present}),
        json!({"is": present, "should": {"name": "there", "ensure": "absent"}}),
        json!({"should": {"name": "there", "ensure": "present"}}),
    ] {
        let mut result = host.call(
            "set",
            &json!({"provider": 1, "changes": [["there", change]]}),
        );
        result
            .as_object_mut()
            .expect("an object")
            .remove("definition_changed");
        said.push(result);
        for mut log in host.logs.drain(..) {
            if let Some(error) = log.get_mut("error") {
                error["frames"].take();
            }
            said.push(log);
        }
    }
    said
}

#[test]
fn the_stand_ins_behave_as_the_real_library() {
    let module = module();
    let mut real = Host::start(&module.lib());
    let answer = real.ask(
        "initialize",
        &json!({"protocol": 1, "path": [module.lib()], "real": true}),
    );
    if let Some(error) = answer.get("error") {
        // Without Puppet, the host says so and stays usable.
        let message = error["message"].as_str().expect("text");
        assert!(
            message.starts_with("the real Puppet library cannot be loaded"),
            "{message}"
        );
        real.call(
            "initialize",
            &json!({"protocol": 1, "path": [module.lib()]}),
        );
        return;
    }
    let runtime = &answer["result"]["runtime"];
    let mut stand_ins = module.host_with(&json!({"runtime": runtime}));
    assert_eq!(conversation(&mut stand_ins), conversation(&mut real));
}

/// What a Ruby expression is, or the class of what it raises.
fn value(host: &mut Host, ruby: &str) -> Value {
    let names = [format!("raise Interrupt, ({ruby}).inspect")];
    let error = host.fail("get", &json!({"provider": 1, "names": names}));
    match &error["data"]["class"] {
        class if class == "Interrupt" => error["message"].clone(),
        class => class.clone(),
    }
}

#[test]
fn small_parts_of_puppet_answer_as_the_real_ones() {
    let eval = "def get(context, names)\n  eval(names.first)\nend";
    let module = Module::new().kind("thing", "").provider("thing", eval);
    let mut real = Host::start(&module.lib());
    real.call(
        "initialize",
        &json!({"protocol": 1, "path": [module.lib()], "real": true}),
    );
    let mut stand_ins = module.host();
    for host in [&mut real, &mut stand_ins] {
        host.open("thing");
    }
    let command = |program| {
        format!(
            "Puppet::Provider::Command.new('it', '{program}', Puppet::Util, Puppet::Util::Execution, \
             failonfail: true).execute('a b', 'c').to_s"
        )
    };
    let served = |method: &str, more: &str| {
        format!(
            "s = TCPServer.new('127.0.0.1', 0); \
             Thread.new {{ c = s.accept; @said = c.readpartial(9999); \
             c.write(\"HTTP/1.1 404 Not Here\\r\\nX-Y: z\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok\"); \
             c.close }}; \
             r = Puppet.runtime[:http].{method}(URI(\"http://127.0.0.1:#{{s.addr[1]}}/p?q=1\"), {more} \
             headers: {{ 'Accept' => 'text/plain', 'Content-Type' => 'text/x' }}, params: {{ a: 'b c' }}, \
             options: {{ basic_auth: {{ user: 'u', password: 'p' }} }}); \
             [r.code, r.reason, r.body, r.success?, r['x-y'], @said.lines.first, \
             @said[/^authorization:.*$/i], @said[/^accept:.*$/i]]"
        )
    };
    let all = [
        command("echo"),
        command("false"),
        command("no-such-program"),
        "Puppet::Util::Json.load('{\"a\": [1, null]}')".into(),
        "Puppet::Util::Json.load('{')".into(),
        "Puppet::Util::Json.dump({ 'a' => [1, nil] })".into(),
        "Puppet::Util::Json.dump({ 'a' => [1, nil] }, { pretty: true })".into(),
        "Puppet::Util::Json.load_file_if_valid('/nope')".into(),
        "Puppet::Util::Yaml.safe_load('a: [1, ~]')".into(),
        "Puppet::Util::Yaml.safe_load('')".into(),
        "Puppet::Util::Yaml.safe_load('a: :b', [Symbol])".into(),
        "Puppet::Util::Yaml.safe_load('a: [')".into(),
        "Puppet::Util::Yaml.safe_load('--- !ruby/object:Object {}')".into(),
        "Puppet::Util::Yaml.safe_load_file_if_valid('/nope')".into(),
        "[:before, 'noop', :ensure, :provider].map { |one| Puppet::Type.metaparam?(one) ? true : false }".into(),
        "Puppet::Type.metaparams.sort".into(),
        "Class.new(Puppet::Provider) { def x; which('sh'); end }.new.x".into(),
        "Class.new(Puppet::Provider) { def x; Puppet::Provider::Execution; end }.new.x".into(),
        "Puppet.runtime[:http].get(URI('http://127.0.0.1:1/'))".into(),
        "Puppet.runtime[:http].post(URI('http://127.0.0.1:1/'), nil)".into(),
        "Puppet.runtime[:http].put(URI('http://127.0.0.1:1/'), 'text')".into(),
        served("get", ""),
        served("delete", ""),
        served("put", "'body',"),
        served("post", "'body',"),
    ];
    for ruby in all {
        assert_eq!(
            value(&mut stand_ins, &ruby),
            value(&mut real, &ruby),
            "{ruby}"
        );
    }
}
