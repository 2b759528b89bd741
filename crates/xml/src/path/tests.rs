use crate::{Budget, Document, ErrorKind, Limits, Profile, path::Path};

fn doc(text: &str) -> Document {
    Document::parse(text.into(), Profile::Bare, &mut Budget::new(&Limits::default())).unwrap()
}

fn check(text: &str, path: &str, expect: &[&str]) {
    let document = doc(text);
    let path = Path::parse(path, &|prefix| (prefix == "p").then(|| "urn:p".to_owned())).unwrap();
    let found: Vec<String> =
        path.select(&document).iter().map(|e| e.attr_plain("n").unwrap_or("").to_owned()).collect();
    assert_eq!(found, expect);
    let root = document.root();
    for element in std::iter::once(root).chain(root.descendants()) {
        let n = element.attr_plain("n").unwrap_or("");
        assert_eq!(path.matches(element), expect.contains(&n), "matches disagrees with select at {n}");
    }
}

const TREE: &str = "<r n='r'><a n='a1'><b n='b1'/></a><a n='a2'><b n='b2'/><b n='b3'/></a><p:a xmlns:p='urn:p' n='pa'><a n='a3'><b n='b4'/></a></p:a></r>";

#[test]
fn child_steps_select_by_name_and_namespace() {
    check(TREE, "/r/a/b", &["b1", "b2", "b3"]);
    check(TREE, "/r/p:a", &["pa"]);
    check(TREE, "/r/p:a/a/b", &["b4"]);
    check(TREE, "/a", &[]);
}

#[test]
fn positions_count_siblings_of_that_name() {
    check(TREE, "/r/a[2]/b[2]", &["b3"]);
    check(TREE, "/r/a[3]", &[]);
    check(TREE, "/r[1]/*[3]", &["pa"]);
}

#[test]
fn double_slash_selects_at_any_depth() {
    check(TREE, "//b", &["b1", "b2", "b3", "b4"]);
    check(TREE, "//a[1]/b", &["b1", "b4"]);
    check(TREE, "/r//a//b[1]", &["b1", "b2", "b4"]);
    check(TREE, "//r", &["r"]);
}

#[test]
fn local_paths_ignore_namespaces() {
    let document = doc(TREE);
    let path = Path::parse_local("/r/a[3]/a").unwrap();
    let found: Vec<_> = path.select(&document).iter().map(|e| e.attr_plain("n")).collect();
    assert_eq!(found, [Some("a3")]);
    assert_eq!(document.root().path(), "/r");
}

#[test]
fn what_is_no_path_is_refused_with_its_place() {
    for (text, offset) in [
        ("", 0),
        ("a", 0),
        ("/", 1),
        ("/a/", 3),
        ("///a", 2),
        ("/a[0]", 1),
        ("/a[x]", 1),
        ("/a[+1]", 1),
        ("/a[1", 1),
        ("/a[@x='1']", 1),
        ("/a/text()", 3),
        ("/a:b:c", 1),
        ("/1a", 1),
        ("/child::a", 1),
        ("/a|/b", 1),
    ] {
        let error = Path::parse(text, &|_| Some("urn:x".to_owned())).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Path, offset), "{text}");
    }
    assert_eq!(Path::parse("/q:a", &|_| None).unwrap_err().kind(), ErrorKind::UnboundPrefix);
}

#[test]
fn limit_path_steps() {
    assert!(Path::parse_local(&"/a".repeat(64)).is_ok());
    assert_eq!(Path::parse_local(&"/a".repeat(65)).unwrap_err().kind(), ErrorKind::Path);
}

#[test]
fn positions_far_out_are_found() {
    let wide = format!("<r>{}<c n='last'/></r>", "<b/>".repeat(60_000));
    check_select(&wide, "//*[60001]", &["last"]);
    check_select(&wide, "//c[1]", &["last"]);
    check_select(&wide, "/r/*[60001]", &["last"]);
}

fn check_select(text: &str, path: &str, expect: &[&str]) {
    let document =
        Document::parse(text.into(), Profile::Bare, &mut Budget::new(&Limits::generous())).unwrap();
    let path = Path::parse_local(path).unwrap();
    let found: Vec<_> = path.select(&document).iter().map(|e| e.attr_plain("n").unwrap_or("")).collect();
    assert_eq!(found, expect);
}

#[test]
fn path_for_the_other_namespace_selects_there() {
    let document = doc(TREE);
    let path = Path::parse("/r/q:a/a", &|_| Some("urn:q".to_owned())).unwrap();
    assert!(path.select(&document).is_empty());
    let other = path.renamed("urn:q", "urn:p").unwrap();
    assert_eq!(other.select(&document).len(), 1);
    assert_eq!(path.renamed("urn:x", "urn:p"), None);
}
