//! Visits and events against the models, bit for bit; then the whole scheduler, event by event.

mod events;
mod visits;

/// The whole scheduler is a complete description: it emits.
#[test]
fn the_scheduler_emits() {
    let mut block: Box<super::Scheduler<6, 50, 9, 6, 6>> = Box::default();
    let result = crate::emit::Library::new().add_top("scheduler", block.as_mut());
    assert!(result.is_ok(), "{}", result.err().map_or(String::new(), |error| error.to_string()));
}
