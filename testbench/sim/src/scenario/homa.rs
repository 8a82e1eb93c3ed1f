//! HOMA hosts of a scenario: which rules of the network are theirs.

use hpcc_models::net::Config;

use crate::plan::laws::LawSpec;
use crate::plan::Fidelity;

/// Makes all hosts of a network HOMA's.
pub fn hosts(law: &LawSpec, fidelity: Fidelity, config: &mut Config) -> Result<(), String> {
    if fidelity != Fidelity::Golden {
        let got = fidelity.name();
        return Err(format!("fidelity: expected golden with {}, got {got}", law.name));
    }
    config.homa = Some(law.homa_config()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::plan::Job;
    use crate::scenario::spec::{plan, Overrides};
    use hpcc_models::net::FlowControl;

    fn job(rest: &str) -> Result<Job, String> {
        let text = format!(
            "name='x'\ntitle='t'\nlaw='homa'\nrun={{stop_us=10}}\n{rest}\n[[traffic]]\nkind='flow'\nsrc=0\ndst=1\nbytes=5\n"
        );
        Job::new(&plan("x", &text, &Overrides::default())?[0])
    }

    #[test]
    fn hosts_are_homas() {
        let network = "network={topology='star',hosts=4,flow_control='dynamic-thresholds'}";
        let job = job(&format!("{network}\n[cc]\novercommitment=3")).unwrap();
        assert_eq!(job.config.flow_control, FlowControl::EgressLimit);
        assert_eq!(job.config.homa.unwrap().overcommitment, 3);
    }

    #[test]
    fn one_line_errors() {
        let star = |rest: &str| format!("network={{topology='star',hosts=4{rest}}}");
        for (text, expected) in [
            (
                star(",flow_control='irn'"),
                "network.flow_control: expected pfc or dynamic-thresholds with homa, got `irn`",
            ),
            (
                format!("{}\nfidelity='fixed'", star("")),
                "fidelity: expected golden with homa, got fixed",
            ),
            (
                format!("{}\n[telemetry]\nqueues=2", star("")),
                "telemetry.queues: expected 1 with homa, which has eight priorities of its own, got 2",
            ),
            (
                format!("{}\n[cc]\nw_ai=3", star("")),
                "x: cc.w_ai: homa has no such key; it has rtt_bytes, overcommitment, unscheduled_levels, resend_us",
            ),
        ] {
            assert_eq!(job(&text).unwrap_err(), expected);
        }
    }
}
