//! The Go package for `go test`: its own tests, and a resource that uses it.

use crate::cli::{Folder, Output, finish};
use crate::common::{Call, STICKLER, root};

fn go(folder: &std::path::Path, words: &[&str]) -> Output {
    finish(
        Call::of("go")
            .args(words)
            .env("STICKLER", STICKLER)
            .env("GOFLAGS", "-buildvcs=false")
            .env("GOPROXY", "off")
            .current_dir(folder),
    )
}

#[test]
fn the_package_passes_its_own_tests() {
    let folder = root().join("integrations/go");
    go(&folder, &["vet", "./..."]).exits(0);
    go(&folder, &["test", "./..."]).exits(0).says("ok  ");
}

/// The modules of the demo, each with a test that uses the package.
fn demo() -> Folder {
    let folder = Folder::empty();
    folder.run(&["demo", "mgmt", "demo"]).exits(0);
    for module in ["sound", "broken"] {
        let name = "github.com/_OWNER_/stickler/integrations/go";
        folder.write(
            &format!("demo/{module}/stickler_test.go"),
            &format!(
                "package note\n\nimport (\n\t\"testing\"\n\n\tstickler \"{name}\"\n)\n\n\
                 func TestStickler(t *testing.T) {{ stickler.Check(t, stickler.Options{{}}) }}\n"
            ),
        );
        let file = format!("demo/{module}/go.mod");
        let own = root().join("integrations/go");
        let text = folder.read(&file).replace("go 1.19", "go 1.21");
        let more = format!(
            "\nrequire {name} v0.0.0\n\nreplace {name} => {}\n",
            own.display()
        );
        folder.write(&file, &(text + &more));
    }
    folder
}

#[test]
fn rules_are_subtests_of_a_resource() {
    let demo = demo();
    let words = ["test", "-v", "-run", "TestStickler/MR104", "-short", "."];
    go(&demo.path().join("demo/sound"), &words)
        .exits(0)
        .says("--- PASS: TestStickler/MR104");
    go(&demo.path().join("demo/broken"), &words)
        .exits(1)
        .says("--- FAIL: TestStickler/MR104")
        .says("note.go:")
        .says("fix: stickler explain MR104")
        .says_not("MR302");
}
