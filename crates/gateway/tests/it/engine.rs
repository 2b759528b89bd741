//! The window that servers share: the suite over a real engine, its loss, and what an engine may do wrong.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bartizan_crypto::random::SystemRandom;
use bartizan_gateway::build::{self, Watch};
use bartizan_gateway::config::{Config, read};
use bartizan_gateway::replay::Guards;
use bartizan_gateway::state::replay::Tell;
use bartizan_keys::Time;
use bartizan_testkit::redis::Redis;
use bartizan_wss::replay::{Claim, Remember, ReplayCache};

use super::suite::{Stage, full_refuses_and_forgets_nothing};
use super::{key, listener, nobody, now};

/// How long something may take that should not take long.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server's guards, as its configuration makes them.
fn server(address: &str, more: &str, tell: Tell) -> (Arc<Guards>, Arc<dyn ReplayCache>) {
    // A busy machine is no lost engine.
    let patience = if more.contains("timeout") { "" } else { ", timeout = \"10s\"" };
    let text = format!(
        "[[service]]\npath = \"/a\"\nkind = \"echo\"\npolicy = \"open\"\n\
         replay = {{ shared = \"redis://{address}\"{patience}{more} }}\n"
    );
    let config: Config = read::read(&text, Path::new("")).unwrap();
    let watch = Watch { journal: None, before: None, now: now(), random: &SystemRandom, tell };
    let guards = build::guards(&config, &watch).unwrap().unwrap();
    let guard = guards.guard(&config.services[0].replay).unwrap();
    assert!(guard.may_wait());
    (guards, guard)
}

fn guard(address: &str, more: &str) -> Arc<dyn ReplayCache> {
    server(address, more, nobody()).1
}

fn fresh(guard: &dyn ReplayCache, who: &str, n: u64) -> Claim {
    guard.claim(&key(who, n), Remember::Window, now())
}

/// Lets time pass for every key of an engine: the end of each is moved nearer.
fn age(redis: &Redis, time: Duration) {
    let script = b"for _, k in ipairs(redis.call('KEYS', '*')) do local t = redis.call('PEXPIRETIME', k) \
                   if t > 0 then redis.call('PEXPIREAT', k, t - ARGV[1]) end end return 'aged'";
    let answer = redis.say(&[b"EVAL", script, b"0", time.as_millis().to_string().as_bytes()]);
    assert_eq!(answer, b"$4\r\naged\r\n", "{}", String::from_utf8_lossy(&answer));
}

/// Connections that it took so far, this one included.
fn received(redis: &Redis) -> u64 {
    let about = String::from_utf8(redis.say(&[b"INFO", b"stats"])).unwrap();
    let line = about.lines().find_map(|line| line.strip_prefix("total_connections_received:")).unwrap();
    line.trim().parse().unwrap()
}

#[test]
fn attack_tok_01_window_of_two_servers_accepts_each_message_once() {
    let Some(redis) = Redis::start(&[]) else { return };
    let (one, other) = (guard(&redis.address(), ""), guard(&redis.address(), ""));
    let pass = |time| age(&redis, time);
    // The engine's clock runs on while the test does.
    let slack = Duration::from_secs(120);
    Stage { one: &*one, other: &*other, start: now(), pass: &pass, slack }.run();
}

#[test]
fn complaints_12_and_34_lives_and_whole_hashes_count_in_the_engine_too() {
    let Some(redis) = Redis::start(&[]) else { return };
    let (one, other) = (guard(&redis.address(), ""), guard(&redis.address(), ""));
    let pass = |time| age(&redis, time);
    let stage =
        Stage { one: &*one, other: &*other, start: now(), pass: &pass, slack: Duration::from_secs(120) };
    stage.whole_key_counts();
    stage.life_ends_when_it_ends();
}

