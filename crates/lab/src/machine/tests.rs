use super::*;

#[test]
fn facts_are_found_among_the_lines_of_proc() {
    let text = "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Some CPU @ 2 GHz\nstepping\t: 8\n\
                flags\t\t: fpu aes avx2 avx512ifma sha_ni\n\nprocessor\t: 1\nmodel name\t: Some CPU @ 2 GHz\n";
    let machine = Machine::from_text(text, "6.1.0\n");
    assert_eq!(
        (machine.cpu.as_str(), machine.model.as_str(), machine.cores),
        ("Some CPU @ 2 GHz", "6/143/8", 2)
    );
    assert_eq!(machine.flags, ["sha_ni", "aes", "avx2", "avx512ifma"]);
    assert!(machine.has_ifma());
    assert_eq!(
        machine.to_string(),
        "Some CPU @ 2 GHz (6/143/8), 2 cores, Linux 6.1.0, sha_ni aes avx2 avx512ifma"
    );
}

#[test]
fn a_system_without_proc_gives_empty_facts() {
    assert_eq!(Machine::from_text("", ""), Machine::default());
}
