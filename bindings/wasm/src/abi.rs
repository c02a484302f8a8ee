//! The functions that JavaScript calls. Texts and bytes go through two buffers: JavaScript writes to [`input`] and reads from
//! [`output`]. A module has one thread, and one session.

#![expect(unsafe_code, reason = "the page finds these functions by their names")]

use crate::PageSession;
use std::cell::RefCell;
use std::time::Duration;

unsafe extern "C" {
    /// Milliseconds since any fixed moment.
    safe fn now() -> f64;
    /// A panic ends the module; this text in [`output`] says why.
    safe fn failed(bytes: usize);
}

#[derive(Default)]
struct PageModule {
    session: PageSession,
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static MODULE: RefCell<PageModule> = RefCell::default();
}

impl PageModule {
    fn take_input(&mut self) -> String {
        let bytes = std::mem::take(&mut self.input);
        String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
    }

    fn answer(&mut self, bytes: Vec<u8>) -> usize {
        self.output = bytes;
        self.output.len()
    }
}

/// Must be called once, before everything else.
#[unsafe(no_mangle)]
pub extern "C" fn start() {
    pto::cpu::clock::set_clock(|| Duration::from_secs_f64(now().max(0.0) / 1e3));
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        let told = MODULE.try_with(|module| module.try_borrow_mut().map(|mut module| module.answer(text.into_bytes())));
        failed(told.ok().and_then(Result::ok).unwrap_or(0));
    }));
}

/// A buffer for this many bytes, which the next call takes.
#[unsafe(no_mangle)]
pub extern "C" fn input(bytes: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| {
        module.input = vec![0; bytes];
        module.input.as_mut_ptr()
    })
}

/// The bytes that the last call gave.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    MODULE.with_borrow(|module| module.output.as_ptr())
}

/// Stores a file. The input is its name, which has this many bytes, and its content.
#[unsafe(no_mangle)]
pub extern "C" fn put(name_bytes: usize) {
    MODULE.with_borrow_mut(|module| {
        let content = module.input.split_off(name_bytes.min(module.input.len()));
        let name = module.take_input();
        module.session.put(&name, content);
    });
}

/// Takes a file away. The input is its name; the output is its content. Returns the number of bytes, or -1 if there is no such file.
#[unsafe(no_mangle)]
pub extern "C" fn take(_: usize) -> isize {
    MODULE.with_borrow_mut(|module| {
        let name = module.take_input();
        match module.session.take(&name) {
            Some(content) => module.answer(content) as isize,
            None => -1,
        }
    })
}

/// Answers a request. The input and the output are JSON. Returns the number of bytes.
#[unsafe(no_mangle)]
pub extern "C" fn call() -> usize {
    let (request, mut session) =
        MODULE.with_borrow_mut(|module| (module.take_input(), std::mem::take(&mut module.session)));
    let answer = session.call(&request);
    MODULE.with_borrow_mut(|module| {
        module.session = session;
        module.answer(answer.into_bytes())
    })
}
