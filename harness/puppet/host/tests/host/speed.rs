use crate::common::Module;
use serde_json::json;
use std::time::Instant;

/// Run it with `cargo test -p puppet-host --release -- --ignored --nocapture`, pinned to one CPU by
/// `taskset -c 0`.
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stdout, reason = "the figures are its output")]
fn calls_a_second() {
    let body = "def get(_context)\n  [{ name: 'a', ensure: 'present' }, { name: 'b', ensure: 'present' }]\nend\n\
                def create(context, name, should); end";
    let module = Module::new().kind("thing", "").simple("thing", body);
    let begun = Instant::now();
    let mut host = module.host();
    let provider = host.open("thing");
    println!("started in {:?}", begun.elapsed());
    let changes = json!([["c", {"is": null, "should": {"name": "c", "ensure": "present"}}]]);
    for (method, params) in [
        ("get", json!({"provider": provider})),
        ("set", json!({"provider": provider, "changes": changes})),
    ] {
        let begun = Instant::now();
        let calls = 20_000;
        for _ in 0..calls {
            host.call(method, &params);
        }
        println!(
            "{method}: {:.0} a second",
            f64::from(calls) / begun.elapsed().as_secs_f64()
        );
    }
}
