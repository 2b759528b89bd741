#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bartizan_fuzz::wss_users::run(data));
