use super::parse;

#[test]
fn quoted_fields_keep_commas_quotes_and_line_ends() {
    let rows = parse("a,b,c\n1,\"x, \"\"y\"\"\nz\",3\r\n4,5\n");
    assert_eq!(rows.len(), 2);
    assert_eq!(&rows[0]["b"], "x, \"y\"\nz");
    assert_eq!(&rows[0]["c"], "3");
    assert_eq!((&rows[1]["a"], &rows[1]["c"], rows[1].line), ("4", "", 4));
}

#[test]
#[should_panic(expected = "no column")]
fn misspelt_column_panics() {
    let _ = &parse("a\n1\n")[0]["b"];
}

#[test]
#[should_panic(expected = "not closed")]
fn open_quote_panics() {
    let _ = parse("a\n\"1\n");
}
