//! A number that stands outside the evidence is named there: `evidence/values.md` has an anchor for each, and other pages include it. README, which
//! no program puts together, repeats some of them; here they are compared.

use super::pages::{pages, Page};

/// The values that README shows.
const README: [&str; 3] = ["write-1024", "ns3-speed", "cells-whole"];

/// The text between the anchors of each value, by its name.
fn values(page: &Page) -> Vec<(String, String)> {
    let parts = page.text.split("<!-- ANCHOR: ").skip(1);
    parts
        .map(|part| {
            let (name, rest) = part.split_once(" -->\n").expect("the end of the anchor");
            let (value, _) = rest
                .split_once(&format!("\n<!-- ANCHOR_END: {name} -->"))
                .expect("the end of the value");
            (name.to_string(), value.to_string())
        })
        .collect()
}

#[test]
fn readme_repeats_values_of_the_evidence() {
    let pages = pages();
    let page = |name: &str| pages.iter().find(|page| page.name == name).expect("a page");
    let values = values(page("evidence/values.md"));
    for name in README {
        let (_, value) = values.iter().find(|(known, _)| known == name).expect("a value");
        assert!(
            page("README.md").text.contains(value.as_str()),
            "README lacks {name}: {value}"
        );
    }
}

#[test]
fn every_value_is_one_line_and_is_used() {
    let pages = pages();
    let page = pages
        .iter()
        .find(|page| page.name == "evidence/values.md")
        .expect("a page");
    for (name, value) in values(page) {
        assert!(!value.contains('\n') && !value.is_empty(), "{name}: {value:?}");
        let include = format!("evidence/values.md:{name}}}}}");
        let included = pages.iter().any(|page| page.text.contains(&include));
        assert!(included || README.contains(&&*name), "nobody uses {name}");
    }
}
