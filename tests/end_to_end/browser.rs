//! A headless Chromium, driven over pipes by its DevTools protocol.

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tempfile::TempDir;

/// How long an answer of the browser may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Only one family of fonts, so that a page looks the same on each machine.
const FONTS: &str = r#"<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts/truetype/dejavu</dir>
  <cachedir prefix="cwd">fonts</cachedir>
  <include>/etc/fonts/conf.d</include>
</fontconfig>
"#;

/// A browser with one open page.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    number: u64,
    /// What the page requested and logged.
    events: Vec<Value>,
    _profile: TempDir,
}

/// The window in which a page is shown.
#[derive(Clone, Copy)]
pub struct Look {
    pub scheme: &'static str,
    pub width: u32,
    pub height: u32,
}

impl Browser {
    /// Starts it.
    pub fn start() -> Browser {
        let profile = TempDir::new().expect("a folder");
        fs::write(profile.path().join("fonts.conf"), FONTS).expect("written");
        // The protocol uses descriptors 3 and 4.
        let script = "exec chromium --headless --no-sandbox --disable-gpu --hide-scrollbars \
            --no-first-run --disable-background-networking --disable-component-update \
            --user-data-dir=profile --remote-debugging-pipe about:blank \
            3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .current_dir(profile.path())
            .env("FONTCONFIG_FILE", profile.path().join("fonts.conf"))
            .env("HOME", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let input = child.stdin.take().expect("a pipe");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while output.read_until(0, &mut bytes).is_ok_and(|read| read > 0) {
                bytes.pop();
                let message = serde_json::from_slice(&bytes).expect("JSON");
                bytes.clear();
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut browser = Browser {
            child,
            input,
            messages,
            session: None,
            number: 0,
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", &attach);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Network", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let message = format!("{message}\0");
        self.input
            .write_all(message.as_bytes())
            .expect("Chromium runs; ci/setup installs it");
        loop {
            let message = self.message(method);
            if message["id"] == self.number {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    fn message(&self, after: &str) -> Value {
        self.messages
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|error| panic!("Chromium, after {after}: {error}"))
    }

    /// Opens a file in a window, and waits until it is complete.
    pub fn open(&mut self, file: &Path, look: Look) {
        let scheme = json!({"name": "prefers-color-scheme", "value": look.scheme});
        self.call("Emulation.setEmulatedMedia", &json!({"features": [scheme]}));
        let window = json!({"width": look.width, "height": look.height,
            "deviceScaleFactor": 1, "mobile": look.width < 600});
        self.call("Emulation.setDeviceMetricsOverride", &window);
        let url = format!("file://{}", file.display());
        self.events.clear();
        self.call("Page.navigate", &json!({"url": url}));
        let loaded = |event: &Value| event["method"] == "Page.loadEventFired";
        while !self.events.iter().any(loaded) {
            let event = self.message("Page.navigate");
            self.events.push(event);
        }
    }

    /// Switches the scripts of pages on or off.
    pub fn scripts(&mut self, on: bool) {
        let off = json!({"value": !on});
        self.call("Emulation.setScriptExecutionDisabled", &off);
    }

    /// The value of an expression in JavaScript.
    pub fn value(&mut self, expression: &str) -> Value {
        let call = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.call("Runtime.evaluate", &call);
        assert!(result["exceptionDetails"].is_null(), "{result}");
        result["result"]["value"].clone()
    }

    /// The addresses that the page requested, without its own.
    pub fn requests(&self) -> Vec<String> {
        let sent = self.events.iter();
        let sent = sent.filter(|event| event["method"] == "Network.requestWillBeSent");
        let sent = sent.filter(|event| event["params"]["type"] != "Document");
        sent.map(|event| event["params"]["request"]["url"].to_string())
            .filter(|url| !url.starts_with("\"data:"))
            .collect()
    }

    /// What the page logged, and the errors in it.
    pub fn complaints(&self) -> Vec<&Value> {
        let logs = [
            "Log.entryAdded",
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
        ];
        let events = self.events.iter();
        events
            .filter(|event| logs.iter().any(|log| event["method"] == *log))
            .collect()
    }

    /// The window as a PNG in base64, at a part of its size.
    pub fn picture(&mut self, look: Look, scale: f64) -> String {
        let clip = json!({"x": 0, "y": 0, "width": look.width, "height": look.height,
            "scale": scale});
        let shot = self.call("Page.captureScreenshot", &json!({"clip": clip}));
        shot["data"].as_str().expect("base64").to_owned()
    }

    /// The part of pixels that differ clearly between two pictures; 1 if their sizes differ.
    pub fn difference(&mut self, one: &str, other: &str) -> f64 {
        const COMPARE: &str = r#"(async (one, other) => {
            const pixels = async (data) => {
                const image = new Image();
                image.src = "data:image/png;base64," + data;
                await image.decode();
                const canvas = new OffscreenCanvas(image.width, image.height);
                const context = canvas.getContext("2d");
                context.drawImage(image, 0, 0);
                return context.getImageData(0, 0, image.width, image.height);
            };
            const [a, b] = [await pixels(one), await pixels(other)];
            if (a.width !== b.width || a.height !== b.height) return 1;
            let differ = 0;
            for (let at = 0; at < a.data.length; at += 4) {
                const far = (i) => Math.abs(a.data[at + i] - b.data[at + i]) > 40;
                differ += far(0) || far(1) || far(2) ? 1 : 0;
            }
            return differ / (a.width * a.height);
        })"#;
        self.call("Page.navigate", &json!({"url": "about:blank"}));
        let value = self.value(&format!("{COMPARE}({one:?}, {other:?})"));
        value.as_f64().expect("a number")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
