//! The engines that are measured, and how each is started: our own binary, WSS4J, CXF and Rampart as Java programs.
//!
//! Two layouts of a folder of Java peers are known: `interop/java` of this repository, and programs that take key stores by
//! name and bring keys along in `target/keys`. In both a program runs as `java -cp 'MODULE/target/classes:MODULE/target/lib/*'
//! CLASS serve PORT …` and prints `ready PORT`. Not here: what is sent (`initiator`). Called by `measure`.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Error;
use crate::credentials::{Credentials, MIN_RSA};
use crate::error::file;
use crate::initiator::{Answer, Payload};
use crate::kind::{Kind, LIFE, Token, USER};
use crate::process::{CommandLine, Process, Tools};
use crate::scenario::{Keys, Policy};

/// How long a server may take until it is ready: a Java program on a busy machine is slow to start.
const PATIENCE: Duration = Duration::from_secs(120);

/// Options of the Java virtual machine. Without `nodelay` the JDK's own HTTP server answers a kept connection after 40 ms.
const JVM: &[&str] = &["-Xmx512m", "-Dsun.net.httpserver.nodelay=true", "-Dfile.encoding=UTF-8"];

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Engine {
    /// This binary's `serve`.
    Own,
    /// The same with its memory of messages: every message is a new one.
    Guarded,
    /// WSS4J, its DOM interface driven by hand behind the JDK's HTTP server.
    Wss4j,
    /// WSS4J 1.5 in action mode behind the JDK's HTTP server.
    Wss4j15,
    /// Apache CXF on Jetty.
    Cxf,
    /// Apache Rampart on Axis2, behind the JDK's HTTP server.
    Rampart,
}

impl Engine {
    /// All of them, ours first.
    pub const ALL: [Engine; 6] =
        [Engine::Own, Engine::Guarded, Engine::Wss4j, Engine::Wss4j15, Engine::Cxf, Engine::Rampart];

    /// The name in options and records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Engine::Own => "bartizan",
            Engine::Guarded => "bartizan-replay",
            Engine::Wss4j => "wss4j",
            Engine::Wss4j15 => "wss4j15",
            Engine::Cxf => "cxf",
            Engine::Rampart => "rampart",
        }
    }

    /// Reads a name; `own` is ours.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Engine> {
        let name = if name == "own" { "bartizan" } else { name };
        Engine::ALL.into_iter().find(|engine| engine.name() == name)
    }

    /// Whether it is measured with this kind. CXF and Rampart have no suite with elliptic curves. Of the set-ups with a
    /// UsernameToken, WSS4J 1.5 has all; CXF takes the first, as a supporting token. What the memory of messages costs is
    /// seen where the rest costs least.
    #[must_use]
    pub fn can(self, kind: Kind) -> bool {
        match (self, kind) {
            (Engine::Own, _) | (Engine::Wss4j, Kind::Rampart(_)) | (Engine::Wss4j15, Kind::Unt(..)) => true,
            (Engine::Cxf | Engine::Rampart, Kind::Rampart(keys)) => keys != Keys::P256,
            (Engine::Guarded | Engine::Cxf, Kind::Unt(token, _)) => token == Token::Unt1,
            (Engine::Guarded | Engine::Wss4j15, Kind::Rampart(_))
            | (Engine::Wss4j | Engine::Rampart, Kind::Unt(..)) => false,
        }
    }

    /// Whether it is ours.
    #[must_use]
    pub fn is_own(self) -> bool {
        matches!(self, Engine::Own | Engine::Guarded)
    }

    /// Module and main class of the Java ones.
    fn program(self) -> Option<(&'static str, &'static str)> {
        match self {
            Engine::Own | Engine::Guarded => None,
            Engine::Wss4j15 => Some(("wss4j15", "Unt")),
            Engine::Wss4j => Some(("wss4j4", "Rc")),
            Engine::Cxf => Some(("cxf", "Cxf")),
            Engine::Rampart => Some(("rampart", "Ramp")),
        }
    }

    /// Where its echo is.
    fn path(self, kind: Kind) -> String {
        match (self, kind) {
            (Engine::Wss4j15, Kind::Unt(token, _)) => format!("/{}", token.name()),
            (Engine::Rampart, _) => "/axis2/services/sec_echo".to_owned(),
            (_, _) => "/sec_echo".to_owned(),
        }
    }
}

/// A folder of Java peers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
    layout: Layout,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// `interop/java`: a demo folder of keys by `--server-p12` and so on, policies in `../policies`.
    Interop,
    /// Policies in `MODULE/policies`, passwords by `--storepass`, keys for P-256 in `target/keys`.
    Standing,
}

impl Folder {
    /// Recognizes the layout of a folder.
    #[must_use]
    pub fn new(path: &Path) -> Folder {
        let standing = path.join("cxf/policies").is_dir();
        let layout = if standing { Layout::Standing } else { Layout::Interop };
        Folder { path: path.to_owned(), layout }
    }