#[test]
fn attack_tok_01_window_of_two_servers_that_is_full_refuses_and_forgets_nothing() {
    let Some(redis) = Redis::start(&[]) else { return };
    full_refuses_and_forgets_nothing(&*guard(&redis.address(), ", capacity = 1000"), 1000, now());
    // The engine itself: it has room for some hundreds more, and is told to forget nothing.
    let (one, other) = (guard(&redis.address(), ""), guard(&redis.address(), ""));
    assert_eq!(fresh(&*one, "engine", 0), Claim::Fresh);
    let used = String::from_utf8(redis.say(&[b"INFO", b"memory"])).unwrap();
    let used: u64 =
        used.lines().find_map(|line| line.strip_prefix("used_memory:")?.trim().parse().ok()).unwrap();
    let most = (used + 100_000).to_string();
    assert_eq!(redis.say(&[b"CONFIG", b"SET", b"maxmemory", most.as_bytes()]), b"+OK\r\n");
    let full = (1..1_000_000).find(|n| fresh(&*one, "engine", *n) != Claim::Fresh).unwrap();
    // Kept here though not there: whoever asks both is told no.
    assert_eq!(fresh(&*other, "engine", full), Claim::Full, "after {full}");
    for n in 0..full {
        assert_ne!(fresh(&*other, "engine", n), Claim::Fresh, "{n} was evicted");
    }
    // When there is room again it knows all of them.
    assert_eq!(redis.say(&[b"CONFIG", b"SET", b"maxmemory", b"0"]), b"+OK\r\n");
    let third = guard(&redis.address(), "");
    for n in 0..full {
        assert_eq!(fresh(&*third, "engine", n), Claim::Repeat, "{n} was evicted");
    }
}

#[test]
fn attack_tok_01_window_of_two_servers_knows_the_first_of_a_million() {
    let Some(redis) = Redis::start(&[]) else { return };
    let (one, other) = (guard(&redis.address(), ""), guard(&redis.address(), ""));
    for n in 0..20_000 {
        assert_eq!(fresh(&*one, "million", n), Claim::Fresh);
    }
    // The rest without the way there and back, by the engine itself.
    let script = b"for n = 1, 980000 do redis.call('SET', 'bartizan:seen:' .. n, n, 'NX', 'PX', 600000) end return 'set'";
    assert_eq!(redis.say(&[b"EVAL", script, b"0"]), b"$3\r\nset\r\n");
    let size = String::from_utf8(redis.say(&[b"DBSIZE"])).unwrap();
    assert!(size.trim_start_matches(':').trim().parse::<u64>().unwrap() >= 1_000_000, "{size}");
    for n in (0..20_000).step_by(37) {
        assert_eq!(fresh(&*other, "million", n), Claim::Repeat, "{n}");
    }
}

#[test]
fn attack_tok_01_window_of_two_servers_outlives_the_restart_of_one() {
    let Some(redis) = Redis::start(&[]) else { return };
    let before = guard(&redis.address(), "");
    assert_eq!(fresh(&*before, "restart", 1), Claim::Fresh);
    let since = before.started();
    drop(before);
    let after = guard(&redis.address(), "");
    assert_eq!(fresh(&*after, "restart", 1), Claim::Repeat);
    assert_eq!(after.started(), since, "the engine knows what was before");
}

#[test]
fn attack_tok_04_clock_of_a_server_that_is_set_back_opens_nothing_in_the_shared_window() {
    let Some(redis) = Redis::start(&[]) else { return };
    let one = guard(&redis.address(), "");
    let start = now();
    let until = Remember::Until(start + Duration::from_millis(1500));
    assert_eq!(one.claim(&key("back", 1), until, start), Claim::Fresh);
    // Its life ends by the engine's clock, and with it the engine's memory of it.
    let began = Instant::now();
    while redis.say(&[b"DBSIZE"]) != b":1\r\n" {
        assert!(began.elapsed() < PATIENCE, "the key does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    for back in [0, 3600, 24 * 3600] {
        let time = Time::from_millis(start.millis() - back * 1000);
        // Each time a server that has not seen the message yet, and whose own clock was never right.
        let other = guard(&redis.address(), "");
        assert_eq!(other.claim(&key("back", 1), until, time), Claim::Stale, "{back} s back");
    }
}

#[test]
fn loss_of_the_engine_refuses_by_default_and_its_return_is_noticed() {
    let Some(mut redis) = Redis::start(&[]) else { return };
    let (tell, told) = listener();
    let (guards, guard) = server(&redis.address(), "", tell);
    assert_eq!(fresh(&*guard, "loss", 1), Claim::Fresh);
    redis.stop();
    for n in 2..10 {
        assert_eq!(fresh(&*guard, "loss", n), Claim::Unavailable);
    }
    assert_eq!(fresh(&*guard, "loss", 1), Claim::Repeat, "what it saw itself it goes on refusing");
    let lost_at = now();
    redis.again();
    let began = Instant::now();
    let mut n = 10;
    while fresh(&*guard, "loss", n) == Claim::Unavailable {
        assert!(began.elapsed() < PATIENCE, "it is not found again");
        std::thread::sleep(Duration::from_millis(20));
        n += 1;
    }
    assert_eq!(fresh(&*guard, "loss", n), Claim::Repeat);
    assert!(guard.started().millis() + 1000 > lost_at.millis(), "the engine began anew and forgot");
    let counts = guards.counts();
    assert_eq!(counts.unavailable, 8 + n - 10);
    assert_eq!(counts.alone, 0);
    let told = told.lock().unwrap().clone();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("does not answer") && told[0].contains("messages are refused"), "{told:?}");
    assert!(told[1].contains("answers again"), "{told:?}");
}

