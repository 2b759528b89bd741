//! The cases. Each is built when its turn comes: the rotations of large messages do not fit side by side.
//! What a case answers is checked while it is built.

mod engine;
mod token;
mod xml;

use bartizan_lab::kind::Token;
use bartizan_lab::message::Size;

use crate::case::{Case, Goal};
use crate::world::{self, Keys};

pub use engine::{served, serving};

/// A case that is not built yet.
pub struct Planned {
    pub name: String,
    pub label: &'static str,
    pub build: Box<dyn Fn() -> Case>,
}

/// Every case, in the order of the table.
pub fn all() -> Vec<Planned> {
    // They live as long as the process does.
    let modern: &'static Keys = Box::leak(Box::new(Keys::generate(2048)));
    let period: &'static Keys = Box::leak(Box::new(Keys::generate(1024)));
    let mut all = Vec::new();
    for size in Size::ALL {
        let mut add = |name: &str, build: Box<dyn Fn() -> Case>| {
            all.push(Planned { name: name.to_owned(), label: size.label(), build });
        };
        add("parse", Box::new(move || xml::parse(size)));
        add("c14n-sha256", Box::new(move || xml::digest(size)));
        add("c14n-vec", Box::new(move || xml::collect(size)));
        parts(&mut add, modern, size);
        whole(&mut add, modern, period, size);
    }
    tokens(&mut all, modern, period);
    all
}

/// The set-ups with UsernameTokens.
fn tokens(all: &mut Vec<Planned>, modern: &'static Keys, period: &'static Keys) {
    let mut add = |name: String, build: Box<dyn Fn() -> Case>| {
        all.push(Planned { name, label: "call", build });
    };
    for token in Token::ALL {
        for (keys, bits) in [(modern, 2048), (period, 1024)] {
            if bits == 1024 && !token.encrypts() {
                continue;
            }
            let name = token.name();
            add(
                format!("receive {name} rsa-{bits}"),
                Box::new(move || token::receive(token, keys, bits, false)),
            );
            if token.iterates() {
                let build = move || token::receive(token, keys, bits, true);
                add(format!("receive {name} rsa-{bits} cached"), Box::new(build));
            }
            add(format!("send {name} rsa-{bits}"), Box::new(move || token::send(token, keys, bits)));
        }
    }
    for (token, first, goal) in [
        (Token::Unt2a, Token::Unt1, Goal::Extra(8.0)),
        (Token::Unt2b, Token::Unt1, Goal::Extra(8.0)),
        (Token::Unt4a, Token::Unt3, Goal::AtMost(1.05)),
        (Token::Unt4b, Token::Unt3, Goal::AtMost(1.05)),
    ] {
        let build = move || token::step(token, first, modern, 2048, goal);
        add(format!("receive {} step", token.name()), Box::new(build));
    }
}

type Add<'a> = dyn FnMut(&str, Box<dyn Fn() -> Case>) + 'a;

/// Signing, verifying, encrypting, decrypting.
fn parts(add: &mut Add<'_>, keys: &'static Keys, size: Size) {
    let rsa = move || world::signing(keys, "modern-rsa", "", "rsa-2048");
    add("sign rsa-2048", Box::new(move || engine::sign(rsa(), size)));
    add("verify rsa-2048", Box::new(move || engine::verify(rsa(), size, engine::Form::Foreign)));
    add("verify-own rsa-2048", Box::new(move || engine::verify(rsa(), size, engine::Form::Own)));
    let ec = move || world::signing(keys, "modern-ec", "-ec", "p-256");
    add("sign p-256", Box::new(move || engine::sign(ec(), size)));
    add("verify p-256", Box::new(move || engine::verify(ec(), size, engine::Form::Foreign)));
    let sealing = move || world::sealing(keys, "rsa-2048 gcm");
    add("encrypt rsa-2048 gcm", Box::new(move || engine::encrypt(sealing(), size)));
    add("decrypt rsa-2048 gcm", Box::new(move || engine::decrypt(sealing(), size)));
}

/// Signed and encrypted messages, and both directions of a server.
fn whole(add: &mut Add<'_>, modern: &'static Keys, period: &'static Keys, size: Size) {
    let rampart = move || world::rampart(modern, "rampart-c rsa-2048");
    add("request rampart-c rsa-2048", Box::new(move || engine::request(rampart(), size)));
    add("response rampart-c rsa-2048", Box::new(move || engine::response(rampart(), size)));
    add("accept-reply rampart-c rsa-2048", Box::new(move || engine::accept(rampart(), size)));
    add("server rampart-c rsa-2048", Box::new(move || engine::server(rampart(), size)));
    let old = move || world::rampart(period, "rampart-c rsa-1024");
    add("server rampart-c rsa-1024", Box::new(move || engine::server(old(), size)));
    let gcm = move || world::gcm(modern, "gcm rsa-2048");
    add("server gcm rsa-2048", Box::new(move || engine::server(gcm(), size)));
    let ec = move || world::ec(modern, "p-256 gcm");
    add("server p-256 gcm", Box::new(move || engine::server(ec(), size)));
}