    /// The operation that its services offer.
    #[must_use]
    pub fn payload(&self) -> Payload {
        match self.layout {
            Layout::Interop => Payload::Greeting,
            Layout::Standing => Payload::EchoIn,
        }
    }

    /// The keys that it brings along, where its programs cannot do with ours: the standing ones want the names `server` and
    /// `client` in key stores, which the P-256 twins of a demo folder do not have.
    #[must_use]
    pub fn credentials(&self, keys: Keys) -> Option<Credentials> {
        match (self.layout, keys) {
            (Layout::Standing, Keys::P256) => Credentials::beside(keys, &self.path),
            (Layout::Standing | Layout::Interop, _) => None,
        }
    }

    /// Why an engine cannot be run from here, and how to mend it; `None` if it can.
    #[must_use]
    pub fn missing(&self, engine: Engine) -> Option<Box<str>> {
        let (module, class) = engine.program()?;
        let built = self.path.join(module).join("target/classes").join(format!("{class}.class")).exists();
        let keys = self.layout == Layout::Interop || self.path.join("target/keys/p256/server.p12").exists();
        let folder = self.path.display();
        match (built, keys) {
            (true, true) => None,
            (true, false) => Some(format!("no keys in {folder}/target/keys: run {folder}/keys.sh").into()),
            (false, _) if !self.path.is_dir() => Some(
                format!("no folder {folder}: `interop/java/build.sh` of a checkout builds the Java peers, and `--peers DIR` names where they are")
                    .into(),
            ),
            (false, _) => Some(
                format!("{folder}/{module} is not built: run {folder}/build.sh (it needs a JDK 17 and Maven)").into(),
            ),
        }
    }

    /// The version of an engine, by the name of its main library.
    #[must_use]
    pub fn version(&self, engine: Engine) -> Box<str> {
        let library = match engine {
            Engine::Own | Engine::Guarded => return env!("CARGO_PKG_VERSION").into(),
            Engine::Wss4j15 => "wss4j-",
            Engine::Wss4j => "wss4j-ws-security-dom-",
            Engine::Cxf => "cxf-core-",
            Engine::Rampart => "rampart-core-",
        };
        let module = engine.program().map_or("", |(module, _)| module);
        let names = fs::read_dir(self.path.join(module).join("target/lib"));
        let names =
            names.into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let versions =
            names.filter_map(|name| Some(name.strip_prefix(library)?.strip_suffix(".jar")?.into()));
        versions.min().unwrap_or_default()
    }

    /// The command that serves on `port`.
    fn command(&self, engine: Engine, kind: Kind, credentials: &Credentials, port: u16) -> CommandLine {
        let (module, class) = engine.program().unwrap_or_default();
        let target = self.path.join(module).join("target");
        let target = target.display();
        let mut line: CommandLine = vec!["java".to_owned()];
        line.extend(JVM.iter().map(|&option| option.to_owned()));
        line.extend(["-cp".to_owned(), format!("{target}/classes:{target}/lib/*"), class.to_owned()]);
        line.extend(["serve".to_owned(), port.to_string()]);
        let mut option = |name: &str, value: String| line.extend([name.to_owned(), value]);
        option("--server-p12", credentials.file(&format!("{}.p12", credentials.server)));
        option("--client-p12", credentials.file(&format!("{}.p12", credentials.client)));
        option("--ca", credentials.file("ca.pem"));
        match self.layout {
            Layout::Interop => option("--password-file", credentials.file("password")),
            Layout::Standing => option("--storepass", credentials.password.clone()),
        }
        if self.layout == Layout::Standing && engine == Engine::Rampart {
            option("--lib", format!("{target}/lib"));
        }
        if engine == Engine::Wss4j && kind.keys() == Keys::P256 {
            option("--suite", "ec".to_owned());
        }
        if matches!(kind, Kind::Unt(..)) {
            option("--ttl", LIFE.to_string());
        }
        if let Some(policy) = self.policy(engine, kind) {
            option("--policy", policy.display().to_string());
        }
        line
    }

    /// The copy of the benchmark's policy that this engine reads as it is meant.
    ///
    /// CXF loses the nested assertions of the policy as published, and contradicts itself with `Wss10` beside `Wss11`; Rampart
    /// refuses the nesting: see `interop/README.md`.
    fn policy(&self, engine: Engine, kind: Kind) -> Option<PathBuf> {
        let (interop, standing) = match (engine, kind) {
            (Engine::Own | Engine::Guarded | Engine::Wss4j | Engine::Wss4j15, _) => return None,
            (Engine::Cxf, Kind::Unt(..)) => ("username-token.xml", "cxf/policies/ut.xml"),
            (Engine::Cxf, _) => ("rampart-c-wss11.xml", "cxf/policies/bench-wss11.xml"),
            (Engine::Rampart, _) => ("rampart-c-corrected.xml", "rampart/policies/bench.xml"),
        };
        Some(match self.layout {
            Layout::Interop => self.path.join("../policies").join(interop),
            Layout::Standing => self.path.join(standing),
        })
    }

