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
