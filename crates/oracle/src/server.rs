//! Our own server as a process, with demo keys and one service for each set of classes.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use bartizan_keys::users::HashCost;
use serde_json::Value;

use crate::classes::Service;

/// A line of the log is written before the answer is sent; its way to us takes no longer than this.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running server; killed when dropped.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    lines: Receiver<String>,
    /// Whether lines of the log are kept.
    keep: Arc<AtomicBool>,
    waiting: HashMap<String, Value>,
}

/// Makes the keys of a run.
pub(crate) fn demo_keys(program: &Path, folder: &Path) -> Result<()> {
    let status =
        Command::new(program).args(["keys", "demo", "--quiet"]).arg(folder).stdout(Stdio::null()).status();
    ensure!(status.context("running `bartizan keys demo`")?.success(), "`bartizan keys demo` failed");
    Ok(())
}

/// Writes the file of users, which all servers of a run have.
pub(crate) fn users(folder: &Path, judged: bool) -> Result<()> {
    // Where times are judged, a hash has to take longer than the quantum: what `bartizan users hash` makes does.
    let cost = if judged { HashCost::default() } else { HashCost::new(1_024, 1, 1)? };
    Ok(std::fs::write(folder.join("users.toml"), crate::users::file(cost)?)?)
}

fn configuration(services: &[Service], quantum: Option<&str>) -> String {
    // Without a word on it, what is measured is the default.
    let quantum = quantum.map(|quantum| format!("failure_quantum = \"{quantum}\"\n")).unwrap_or_default();
    let mut out = format!(
        "[server]\n{quantum}[keys.own]\nfolder = \"keys\"\n[[listener]]\naddress = \"127.0.0.1:0\"\n\
         [policy.rsa15]\nsuite = \"Basic256Rsa15\"\nsign = [\"body\"]\ntimestamp = false\nsignature_confirmation = true\n\
         [policy.gcm]\nsuite = \"modern-rsa\"\nsign = [\"body\"]\ntimestamp = false\nsignature_confirmation = true\n\
         [authentication.users]\nfile = \"users.toml\"\n{}",
        crate::users::policies()
    );
    for service in services {
        out += &format!("[[service]]\npath = \"{}\"\nkind = \"echo\"\n{}\n", service.path, service.config);
    }
    out
}

impl Server {
    /// Starts `serve` in `folder`, where the keys are, and waits until it is ready.
    pub(crate) fn start(
        program: &Path,
        folder: &Path,
        services: &[Service],
        quantum: Option<&str>,
    ) -> Result<Server> {
        let name = format!("server-{}", quantum.unwrap_or("default"));
        let config = folder.join(format!("{name}.toml"));
        std::fs::write(&config, configuration(services, quantum))?;
        let errors = std::fs::File::create(folder.join(format!("{name}.err")))?;
        let mut child = Command::new(program)
            .arg("serve")
            .arg("--config")
            .arg(&config)
            .arg("--state")
            .arg(folder.join(format!("{name}.state")))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .with_context(|| format!("starting {}", program.display()))?;
        let mut out = BufReader::new(child.stdout.take().context("no standard output")?);
        let mut address = String::new();
        loop {
            let mut line = String::new();
            if out.read_line(&mut line)? == 0 {
                let said = std::fs::read_to_string(folder.join(format!("{name}.err"))).unwrap_or_default();
                bail!("the server ended: {said}");
            }
            if let Some((_, found)) = line.trim_end().rsplit_once("http://") {
                found.clone_into(&mut address);
            }
            if line.trim_end() == "ready" {
                break;
            }
        }
        let keep = Arc::new(AtomicBool::new(false));
        let kept = Arc::clone(&keep);
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                if kept.load(Ordering::Relaxed) && send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Server { child, address, lines, keep, waiting: HashMap::new() })
    }

    /// From now on lines of the log are kept, or no longer.
    pub(crate) fn keep_records(&self, keep: bool) {
        self.keep.store(keep, Ordering::Relaxed);
    }

    /// The line of the log about a request.
    pub(crate) fn record(&mut self, id: &str) -> Result<Value> {
        loop {
            if let Some(record) = self.waiting.remove(id) {
                return Ok(record);
            }
            let line = self
                .lines
                .recv_timeout(PATIENCE)
                .with_context(|| format!("no line of the log about {id}"))?;
            let record: Value = serde_json::from_str(&line)?;
            let found = record.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
            self.waiting.insert(found, record);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
