use super::*;

fn credentials() -> Credentials {
    Credentials {
        folder: "/keys".into(),
        server: "server-ec",
        client: "client-ec",
        password: "secret".to_owned(),
    }
}

/// A folder with empty files of these names.
fn folder(names: &[&str]) -> (tempfile::TempDir, Folder) {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let known = Folder::new(folder.path());
    (folder, known)
}

#[test]
fn peer_that_is_not_built_is_missing_with_the_way_to_get_it() {
    let (_kept, peers) = folder(&["wss4j4/target/classes/Rc.class", "cxf/pom.xml"]);
    assert_eq!(peers.missing(Engine::Wss4j), None);
    assert_eq!(peers.missing(Engine::Own), None);
    assert!(peers.missing(Engine::Cxf).unwrap().contains("build.sh"));
    let nowhere = Folder::new(Path::new("/nowhere/at/all"));
    assert!(nowhere.missing(Engine::Rampart).unwrap().contains("--peers DIR"));
}

#[test]
fn standing_peers_without_keys_name_the_script_that_makes_them() {
    let (_kept, peers) = folder(&["wss4j4/target/classes/Rc.class", "cxf/policies/bench-wss11.xml"]);
    assert!(peers.missing(Engine::Wss4j).unwrap().contains("keys.sh"));
}

#[test]
fn version_is_that_of_the_main_library() {
    let (_kept, peers) =
        folder(&["cxf/target/lib/cxf-core-4.2.3.jar", "cxf/target/lib/cxf-rt-ws-policy-4.2.3.jar"]);
    assert_eq!(&*peers.version(Engine::Cxf), "4.2.3");
    assert_eq!(&*peers.version(Engine::Rampart), "");
    assert_eq!(&*peers.version(Engine::Own), env!("CARGO_PKG_VERSION"));
}

#[test]
fn each_layout_has_its_own_way_to_say_keys_and_policy() {
    let interop = Folder { path: "/i".into(), layout: Layout::Interop };
    let line = interop.command(Engine::Wss4j, Kind::Rampart(Keys::P256), &credentials(), 81).join(" ");
    assert!(line.contains("-cp /i/wss4j4/target/classes:/i/wss4j4/target/lib/* Rc serve 81 "), "{line}");
    assert!(line.contains("--server-p12 /keys/server-ec.p12") && line.contains("--suite ec"), "{line}");
    assert!(line.contains("--password-file /keys/password") && !line.contains("secret"), "{line}");
    let standing = Folder { path: "/s".into(), layout: Layout::Standing };
    let line = standing.command(Engine::Rampart, Kind::Rampart(Keys::Rsa2048), &credentials(), 81).join(" ");
    assert!(line.contains("--storepass secret") && line.contains("--lib /s/rampart/target/lib"), "{line}");
    assert!(line.ends_with("--policy /s/rampart/policies/bench.xml"), "{line}");
    assert_eq!(standing.answer(Engine::Rampart), Answer::Named("RecievedNode"));
    assert_eq!(standing.answer(Engine::Own), Answer::Echo);
}

#[test]
fn elliptic_curves_are_for_those_that_have_a_suite() {
    let can: Vec<_> =
        Engine::ALL.into_iter().filter(|engine| engine.can(Kind::Rampart(Keys::P256))).collect();
    assert_eq!(can, [Engine::Own, Engine::Wss4j]);
}

#[test]
fn set_ups_with_a_token_are_for_those_that_have_them_and_their_messages_live_long() {
    let can = |token| {
        let kind = Kind::Unt(token, Keys::Rsa2048);
        Engine::ALL.into_iter().filter(|engine| engine.can(kind)).collect::<Vec<_>>()
    };
    assert_eq!(can(Token::Unt1), [Engine::Own, Engine::Guarded, Engine::Wss4j15, Engine::Cxf]);
    assert_eq!(can(Token::Unt4a), [Engine::Own, Engine::Wss4j15]);
    let interop = Folder { path: "/i".into(), layout: Layout::Interop };
    let line =
        |engine| interop.command(engine, Kind::Unt(Token::Unt1, Keys::Rsa2048), &credentials(), 81).join(" ");
    assert!(line(Engine::Wss4j15).contains(" Unt serve 81 "), "{}", line(Engine::Wss4j15));
    assert!(line(Engine::Cxf).ends_with("--ttl 86400 --policy /i/../policies/username-token.xml"));
}
