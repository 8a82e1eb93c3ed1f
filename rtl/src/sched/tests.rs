//! Visits and events against the models, bit for bit; the whole scheduler against a second description of it; the configurations emit.

mod agreement;
mod choice;
mod events;
mod levels;
mod members;
mod reference;
mod visits;
mod wakes;

use crate::emit::Library;
use crate::sim::{on_a_large_stack, Ports};

fn emits<B: Ports + Default>() {
    let result = Library::new().add_top("scheduler", Box::<B>::default().as_mut());
    assert!(
        result.is_ok(),
        "{}",
        result.err().map_or(String::new(), |error| error.to_string())
    );
}

#[test]
fn both_configurations_emit() {
    on_a_large_stack(|| {
        emits::<super::PaperScheduler>();
        emits::<super::LargeScheduler>();
    })
    .expect("a thread");
}