#[test]
fn loss_of_the_engine_is_guarded_here_alone_where_that_is_configured() {
    let Some(mut redis) = Redis::start(&[]) else { return };
    let (tell, told) = listener();
    let (guards, one) = server(&redis.address(), ", on_loss = \"local\"", tell);
    let other = guard(&redis.address(), ", on_loss = \"local\"");
    assert_eq!(fresh(&*one, "local", 1), Claim::Fresh);
    redis.stop();
    assert_eq!(fresh(&*one, "local", 2), Claim::Fresh);
    assert_eq!(fresh(&*one, "local", 2), Claim::Repeat);
    assert_eq!(fresh(&*one, "local", 1), Claim::Repeat);
    assert_eq!(fresh(&*other, "local", 2), Claim::Fresh, "the price of it");
    assert_eq!(guards.counts().alone, 1);
    assert!(told.lock().unwrap()[0].contains("this server guards alone"));
    assert!(one.started() <= now());
}

#[test]
fn engine_that_was_never_there_is_unavailable_and_vouches_by_refusing_the_claim() {
    let nobody_there = {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        listener.local_addr().unwrap().to_string()
    };
    let guard = guard(&nobody_there, "");
    assert_eq!(guard.started(), Time::from_millis(i64::MIN));
    assert_eq!(fresh(&*guard, "never", 1), Claim::Unavailable);
}

#[test]
fn limit_of_the_time_of_a_claim_ends_it_and_then_the_engine_is_left_alone() {
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let (tell, told) = listener();
    let (_, guard) = server(&address, ", timeout = \"100ms\"", tell);
    for n in 0..5 {
        assert_eq!(fresh(&*guard, "hangs", n), Claim::Unavailable);
    }
    assert!(told.lock().unwrap()[0].contains("it took too long"), "{:?}", told.lock().unwrap());
    silent.set_nonblocking(true).unwrap();
    let connections = silent.incoming().take_while(Result::is_ok).count();
    assert!((1..5).contains(&connections), "{connections} claims of 5 waited");
}

#[test]
fn password_and_user_are_shown_and_a_wrong_one_is_told_without_it() {
    let Some(redis) = Redis::start(&[]) else { return };
    let user = redis.say(&[b"ACL", b"SETUSER", b"guard", b"on", b">leise", b"~bartizan:*", b"+@all"]);
    assert_eq!(user, b"+OK\r\n");
    assert_eq!(redis.say(&[b"CONFIG", b"SET", b"requirepass", b"geheim"]), b"+OK\r\n");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    let with = format!(", password = {{ file = \"{}\" }}", file.display());
    let (tell, told) = listener();
    let (_, default) = server(&redis.address(), &with, Arc::clone(&tell));
    std::fs::write(&file, "falsch\n").unwrap();
    assert_eq!(fresh(&*default, "secret", 1), Claim::Unavailable);
    let said = told.lock().unwrap().join("\n");
    assert!(said.contains("it says WRONGPASS") && !said.contains("falsch"), "{said}");
    // It is read anew at each connection.
    std::fs::write(&file, "geheim\n").unwrap();
    let began = Instant::now();
    let mut n = 2;
    while fresh(&*default, "secret", n) != Claim::Fresh {
        assert!(began.elapsed() < PATIENCE, "{:?}", told.lock().unwrap());
        std::thread::sleep(Duration::from_millis(20));
        n += 1;
    }
    std::fs::write(&file, "leise").unwrap();
    let named = guard(&format!("guard@{}", redis.address()), &with);
    assert_eq!(fresh(&*named, "secret", n), Claim::Repeat);
    let without = guard(&redis.address(), "");
    assert_eq!(fresh(&*without, "secret", 1000), Claim::Unavailable);
}

