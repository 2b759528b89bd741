use super::*;

fn stripped(text: &str) -> String {
    let mut out = Vec::new();
    without_comments(text.as_bytes(), &mut |run| out.extend_from_slice(run));
    String::from_utf8(out).unwrap()
}

#[test]
fn comments_are_left_out_and_instructions_are_not() {
    assert_eq!(stripped("<a>1</a>"), "<a>1</a>");
    assert_eq!(stripped("<!-- x --><a>1<!--->--></a><!---->"), "<a>1</a>");
    assert_eq!(
        stripped("<a><?p <!-- not one --> ?>2<!-- <?q ?> -->3</a>"),
        "<a><?p <!-- not one --> ?>23</a>"
    );
    assert_eq!(stripped(""), "");
}
