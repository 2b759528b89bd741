//! UsernameTokens in words.

use bartizan_wss::plan::{Derive, KeyRule, PasswordForm, Presence, UsernameOut, UsernameRule};

fn password(form: &PasswordForm) -> String {
    match form {
        PasswordForm::Text => "the password in clear".to_owned(),
        PasswordForm::Digest => "a digest of the password".to_owned(),
        PasswordForm::Absent => "no password".to_owned(),
        PasswordForm::Custom(uri) => format!("a password of the type {uri}"),
    }
}

pub(super) fn demanded(rule: &UsernameRule, out: &mut Vec<String>) {
    match rule.keys {
        Some(KeyRule { profile: Some(bounds), .. }) => out.push(format!(
            "a UsernameToken with Salt and {} to {} iterations, and no password",
            bounds.least, bounds.most
        )),
        Some(KeyRule { .. }) | None => {
            let forms: Vec<String> = rule.passwords.iter().map(password).collect();
            out.push(format!("a UsernameToken with {}", forms.join(" or ")));
        }
    }
    if let Some(KeyRule { wse: Some(length), .. }) = rule.keys {
        out.push(format!("whose key is WSE's, of {length} octets from nonce and Created"));
    }
    for (name, presence) in [("Nonce", rule.nonce), ("Created", rule.created)] {
        match presence {
            Presence::Must => out.push(format!("its {name} is there")),
            Presence::MustNot => out.push(format!("its {name} is not there")),
            Presence::May => {}
        }
    }
    if rule.lenient {
        out.push(
            "its Nonce may come without EncodingType, its Password without Type, its Created with `+00:00`"
                .to_owned(),
        );
    }
    let (ttl, future) = (rule.ttl.as_secs(), rule.future.as_secs());
    out.push(format!("its Created, if there, at most {ttl} s old and {future} s in the future"));
}

pub(super) fn put_on(token: &UsernameOut, out: &mut Vec<String>) {
    let with = match token.derive {
        Some(Derive::Profile { iterations }) => format!("Salt and {iterations} iterations"),
        Some(Derive::Wse { length }) => {
            format!("{}, and WSE's key of {length} octets", password(&token.password))
        }
        None => password(&token.password),
    };
    let more = match (token.nonce, token.created) {
        (true, true) => ", Nonce and Created",
        (true, false) => ", Nonce",
        (false, true) => ", Created",
        (false, false) => "",
    };
    out.push(format!("a UsernameToken with {with}{more}"));
}
