use super::*;

use crate::record::tests::rows;

#[test]
fn text_of_a_fixed_record() {
    insta::assert_snapshot!(to_text(&rows()));
}

#[test]
fn page_of_a_fixed_record() {
    insta::assert_snapshot!(to_html(&rows()));
}

#[test]
fn page_is_well_formed_and_needs_nothing_else() {
    let page = to_html(&rows());
    let body = page.split_once("<body>").unwrap().1.split_once("</body>").unwrap().0;
    let limits = bartizan_xml::Limits::default();
    let document = bartizan_xml::Document::parse(
        format!("<body>{body}</body>").into_bytes(),
        bartizan_xml::Profile::Bare,
        &mut bartizan_xml::Budget::new(&limits),
    );
    assert!(document.is_ok(), "{document:?}");
    assert!(!page.contains("http") && !page.contains("<script") && !page.contains("src="));
}

#[test]
fn row_without_figures_is_shown_with_its_reason() {
    for shown in [to_text(&rows()), to_html(&rows())] {
        assert!(shown.contains("no figures") && shown.contains("is not built, run build.sh"), "{shown}");
    }
}
