//! Links of a scenario: their speeds, and the changes of them.

use std::collections::BTreeSet;

use hpcc_models::net::{LinkChange, LinkLoss, Topology};

use super::spec::Scenario;
use super::time::ps;

/// Every speed that a link has or gets, bits per second.
pub fn speeds(scenario: &Scenario, topology: &Topology) -> BTreeSet<u64> {
    let changes = scenario.network.link_change.iter().filter_map(|c| c.rate_gbps);
    let links = topology.links.iter().map(|l| l.rate_bps);
    links.chain(changes.map(|gbps| gbps * 1_000_000_000)).collect()
}

/// The scenario's losses on single links.
pub fn link_losses(scenario: &Scenario, topology: &Topology) -> Result<Vec<LinkLoss>, String> {
    let losses = scenario.network.link_loss.iter().enumerate();
    losses
        .map(|(index, loss)| {
            let field = |name: &str| format!("network.link_loss.{index}.{name}");
            let links = topology.links.len();
            let Some(link) = topology.links.get(loss.link) else {
                let field = field("link");
                return Err(format!("{field}: expected below {links}, got {}", loss.link));
            };
            if let Some(other) = loss.sender.filter(|&node| node != link.a && node != link.b) {
                let field = field("sender");
                return Err(format!(
                    "{field}: expected {} or {}, the ends of the link, got {other}",
                    link.a, link.b
                ));
            }
            if !(loss.loss > 0.0 && loss.loss <= 1.0) {
                let field = field("loss");
                return Err(format!("{field}: expected above 0 and at most 1, got {}", loss.loss));
            }
            let from_ps = ps(loss.from_us, &field("from_us"))?;
            let until_ps = loss.until_us.map(|us| ps(us, &field("until_us"))).transpose()?;
            if until_ps.is_some_and(|until| until <= from_ps) {
                return Err(format!("{}: expected later than from_us", field("until_us")));
            }
            Ok(LinkLoss {
                link: loss.link,
                sender: loss.sender,
                loss: loss.loss,
                from_ps,
                until_ps: until_ps.unwrap_or(u64::MAX),
            })
        })
        .collect()
}

/// The scenario's link changes.
pub fn link_changes(scenario: &Scenario, topology: &Topology) -> Result<Vec<LinkChange>, String> {
    let links = topology.links.len();
    let changes = scenario.network.link_change.iter().enumerate();
    changes
        .map(|(index, change)| {
            if change.link >= links {
                return Err(format!(
                    "network.link_change.{index}.link: expected below {links}, got {}",
                    change.link
                ));
            }
            if let Some(rate) = change.rate_gbps.filter(|r| !(1..=10_000).contains(r)) {
                return Err(format!(
                    "network.link_change.{index}.rate_gbps: expected 1 to 10000, got {rate}"
                ));
            }
            Ok(LinkChange {
                at_ps: ps(change.at_us, "network.link_change.at_us")?,
                link: change.link,
                up: change.up,
                rate_bps: change.rate_gbps.map(|g| g * 1_000_000_000),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::spec::{plan, Overrides};
    use crate::plan::Job;
    use hpcc_models::net::LinkLoss;

    /// The losses of a star's host links.
    fn losses(list: &str) -> Result<Vec<LinkLoss>, String> {
        let text = format!(
            "name='x'\nlaw='none'\nnetwork={{topology='star',hosts=3,link_loss=[{list}]}}\nrun={{stop_us=10}}\n\
             traffic=[{{kind='flow',src=0,dst=1,bytes=1000}}]\n"
        );
        Ok(Job::new(&plan("x", &text, &Overrides::default())?[0])?
            .config
            .link_losses)
    }

    #[test]
    fn losses_are_read() {
        let both = losses("{link=1,loss=0.5},{link=1,sender=1,loss=1,from_us=2,until_us=3.5}").unwrap();
        let first = LinkLoss {
            link: 1,
            sender: None,
            loss: 0.5,
            from_ps: 0,
            until_ps: u64::MAX,
        };
        let second = LinkLoss {
            sender: Some(1),
            loss: 1.0,
            from_ps: 2_000_000,
            until_ps: 3_500_000,
            ..first
        };
        assert_eq!(both, [first, second]);
    }

    #[test]
    fn what_cannot_be_lost_is_an_error() {
        let error = |list: &str| losses(list).unwrap_err();
        assert_eq!(
            error("{link=0,loss=0.1},{link=3,loss=0.1}"),
            "network.link_loss.1.link: expected below 3, got 3"
        );
        let sender = error("{link=0,sender=2,loss=0.1}");
        assert!(
            sender.starts_with("network.link_loss.0.sender: expected 0 or "),
            "{sender}"
        );
        assert!(sender.ends_with(", the ends of the link, got 2"), "{sender}");
        for loss in ["0", "-0.1", "1.1", "nan"] {
            let error = error(&format!("{{link=0,loss={loss}}}"));
            assert!(
                error.starts_with("network.link_loss.0.loss: expected above 0 and at most 1"),
                "{error}"
            );
        }
        assert_eq!(
            error("{link=0,loss=0.1,from_us=2,until_us=2}"),
            "network.link_loss.0.until_us: expected later than from_us"
        );
    }
}
