//! Running the binary: its output, a folder to work in, a server in the background.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long anything may take that should not take long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The benchmark policy by its name.
pub(crate) const POLICY: &str = "scenario:rampart-c";

/// The greeting in a SOAP 1.2 envelope.
pub(crate) const PLAIN: &str = "<soap:Envelope xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\"><soap:Body>\
<greetRequest xmlns=\"http://www.wso2.org/types\"><name>test me</name></greetRequest></soap:Body></soap:Envelope>";

/// What a run came to.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// Its exit code must be `code`.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Run {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bartizan"));
    command.args(args).stdin(Stdio::null()).env_remove("BARTIZAN_STORE_PASSWORD").env_remove("NOTIFY_SOCKET");
    command
}

/// Runs the binary where relative paths do not matter.
pub(crate) fn bartizan(args: &[&str]) -> Run {
    ran(command(args).output().expect("it runs"))
}

fn ran(output: Output) -> Run {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run { code: output.status.code().expect("no signal"), out: text(output.stdout), err: text(output.stderr) }
}

/// Demo keys, made once.
pub(crate) fn keys() -> &'static str {
    static KEYS: OnceLock<(TempDir, String)> = OnceLock::new();
    let (_, path) = KEYS.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("keys").to_str().expect("UTF-8").to_owned();
        bartizan(&["keys", "demo", &path]).ends(0);
        (folder, path)
    });
    path
}

/// A folder to work in.
pub(crate) struct Desk(TempDir);

impl Desk {
    pub(crate) fn new() -> Desk {
        Desk(tempfile::tempdir().expect("a folder"))
    }

    /// Runs the binary in the folder.
    pub(crate) fn bartizan(&self, args: &[&str]) -> Run {
        ran(command(args).current_dir(self.0.path()).output().expect("it runs"))
    }

    /// Runs the binary in the folder with something on standard input.
    pub(crate) fn bartizan_with(&self, args: &[&str], input: &[u8]) -> Run {
        let mut child = command(args)
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        child.stdin.take().expect("piped").write_all(input).expect("taken");
        ran(child.wait_with_output().expect("it ends"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("there")
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Names of what is in the folder.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }

    /// Secures the greeting as the client; the file is called `name`.
    pub(crate) fn request(&self, name: &str) {
        self.write("plain.xml", PLAIN);
        let args = [
            "secure",
            "plain.xml",
            "-o",
            name,
            "--policy",
            POLICY,
            "--as",
            "initiator",
            "--keys",
            keys(),
            "-q",
        ];
        self.bartizan(&args).ends(0);
    }
}

/// A server in the background; killed when dropped.
pub(crate) struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    pub(crate) lines: Vec<String>,
    errors: PathBuf,
}

impl Server {
    /// Starts `serve` with these arguments in the desk's folder and waits until it is ready.
    pub(crate) fn start(desk: &Desk, args: &[&str]) -> Server {
        let errors = desk.path("server.err");
        let mut all = vec!["serve"];
        all.extend(args);
        let mut child = command(&all)
            .current_dir(desk.0.path())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(&errors).expect("a file"))
            .spawn()
            .expect("it runs");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let mut lines = Vec::new();
        while lines.last().is_none_or(|line| line != "ready") {
            let mut line = String::new();
            let read = out.read_line(&mut line).expect("readable");
            assert!(read > 0, "it ended: {}", std::fs::read_to_string(&errors).unwrap_or_default());
            lines.push(line.trim_end().to_owned());
        }
        Server { child, out, lines, errors }
    }

    /// The quick form with demo keys on a free port; `args` are added.
    pub(crate) fn quick(desk: &Desk, args: &[&str]) -> Server {
        let mut all = vec!["--listen", "127.0.0.1:0", "--state", "state", "--keys", keys()];
        all.extend(args);
        Server::start(desk, &all)
    }

    /// `127.0.0.1:PORT` of the first listener.
    pub(crate) fn address(&self) -> &str {
        self.lines[0].rsplit_once("http://").expect("an address").1
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address())
    }

    /// The next line of the access log.
    pub(crate) fn record(&mut self) -> serde_json::Value {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("readable");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").args([format!("-{name}"), self.child.id().to_string()]).status();
        assert!(status.expect("kill runs").success());
    }

    /// Waits until standard error holds `text`.
    pub(crate) fn says(&self, text: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.errors().contains(text) {
            assert!(Instant::now() < until, "no `{text}` in: {}", self.errors());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn errors(&self) -> String {
        std::fs::read_to_string(&self.errors).expect("there")
    }

    /// Waits for the end; gives the exit code and what was left of standard output.
    pub(crate) fn ends(mut self) -> (i32, String) {
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).expect("readable");
        let status = self.child.wait().expect("it ends");
        (status.code().unwrap_or(-1), rest)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An HTTP answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// Sends raw bytes and reads until the other side closes.
pub(crate) fn raw(address: &str, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).expect("connected");
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    stream.write_all(bytes).expect("sent");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let text = String::from_utf8(answer).expect("UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

/// The media type of SOAP 1.2.
pub(crate) const SOAP12: &str = "application/soap+xml;charset=UTF-8";

/// Posts a body.
pub(crate) fn post(address: &str, path: &str, media: &str, body: &[u8]) -> Answer {
    let length = body.len();
    let mut bytes = format!(
        "POST {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n\r\n"
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    raw(address, &bytes)
}

/// Posts a file as SOAP 1.2 to the echo.
pub(crate) fn post_file(address: &str, file: &Path) -> Answer {
    post(address, "/sec_echo", SOAP12, &std::fs::read(file).expect("there"))
}
