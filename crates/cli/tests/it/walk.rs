//! The commands of the README and of the guide, run one after the other as they stand there.

use std::path::Path;
use std::process::{Command, Stdio};

use super::program::{Desk, PLAIN, SOAP12, Server, post};

/// Where the pages' servers listen.
const LISTENS: &str = "127.0.0.1:8080";

fn page(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(name)).expect("a page")
}

/// The lines behind a prompt, without what is said about them.
fn commands(page: &str) -> Vec<&str> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("$ "));
    lines
        .map(|line| line.split("  #").next().unwrap_or(line).trim())
        .filter(|line| !line.starts_with('#'))
        .collect()
}

/// A reader at a shell, with the files that the pages speak of.
struct Reader {
    desk: Desk,
    /// By the configuration; the one without has an empty name. The pages' ports are all one: a terminal has one server.
    servers: Vec<(String, Server)>,
    /// What was typed before; nobody types it twice.
    typed: Vec<String>,
}

impl Reader {
    fn types(&mut self, command: &str) {
        if self.typed.iter().any(|typed| typed == command) {
            return;
        }
        self.typed.push(command.to_owned());
        if let Some(arguments) = command.strip_prefix("bartizan serve") {
            return self.starts(arguments);
        }
        // Two programs that not every machine has.
        if command.starts_with("openssl rand") {
            self.desk.write("users.key", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n");
            return self.runs("chmod 600 users.key users.toml");
        }
        if command.starts_with("curl ") {
            let address = self.address("/partner").expect("a server");
            let answer = post(&address, "/partner", SOAP12, self.desk.read("request.xml").as_bytes());
            assert_eq!(answer.status, 200, "{}", answer.body);
            return self.desk.write("reply.xml", &answer.body);
        }
        if command.contains("- < request.xml") {
            self.runs(
                "bartizan secure plain.xml -o request.xml --policy partner.toml --as initiator --keys keys",
            );
        }
        let address = self.address(command).unwrap_or_default();
        self.runs(&command.replace(LISTENS, &address));
    }

    /// The server that has the path of a command.
    fn address(&self, command: &str) -> Option<String> {
        let paths = [("/sec_echo", ""), ("/partner", "bartizan.toml"), ("/unt", "serve-scenarios.toml")];
        let (_, wanted) = paths.iter().find(|(path, _)| command.contains(path))?;
        self.servers.iter().find(|(name, _)| name == wanted).map(|(_, server)| server.address().to_owned())
    }

    /// In a shell, with the binary on the path and a password on standard input.
    fn runs(&self, command: &str) {
        let folder = Path::new(env!("CARGO_BIN_EXE_bartizan")).parent().expect("a folder");
        let script = format!(
            "PATH='{}':$PATH XDG_STATE_HOME=\"$PWD/state\"; export PATH XDG_STATE_HOME; {command}",
            folder.display()
        );
        let mut shell = Command::new("bash");
        let shell = shell.args(["-euo", "pipefail", "-c", &script]).current_dir(self.desk.path("."));
        let mut child = shell
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("bash runs");
        // Not every command reads it.
        let _ = std::io::Write::write_all(&mut child.stdin.take().expect("piped"), b"a password\n");
        let output = child.wait_with_output().expect("it ends");
        let said = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
        assert!(output.status.success(), "$ {command}\n{}{}", said(&output.stdout), said(&output.stderr));
    }

    fn starts(&mut self, arguments: &str) {
        let (name, server) = match arguments.split_whitespace().collect::<Vec<&str>>().as_slice() {
            ["--config", file] => {
                let text = self.desk.read(file).replace(LISTENS, "127.0.0.1:0");
                self.desk.write(file, &text);
                (*file, Server::start(&self.desk, &["--config", file]))
            }
            [] => ("", Server::start(&self.desk, &["--listen", "127.0.0.1:0", "--state", "state/bartizan"])),
            other => panic!("how is a server started with {other:?}?"),
        };
        self.servers.push((name.to_owned(), server));
    }
}

#[test]
fn commands_of_the_readme_and_the_guide_run_in_the_order_of_the_pages() {
    let (readme, guide) = (page("README.md"), page("docs/guide.md"));
    let desk = Desk::new();
    let mut toml = guide.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    for name in ["partner.toml", "bartizan.toml", "users.toml"] {
        desk.write(name, toml.next().expect("a file of the guide"));
    }
    std::fs::create_dir(desk.path("secrets")).expect("made");
    desk.write("secrets/stock-system", "a secret\n");
    desk.write("serve-scenarios.toml", &page("policies/serve-scenarios.toml"));
    desk.write("plain.xml", PLAIN);
    desk.write("order.xml", "<order xmlns=\"urn:shop\"/>");
    let mut reader = Reader { desk, servers: Vec::new(), typed: Vec::new() };
    let (mut count, mut built) = (0, 0);
    for command in commands(&readme).into_iter().chain(commands(&guide)) {
        if command.starts_with("cargo ") {
            built += 1;
            continue;
        }
        reader.types(command);
        count += 1;
    }
    assert!(count > 25 && built == 2, "{count} commands, {built} of cargo");
    assert!(reader.desk.read("answer.xml").contains("test me"));
}