#[test]
fn key_in_the_engine_is_whole_and_lives_as_long_as_its_message() {
    let Some(redis) = Redis::start(&[]) else { return };
    let guard = guard(&redis.address(), ", window = \"5m\", prefix = \"name\"");
    let life = |n: u64| {
        let name = [&b"name:seen:"[..], key("life", n).octets()].concat();
        let left = String::from_utf8(redis.say(&[b"PTTL", &name])).unwrap();
        left.trim_start_matches(':').trim().parse::<i64>().unwrap()
    };
    assert_eq!(life(1), -2, "nothing of that name yet");
    assert_eq!(fresh(&*guard, "life", 1), Claim::Fresh);
    assert!((240_000..=300_000).contains(&life(1)), "{} ms for the window", life(1));
    let hour = Remember::Until(now() + Duration::from_secs(3600));
    assert_eq!(guard.claim(&key("life", 2), hour, now()), Claim::Fresh);
    assert!((3_500_000..=3_601_000).contains(&life(2)), "{} ms for an hour", life(2));
}

#[test]
fn database_and_prefix_keep_windows_apart() {
    let Some(redis) = Redis::start(&[]) else { return };
    let address = redis.address();
    let guards =
        [guard(&address, ""), guard(&format!("{address}/3"), ""), guard(&address, ", prefix = \"other\"")];
    for guard in &guards {
        assert_eq!(fresh(&**guard, "apart", 1), Claim::Fresh);
        assert_eq!(fresh(&**guard, "apart", 1), Claim::Repeat);
    }
    let same = guard(&address, ", prefix = \"other\", connections = 1");
    assert_eq!(fresh(&*same, "apart", 1), Claim::Repeat, "the same prefix is the same window");
}

#[test]
fn limit_connections_to_the_engine_are_never_more() {
    let Some(redis) = Redis::start(&[]) else { return };
    let before = received(&redis);
    let guard = guard(&redis.address(), ", connections = 2");
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let guard = &guard;
            scope.spawn(move || {
                for n in 0..50 {
                    assert_eq!(fresh(&**guard, "busy", thread * 1000 + n), Claim::Fresh);
                }
            });
        }
    });
    // Two of the guard, and the test's own that asks.
    assert!(received(&redis) - before <= 3);
}

#[test]
fn connections_that_the_engine_closed_are_opened_again_unnoticed() {
    let Some(redis) = Redis::start(&[]) else { return };
    let (tell, told) = listener();
    let (_, guard) = server(&redis.address(), "", tell);
    for n in 0..5 {
        assert_eq!(fresh(&*guard, "closed", n), Claim::Fresh);
        let _ = redis.say(&[b"CLIENT", b"KILL", b"TYPE", b"normal", b"SKIPME", b"yes"]);
    }
    assert_eq!(*told.lock().unwrap(), Vec::<String>::new());
}

#[test]
fn engine_that_would_forget_live_messages_is_told_of() {
    let Some(redis) = Redis::start(&["--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru"]) else {
        return;
    };
    let (tell, told) = listener();
    let (_, guard) = server(&redis.address(), "", tell);
    assert_eq!(fresh(&*guard, "forgets", 1), Claim::Fresh);
    assert!(told.lock().unwrap()[0].contains("maxmemory-policy noeviction"), "{:?}", told.lock().unwrap());
}

#[test]
fn clock_of_the_engine_that_differs_is_told_of() {
    let Some(redis) = Redis::start(&[]) else { return };
    let (tell, told) = listener();
    let (_, guard) = server(&redis.address(), "", tell);
    let other = Time::from_millis(now().millis() - 60_000);
    assert_eq!(guard.claim(&key("differs", 1), Remember::Window, other), Claim::Fresh);
    assert!(told.lock().unwrap()[0].contains("60 s apart"), "{:?}", told.lock().unwrap());
}

