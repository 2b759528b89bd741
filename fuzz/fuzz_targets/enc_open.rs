#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bartizan_fuzz::enc_open::run(data));
