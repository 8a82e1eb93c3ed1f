//! Arrays: which signals of a module are items of one declaration, and how an item is written.
//!
//! RustHDL shows every item of an array as a signal of its own, and so does the analysis here. The text has one declaration with a
//! dimension in front of the item's: `logic [31:0][7:0] key_q`, packed, because Yosys takes an unpacked array for a memory.
//! Items that are words stay declarations of their own: Yosys 0.70 takes each item of an array of structs for one bit.

use super::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// A name without the indices in it, and the indices: `lane$3$data` is item 3 of `lane_data`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Spot {
    pub base: String,
    pub index: Vec<usize>,
}

impl Spot {
    /// From RustHDL's name; `flat` makes an identifier of what has no index.
    pub fn of(raw: &str, flat: impl Fn(&str) -> String) -> Self {
        let (mut names, mut index) = (vec![], vec![]);
        for part in raw.split('$') {
            match part.parse() {
                Ok(at) => index.push(at),
                Err(_) => names.push(part),
            }
        }
        Self {
            base: flat(&names.join("$")),
            index,
        }
    }

    /// Of something inside.
    pub fn inside(&self, inner: &Spot) -> Self {
        Self {
            base: format!("{}_{}", self.base, inner.base),
            index: self.index.iter().chain(&inner.index).copied().collect(),
        }
    }
}

/// One declaration with a dimension.
#[derive(Debug, Clone)]
pub(super) struct Array {
    /// Items in each dimension.
    pub dims: Vec<usize>,
    /// What an item is.
    pub of: Type,
    /// Names of the items, the last index fastest.
    pub items: Vec<String>,
}

impl Array {
    /// `[3:0][7:0] `: the dimensions and the item.
    pub fn declared(&self) -> String {
        let dims: String = self.dims.iter().map(|count| format!("[{}:0]", count - 1)).collect();
        let item = self.of.declared();
        if item.is_empty() {
            format!("{dims} ")
        } else {
            dims + &item
        }
    }
}

/// The arrays of a module.
#[derive(Debug, Default)]
pub(super) struct Arrays {
    by_base: BTreeMap<String, Array>,
    /// The text of an item, by its name.
    items: BTreeMap<String, (String, String)>,
}

impl Arrays {
    /// Signals with their places that are items of whole arrays of bits; those of `apart` stay signals of their own.
    pub fn of<'a>(
        signals: impl Iterator<Item = (String, Spot, &'a Type)>,
        taken: &BTreeSet<String>,
        apart: &BTreeSet<String>,
    ) -> Self {
        let mut found: BTreeMap<String, BTreeMap<Vec<usize>, (String, &Type)>> = BTreeMap::new();
        for (name, spot, of) in signals.filter(|(_, spot, _)| !spot.index.is_empty()) {
            found.entry(spot.base).or_default().insert(spot.index, (name, of));
        }
        let mut arrays = Self::default();
        for (base, items) in found {
            let Some((last, (_, of))) = items.last_key_value() else {
                continue;
            };
            let dims: Vec<usize> = last.iter().map(|at| at + 1).collect();
            let whole = dims.iter().product::<usize>() == items.len() && items.len() > 1;
            let alike = items
                .iter()
                .all(|(index, (_, other))| other == of && index.len() == dims.len());
            let plain = matches!(of, Type::Bits(_) | Type::Moved(..));
            if !(whole && alike && plain) || taken.contains(&base) || apart.contains(&base) {
                continue;
            }
            for (index, (name, _)) in &items {
                let at: String = index.iter().map(|at| format!("[{at}]")).collect();
                arrays.items.insert(name.clone(), (base.clone(), at));
            }
            let of = (*of).clone();
            let items = items.into_values().map(|(name, _)| name).collect();
            arrays.by_base.insert(base, Array { dims, of, items });
        }
        arrays
    }

    /// The array that a signal is an item of, with its name.
    pub fn around(&self, signal: &str) -> Option<(&str, &Array)> {
        let (base, _) = self.items.get(signal)?;
        let (base, array) = self.by_base.get_key_value(base)?;
        Some((base, array))
    }

    /// How a signal is written.
    pub fn text(&self, signal: &str) -> String {
        match self.items.get(signal) {
            Some((base, at)) => format!("{base}{at}"),
            None => signal.into(),
        }
    }

    /// An array by its name.
    pub fn get(&self, base: &str) -> Option<&Array> {
        self.by_base.get(base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_whole_arrays_of_bits_are_found() {
        let (bits, bit) = (Type::Bits(8), Type::Bits(1));
        let flat = |name: &str| name.replace('$', "_");
        let signal = |raw: &'static str, of| (flat(raw), Spot::of(raw, flat), of);
        let signals = [
            signal("key$0", &bits),
            signal("key$1", &bits),
            signal("lane$0$on$0", &bit),
            signal("lane$0$on$1", &bit),
            signal("lane$1$on$0", &bit),
            signal("lane$1$on$1", &bit),
            signal("part$1", &bit),
            signal("mixed$0", &bit),
            signal("mixed$1", &bits),
            signal("alone", &bits),
        ];
        let arrays = Arrays::of(signals.into_iter(), &BTreeSet::new(), &BTreeSet::new());
        let texts = ["key_1", "lane_1_on_0", "part_1", "mixed_1", "alone"].map(|name| arrays.text(name));
        assert_eq!(texts, ["key[1]", "lane_on[1][0]", "part_1", "mixed_1", "alone"]);
        let declared = ["key", "lane_on"].map(|base| arrays.get(base).map(Array::declared));
        assert_eq!(declared, [Some("[1:0][7:0] ".into()), Some("[1:0][1:0] ".into())]);
    }
}