/// An engine that carries a SET out and closes the connection instead of answering, from the second connection's point of
/// view: `theirs` says whether the value there is then somebody else's.
fn engine_that_loses_an_answer(theirs: bool) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (store, sets) = (Mutex::new(HashMap::<Vec<u8>, Vec<u8>>::new()), AtomicUsize::new(0));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            while let Some(command) = command_of(&mut stream) {
                let answer = match command[0].as_slice() {
                    b"TIME" => {
                        let now = now().millis() / 1000;
                        format!("*2\r\n${}\r\n{now}\r\n$1\r\n0\r\n", now.to_string().len()).into_bytes()
                    }
                    b"INFO" => b"$13\r\nrun_id:same\r\n\r\n".to_vec(),
                    b"GET" => match store.lock().unwrap().get(&command[1]) {
                        Some(value) => [format!("${}\r\n", value.len()).as_bytes(), value, b"\r\n"].concat(),
                        None => b"$-1\r\n".to_vec(),
                    },
                    b"SET" if command.len() == 3 => b"+OK\r\n".to_vec(),
                    _ => {
                        let there = store.lock().unwrap().contains_key(&command[1]);
                        if !there {
                            let value = if theirs { b"somebody else's".to_vec() } else { command[2].clone() };
                            store.lock().unwrap().insert(command[1].clone(), value);
                        }
                        // The second one's answer is lost.
                        if sets.fetch_add(1, Ordering::SeqCst) == 1 {
                            break;
                        }
                        if there { b"$-1\r\n".to_vec() } else { b"+OK\r\n".to_vec() }
                    }
                };
                stream.write_all(&answer).unwrap();
            }
        }
    });
    address
}

/// The next command; `None` at the end.
fn command_of(stream: &mut TcpStream) -> Option<Vec<Vec<u8>>> {
    let count = number_of(stream)?;
    (0..count)
        .map(|_| {
            let mut part = vec![0; number_of(stream)? + 2];
            stream.read_exact(&mut part).ok()?;
            part.truncate(part.len() - 2);
            Some(part)
        })
        .collect()
}

/// The number of a line `*N` or `$N`, octet by octet.
fn number_of(stream: &mut TcpStream) -> Option<usize> {
    let mut line = Vec::new();
    while !line.ends_with(b"\r\n") {
        let mut octet = [0];
        stream.read_exact(&mut octet).ok()?;
        line.push(octet[0]);
    }
    std::str::from_utf8(&line[1..line.len() - 2]).ok()?.parse().ok()
}

#[test]
fn claim_whose_answer_was_lost_is_known_again_as_ours() {
    for (theirs, wanted) in [(false, Claim::Fresh), (true, Claim::Repeat)] {
        let guard = guard(&engine_that_loses_an_answer(theirs), "");
        assert_eq!(fresh(&*guard, "answer", 1), Claim::Fresh);
        assert_eq!(fresh(&*guard, "answer", 2), wanted, "theirs: {theirs}");
    }
}

#[test]
fn reload_goes_on_with_the_same_engine_and_counters() {
    let Some(redis) = Redis::start(&[]) else { return };
    let text = format!(
        "[[service]]\npath = \"/a\"\nkind = \"echo\"\npolicy = \"open\"\nreplay = {{ shared = \"redis://{}\" }}\n",
        redis.address()
    );
    let config = read::read(&text, Path::new("")).unwrap();
    let watch = |before| Watch { journal: None, before, now: now(), random: &SystemRandom, tell: nobody() };
    let before = build::guards(&config, &watch(None)).unwrap().unwrap();
    let guard = before.guard(&config.services[0].replay).unwrap();
    assert_eq!(fresh(&*guard, "reload", 1), Claim::Fresh);
    let connections = received(&redis);
    let after = build::guards(&config, &watch(Some(before))).unwrap().unwrap();
    let guard = after.guard(&config.services[0].replay).unwrap();
    assert_eq!(fresh(&*guard, "reload", 2), Claim::Fresh);
    assert_eq!(received(&redis), connections + 1, "the one that asks");
    assert_eq!(after.counts().local.fresh, 2);
}
