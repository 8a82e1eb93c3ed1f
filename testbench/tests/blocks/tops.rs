//! What is emitted as a whole: every top can be, modules are few and none is there twice, every output is driven.

use hpcc_models::fixed::reciprocal::{Interpolated, Reciprocal};
use hpcc_rtl::emit::Library;
use hpcc_rtl::nic::Nic;
use hpcc_rtl::sim::{init, on_a_large_stack};
use hpcc_rtl::sizes::SIZES;
use hpcc_rtl::tops::{library, TOPS};
use rust_hdl::prelude::{check_all, Block};
use std::sync::OnceLock;

/// Every input and register is driven, once.
fn whole(block: &mut dyn Block) -> bool {
    block.connect_all();
    check_all(block).is_ok()
}

#[test]
fn in_every_top_and_every_size_that_tests_simulate_all_signals_are_driven_once() {
    for top in TOPS {
        assert!(top.with(whole).expect("a thread"), "{}", top.name);
    }
    for make in SIZES {
        assert!(on_a_large_stack(|| whole(make().as_mut())).expect("a thread"));
    }
}

#[test]
fn no_loop_closes_in_the_nic() {
    let built = on_a_large_stack(|| init(Box::<Nic>::default().as_mut()));
    built.expect("a thread").expect("complete block");
}

/// Everything emitted, once for all tests of this program.
pub fn emitted() -> &'static Library {
    static EMITTED: OnceLock<Library> = OnceLock::new();
    EMITTED.get_or_init(|| library().expect("all constructs have Verilog"))
}

#[test]
fn no_module_is_there_under_two_names() {
    let library = emitted();
    assert_eq!(library.tops()[0], TOPS[0].name);
    let mut bodies = std::collections::BTreeMap::new();
    for name in library.module_order() {
        let text = library.module_text(&name).expect("listed");
        let body =
            text.replacen(&format!("module {name} "), "module ", 1)
                .replacen(&format!("module {name}("), "module (", 1);
        let before = bodies.insert(body, name.clone());
        assert_eq!(before, None, "{name} is there already");
    }
}

/// Modules that everything emitted may have, with all laws, all tops and the parts of the library: a reader must be able to survey
/// them, and to read each in one sitting.
const MODULES: usize = 180;

#[test]
fn modules_are_few_and_named_for_what_they_are() {
    let library = emitted();
    let modules = library.module_order();
    assert!(
        modules.len() <= MODULES,
        "{} modules, {MODULES} expected at most",
        modules.len()
    );
    for name in &modules {
        assert!(name.starts_with("hpcc_"), "{name}");
        let (_, last) = name.rsplit_once('_').expect("a prefix");
        assert!(last.parse::<u32>().is_err(), "{name}: a number tells nothing");
    }
    for name in modules {
        let text = library.module_text(&name).expect("listed");
        let (above, _) = text.split_once("\nmodule ").expect("a module");
        assert!(above.contains("\n// "), "{name}: nothing says what it is");
    }
}

/// The table's size that the book and the model state, from the memory in the Verilog.
#[test]
fn the_reciprocal_table_has_as_many_bytes_as_the_model_says() {
    let library = emitted();
    let text = library.module_text("hpcc_reciprocal_mantissa").expect("a module");
    let (_, rom) = text.split_once("hpcc_rom #(").expect("a table");
    let parameter = |name: &str| {
        let (_, value) = rom.split_once(&format!(".{name}(")).expect("a parameter");
        let (value, _) = value.split_once(')').expect("its end");
        value.parse::<usize>().expect("a number")
    };
    let (width, address) = (parameter("WIDTH"), parameter("ADDRESS"));
    assert_eq!((width << address) / 8, Interpolated.table_bytes());
    let (contents, _) = rom.split_once("}))").expect("the end of the table");
    assert_eq!(contents.matches(&format!("{width}'h")).count(), 1 << address);
}
