//! The program's clock is the NIC's: `gettimeofday` and the program's own `rdtsc` answer with simulated time.
//!
//! The program's instructions are trapped (`PR_SET_TSC`) and answered with one cycle for each nanosecond. Time stamps that libraries and the
//! kernel's shared page take keep the real counter. Trapping begins with the first open device: the setting survives `exec`, and the loader of a
//! child program would die of it. A reading while the clock stands advances by a little, for programs that wait until time has passed.

use crate::settings;
use crate::shared::Shared;
use core::ffi::{c_int, c_void};
use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::Once;

/// Time of the program when the NIC's clock is 0, ns: a program may take 0 for no time.
const START: u64 = 1_000_000_000;
/// How much each reading advances, ns.
const TSC_STEP: u64 = 20;
const TIME_OF_DAY_STEP: u64 = 100;
const SI_KERNEL: c_int = 0x80;

static SOURCE: AtomicPtr<Shared> = AtomicPtr::new(ptr::null_mut());
/// The last reading.
static LAST: AtomicU64 = AtomicU64::new(START);
/// How far readings are ahead of the NIC's clock.
static AHEAD: AtomicU64 = AtomicU64::new(0);
/// The NIC's clock at the last reading; without an open device it stands.
static CLOCK: AtomicU64 = AtomicU64::new(0);
static TRAPPING: AtomicBool = AtomicBool::new(false);
static TEXT: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// The environment asks for it.
pub(crate) fn is_on() -> bool {
    cfg!(target_arch = "x86_64") && settings::is_on(settings::VIRTUAL_TIME)
}

/// The next reading and how far the program's time is ahead of the NIC's clock then. A reading is that clock and what the program is ahead; only one
/// that would not be behind the last one advances by `step`, and the program is ahead by so much more. So readings while the clock stands cost time,
/// and what the clock moves between two readings is seen whole, however many there were before.
fn next(clock: u64, last: u64, ahead: u64, step: u64) -> (u64, u64) {
    let now = START + clock + ahead;
    if now > last {
        (now, ahead)
    } else {
        (last + step, ahead + last + step - now)
    }
}

/// Time of the program.
fn read(step: u64) -> u64 {
    let source = SOURCE.load(Ordering::SeqCst);
    if !source.is_null() {
        // SAFETY: the memory is mapped while it is the source.
        CLOCK.store(unsafe { (*source).clock() }, Ordering::SeqCst);
    }
    loop {
        let (last, before) = (LAST.load(Ordering::SeqCst), AHEAD.load(Ordering::SeqCst));
        let (now, ahead) = next(CLOCK.load(Ordering::SeqCst), last, before, step);
        if LAST
            .compare_exchange(last, now, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
        {
            AHEAD.fetch_add(ahead - before, Ordering::SeqCst);
            return now;
        }
    }
}

fn set_trap(mode: c_int) {
    // SAFETY: a setting of this thread; threads that it makes have it too.
    unsafe { libc::prctl(libc::PR_SET_TSC, mode, 0, 0, 0) };
}

/// An open device is the source of time, if there is none yet.
pub(crate) fn attach(shared: &Shared) {
    if !is_on() {
        return;
    }
    let shared = (&raw const *shared).cast_mut();
    if SOURCE
        .compare_exchange(ptr::null_mut(), shared, Ordering::SeqCst, Ordering::SeqCst)
        .is_ok()
    {
        static HANDLER: Once = Once::new();
        HANDLER.call_once(install);
        TRAPPING.store(true, Ordering::SeqCst);
        set_trap(libc::PR_TSC_SIGSEGV);
    }
}

/// A device is closed: its time stands still.
pub(crate) fn detach(shared: &Shared) {
    let shared = (&raw const *shared).cast_mut();
    if SOURCE.load(Ordering::SeqCst) == shared {
        read(0);
        SOURCE.store(ptr::null_mut(), Ordering::SeqCst);
    }
}

#[no_mangle]
unsafe extern "C" fn gettimeofday(to: *mut libc::timeval, zone: *mut c_void) -> c_int {
    if !TRAPPING.load(Ordering::SeqCst) {
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the program gave room for the time; `clock_gettime` is the real one.
        unsafe {
            let result = libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut now);
            if !to.is_null() {
                *to = libc::timeval {
                    tv_sec: now.tv_sec,
                    tv_usec: now.tv_nsec / 1000,
                };
            }
            let _ = zone;
            return result;
        }
    }
    let now = read(TIME_OF_DAY_STEP);
    if !to.is_null() {
        // SAFETY: as above.
        unsafe {
            *to = libc::timeval {
                tv_sec: (now / 1_000_000_000) as libc::time_t,
                tv_usec: (now % 1_000_000_000 / 1000) as libc::suseconds_t,
            };
        }
    }
    0
}

