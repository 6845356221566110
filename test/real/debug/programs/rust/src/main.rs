use std::io::Read;
use std::sync::{Arc, Barrier};
use std::{env, fs, process, thread, time};

fn add(a: i32, b: i32) -> i32 {
    let total = a + b; // @add
    let twice = total * 2; // @return
    twice - total
}

fn fact(n: i32) -> i32 {
    if n <= 1 {
        return 1; // @base
    }
    n * fact(n - 1) // @recur
}

struct Point {
    x: i32,
    y: i32,
}

fn work() -> i32 {
    let numbers: Vec<i32> = (0..1000).collect();
    let text = "héllo 世界";
    let point = Point { x: 1, y: 2 };
    let mut total = 0;
    let mut i = 0;
    while i < 10 {
        total = total + add(i, 1); // @loop
        i += 1;
    }
    let five = fact(5); // @fact
    println!("total {} fact {} {} {} {}", total, five, text, numbers.len(), point.x + point.y - 2); // @print
    total
}

fn fail(message: &str) {
    panic!("failure: {}", message); // @throw
}

fn worker(n: i32, gate: Arc<Barrier>) {
    let own = n * 10; // @worker
    gate.wait();
    let _more = own + 1; // @worked
}

fn threads() {
    let gate = Arc::new(Barrier::new(3));
    let all: Vec<_> = (0..3)
        .map(|n| {
            let gate = gate.clone();
            thread::spawn(move || worker(n, gate))
        })
        .collect();
    let count = all.len();
    for one in all {
        one.join().unwrap();
    }
    println!("joined {}", count);
}

fn spin(heartbeat: Option<String>) {
    let mut ticks: i64 = 0;
    loop {
        ticks = ticks + 1; // @tick
        if let Some(path) = &heartbeat {
            fs::write(path, ticks.to_string()).unwrap();
        }
        thread::sleep(time::Duration::from_millis(20));
    }
}

fn main() {
    let args: Vec<String> = env::args().collect();
    match args[1].as_str() {
        "work" => {
            work();
        }
        "throw" => fail("boom"),
        "caught" => {
            let result = std::panic::catch_unwind(|| fail("inner"));
            println!("caught {}", result.is_err()); // @caught
        }
        "print" => {
            for n in 0..20000 {
                println!("line {:06} {}", n, "x".repeat(98));
            }
        }
        "quick" => {
            println!("bye");
            process::exit(3);
        }
        "crash" => process::abort(), // @crash
        "fork" => {
            let child = process::Command::new("setsid").args(["sleep", "1000"]).spawn().unwrap();
            println!("child {}", child.id());
            spin(None);
        }
        "wait" => {
            let out = process::Command::new("sh").args(["-c", "echo $((6 * 7))"]).output().unwrap();
            println!("child said {}", String::from_utf8_lossy(&out.stdout).trim());
        }
        "unended" => print!("the last line has no end"),
        "stdin" => {
            let mut all = String::new();
            std::io::stdin().read_to_string(&mut all).unwrap();
            println!("read '{}'", all);
        }
        "threads" => threads(),
        "environment" => {
            let cwd = env::current_dir().unwrap();
            let name = cwd.file_name().unwrap().to_string_lossy().to_string();
            println!("variable {} in {} with {:?}", env::var("PROBE").unwrap_or_default(), name, &args[2..]);
        }
        "spin" => {
            println!("spinning {}", process::id());
            spin(args.get(2).cloned());
        }
        _ => {}
    }
}