    /// What a good answer of an engine is.
    #[must_use]
    pub fn answer(&self, engine: Engine) -> Answer {
        match (engine, self.layout) {
            (Engine::Own | Engine::Guarded | Engine::Wss4j15, _) | (_, Layout::Interop) => Answer::Echo,
            (_, Layout::Standing) => Answer::Named("RecievedNode"),
        }
    }
}

/// What a server is started from.
#[derive(Clone, Debug)]
pub struct Ground {
    /// Our binary.
    pub binary: PathBuf,
    /// Where configurations, logs and keys of the run are kept.
    pub work: PathBuf,
    /// The Java peers.
    pub peers: Folder,
    /// The tools to pin it with.
    pub tools: Tools,
}

/// A server that is ready.
#[derive(Debug)]
pub struct Running {
    /// Which engine it is.
    pub engine: Engine,
    /// Its process.
    pub process: Process,
    /// Where it listens.
    pub address: SocketAddr,
    /// The path of its echo.
    pub path: String,
}

impl Ground {
    /// Starts an engine on a core and waits until it is ready.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::NotReady`], [`Error::File`].
    pub fn start(
        &self,
        engine: Engine,
        kind: Kind,
        credentials: &Credentials,
        core: Option<usize>,
    ) -> Result<Running, Error> {
        let errors = self.work.join(format!("{}-{kind}.log", engine.name()));
        let (process, port) = if engine.is_own() {
            let line = self.own(engine, kind, credentials)?;
            let process = Process::start(engine.name(), &line, &self.tools, core, &errors)?;
            let address = process.wait_for("listening ", PATIENCE)?;
            let port = address.rsplit(':').next().and_then(|port| port.parse().ok());
            process.wait_for("ready", PATIENCE)?;
            (process, port)
        } else {
            let line = self.peers.command(engine, kind, credentials, free_port()?);
            let process = Process::start(engine.name(), &line, &self.tools, core, &errors)?;
            let port = process.wait_for("ready ", PATIENCE)?.parse().ok();
            (process, port)
        };
        let Some(port) = port else {
            let said = "its line of readiness names no port".into();
            return Err(Error::NotReady { process: engine.name().into(), said });
        };
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        Ok(Running { engine, process, address, path: engine.path(kind) })
    }

    /// Writes our server's configuration; returns its command. It writes no access log, as the peers do not, and has no memory
    /// of messages, as the peers have none, unless that is what is measured.
    fn own(&self, engine: Engine, kind: Kind, credentials: &Credentials) -> Result<CommandLine, Error> {
        let name = format!("{}-{kind}", engine.name());
        let write = |file_name: &str, text: &str| {
            let path = self.work.join(file_name);
            fs::write(&path, text).map_err(file(&path)).map(|()| path.display().to_string())
        };
        let policy = match kind.policy() {
            Policy::BuiltIn(name) => name.to_owned(),
            Policy::Short(text) => write(&format!("policy-{name}.toml"), &text)?,
        };
        let (users, open) = match kind {
            Kind::Rampart(_) => (String::new(), ""),
            Kind::Unt(..) => {
                let secret = write("user-password", USER.1)?;
                let users = format!("[{}]\npassword = {{ file = \"{secret}\" }}\n", USER.0);
                let path = write("users.toml", &users)?;
                // Nothing protects the Body, and the reply is plain.
                (format!("[authentication.users]\nfile = \"{path}\"\n\n"), "open = true\n")
            }
        };
        let replay = if engine == Engine::Guarded { "" } else { "replay = \"off\"\n" };
        let text = format!(
            "[server]\nstate = \"{state}\"\n\n[log]\naccess = {{ to = \"off\" }}\n\n\
             [[listener]]\nname = \"bench\"\naddress = \"127.0.0.1:0\"\n\n\
             [keys.bench]\nfolder = \"{folder}\"\nname = \"{us}\"\npeer_name = \"{them}\"\nmin_rsa = {MIN_RSA}\n\n{users}\
             [[service]]\npath = \"{path}\"\nkind = \"echo\"\npolicy = \"{policy}\"\nkeys = \"bench\"\n{open}{replay}",
            state = self.work.join(format!("state-{name}")).display(),
            folder = credentials.folder.display(),
            us = credentials.server,
            them = credentials.client,
            path = engine.path(kind),
        );
        let path = write(&format!("serve-{name}.toml"), &text)?;
        let binary = self.binary.display().to_string();
        Ok(vec![binary, "serve".to_owned(), "--config".to_owned(), path, "--quiet".to_owned()])
    }
}

/// A port that nobody has at the moment. CXF cannot choose one itself.
fn free_port() -> Result<u16, Error> {
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    let refused = |source| Error::Connect { process: "the loopback interface".into(), source };
    bound.map(|address| address.port()).map_err(refused)
}

/// What `java -version` says in its first line; `None` if there is no Java.
#[must_use]
pub fn java_version() -> Option<Box<str>> {
    let said = std::process::Command::new("java").arg("-version").output().ok()?;
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    text.lines().next().map(Into::into)
}

#[cfg(test)]
mod tests;
