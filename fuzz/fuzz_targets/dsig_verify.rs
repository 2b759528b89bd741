#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bartizan_fuzz::dsig_verify::run(data));