/// Finds the program's own code; the first object is the program.
unsafe extern "C" fn find_text(info: *mut libc::dl_phdr_info, _: usize, _: *mut c_void) -> c_int {
    // SAFETY: the loader's structure.
    unsafe {
        for i in 0..(*info).dlpi_phnum {
            let header = &*(*info).dlpi_phdr.add(i.into());
            if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0 {
                let low = ((*info).dlpi_addr + header.p_vaddr) as usize;
                TEXT[0].store(low, Ordering::SeqCst);
                TEXT[1].store(low + header.p_memsz as usize, Ordering::SeqCst);
            }
        }
    }
    1
}

unsafe extern "C" fn after_fork() {
    if TRAPPING.swap(false, Ordering::SeqCst) {
        set_trap(libc::PR_TSC_ENABLE);
    }
}

fn install() {
    // SAFETY: plain calls; the handler is as the flags say.
    unsafe {
        libc::dl_iterate_phdr(Some(find_text), ptr::null_mut());
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        libc::sigaction(libc::SIGSEGV, &raw const action, ptr::null_mut());
        libc::pthread_atfork(None, None, Some(after_fork));
    }
}

#[cfg(not(target_arch = "x86_64"))]
extern "C" fn on_fault(signal: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the fault comes again and ends the program.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

#[cfg(target_arch = "x86_64")]
extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    const RDTSC: [u8; 2] = [0x0f, 0x31];
    const RDTSCP: [u8; 3] = [0x0f, 0x01, 0xf9];
    // SAFETY: the kernel's structures; the instruction that faulted can be read.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let at = registers[libc::REG_RIP as usize] as usize;
        let trap = (*info).si_code == SI_KERNEL;
        let code = |i: usize| *ptr::with_exposed_provenance::<u8>(at + i);
        let short = trap && [code(0), code(1)] == RDTSC;
        let long = trap && !short && [code(0), code(1), code(2)] == RDTSCP;
        if !short && !long {
            libc::signal(signal, libc::SIG_DFL);
            return;
        }
        let [low, high] = [0, 1].map(|i: usize| TEXT[i].load(Ordering::SeqCst));
        let counter = if (low..high).contains(&at) {
            read(TSC_STEP)
        } else {
            set_trap(libc::PR_TSC_ENABLE);
            let counter = core::arch::x86_64::_rdtsc();
            set_trap(libc::PR_TSC_SIGSEGV);
            counter
        };
        registers[libc::REG_RAX as usize] = (counter & 0xffff_ffff) as i64;
        registers[libc::REG_RDX as usize] = (counter >> 32) as i64;
        if long {
            registers[libc::REG_RCX as usize] = 0;
        }
        registers[libc::REG_RIP as usize] += if long { RDTSCP.len() } else { RDTSC.len() } as i64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that reads its clock a thousand times to measure its speed sees the NIC's microsecond afterwards as a microsecond.
    #[test]
    fn what_the_clock_moves_is_seen_whole() {
        let (mut last, mut ahead) = (START, 0);
        for _ in 0..1000 {
            (last, ahead) = next(500, last, ahead, 20);
        }
        assert_eq!((last, ahead), (START + 500 + 999 * 20, 999 * 20));
        let before = last;
        for moved in 1..=100 {
            (last, ahead) = next(500 + moved * 1048, last, ahead, 20);
            assert_eq!(last, before + moved * 1048);
        }
    }
}
