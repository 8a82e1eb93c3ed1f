//! From a planned run of a scenario to the job that does it.

use super::spec::{EndSpec, Planned, Scenario};
use super::{base_rtt, circuits, classes, dependent, hcc, links, rules, tcp, telemetry, traffic};
use crate::plan::laws::LawKind;
use crate::plan::provenance::InputFile;
use crate::plan::{Job, NumbersPlan};
use hpcc_models::net::tcp::TcpLaw;
use hpcc_models::net::SamplePlan;

impl Job {
    /// Makes the job of a planned run.
    pub fn new(planned: &Planned) -> Result<Self, String> {
        let mut scenario: Scenario = planned.scenario.clone();
        let topology = traffic::topology(&scenario.network)?;
        let (flows, counts) = traffic::flows(&scenario, &topology)?;
        let loops = traffic::loops(&scenario)?;
        let (start_rules, collectives) = dependent::rules(&scenario, &topology, &counts)?;
        let mut law = rules::law(&scenario)?;
        if scenario.fidelity.whole_nic() {
            law.for_a_whole_nic();
        }
        let rules = rules::config(&scenario, &law)?;
        let t_of_network = base_rtt::resolve(&mut scenario, &rules, &topology, &flows, &loops)?;
        let scenario = &scenario;
        let mut config = rules::config(scenario, &law)?;
        law.other_speeds = match config.cover_speeds(links::speeds(scenario, &topology)) {
            Err(error) if law.uses_int() => return Err(format!("network: {error}")),
            others => others.unwrap_or_default(),
        };
        config.link_losses = links::link_losses(scenario, &topology)?;
        base_rtt::set_multiplier(&mut config, &law, &topology)?;
        telemetry::collecting(scenario, &mut law, &mut config)?;
        classes::classes(scenario, &counts, &topology, &mut law, &mut config)?;
        rules::tcp_setup(scenario, &law, flows.len(), &mut config)?;
        circuits::circuits(scenario, &mut config)?;
        if law.kind == LawKind::Homa && !loops.is_empty() {
            return Err("traffic: expected no closed loops with homa".into());
        }
        let arrival_drops = tcp::arrival_drops(&scenario.tcp, &topology)?;
        let hcc = hcc::agents(scenario.hcc.as_ref(), &topology)?;
        if hcc.is_none() && law.kind == LawKind::Tcp(TcpLaw::Commanded) {
            return Err("law: expected a table [hcc] with law hcc, whose rates agents set".into());
        }
        let link_changes = links::link_changes(scenario, &topology)?;
        let run = &scenario.run;
        if !(run.stop_us > 0.0 && run.stop_us <= 1e8) {
            return Err(format!(
                "run.stop_us: expected above 0 and at most 1e8, got {}",
                run.stop_us
            ));
        }
        if !(run.meter_us >= 0.0 && run.meter_us <= 1e8) {
            return Err(format!("run.meter_us: expected 0 to 1e8, got {}", run.meter_us));
        }
        if !(run.warm_up_us >= 0.0 && run.warm_up_us < run.stop_us) {
            return Err(format!(
                "run.warm_up_us: expected 0 or more and less than run.stop_us, got {}",
                run.warm_up_us
            ));
        }
        let edges = &run.size_edges;
        if edges.first() == Some(&0) || edges.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(format!(
                "run.size_edges: expected ascending numbers of bytes above 0, got {edges:?}"
            ));
        }
        let stop_ps = (run.stop_us * 1e6) as u64;
        let last_arrival = flows.iter().map(|f| f.start_ps).max().unwrap_or(0);
        let plan = SamplePlan {
            start_ps: (run.sample_from_us.max(0.0) * 1e6) as u64,
            interval_ps: run.sample_ns * 1000,
            meter_ps: (run.meter_us * 1e6) as u64,
            end_ps: stop_ps.min(last_arrival.max(stop_ps)),
            queue_series: run.queue_series,
            flow_series: run.flow_series,
            series_every: run.series_every,
        };
        let job = Self {
            name: scenario.name.clone(),
            label: planned.label.clone(),
            law,
            fidelity: scenario.fidelity,
            seed: scenario.seed,
            resolved: serde_json::to_value(&planned.scenario).map_err(|e| format!("resolved scenario: {e}"))?,
            inputs: scenario.files().filter_map(InputFile::of).collect(),
            topology,
            flows,
            config,
            plan,
            link_changes,
            loops,
            start_rules,
            collectives,
            arrival_drops,
            hcc,
            stop_ps,
            origin_ps: 0,
            t_of_network,
            drains: run.end == EndSpec::Drain,
            watches_on: false,
            numbers: NumbersPlan {
                warm_up_ps: (run.warm_up_us * 1e6) as u64,
                size_edges: run.size_edges.clone(),
            },
        };
        job.law_holds()?;
        Ok(job)
    }

    /// A key of HPCC that the law refuses at the hosts' port is found here, with its name, and not when the run starts.
    fn law_holds(&self) -> Result<(), String> {
        if !self.law.kind.runs_hpcc() {
            return Ok(());
        }
        let fault = self.law.hpcc_params(&self.port())?.validate_law().err();
        let fault = fault.map(|fault| fault.to_string()).unwrap_or_default();
        let field = fault.split(": ").next().unwrap_or_default();
        match self.law.kind.keys().contains(&field) {
            true => Err(format!("cc.{fault}")),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::builtin;
    use super::super::spec::{parse_set, plan, Overrides};
    use super::*;
    use crate::plan::Fidelity;

    /// A window takes effect 62 clocks of 5 ns after its acknowledgement wherever the pipeline is meant, at once with the f64 law, and after
    /// as long as the scenario says.
    #[test]
    fn windows_take_the_pipelines_time() {
        let job = |fidelity, set: &[&str]| {
            let overrides = Overrides {
                fidelity: Some(fidelity),
                set: set.iter().map(|s| parse_set(s).unwrap()).collect(),
                ..Overrides::default()
            };
            let found = builtin::find("incast16").unwrap();
            Job::new(&plan("x", found.text, &overrides).unwrap()[0]).unwrap()
        };
        let latency = |fidelity| job(fidelity, &[]).config.cc_latency_ps;
        assert_eq!(
            [Fidelity::Golden, Fidelity::Fixed, Fidelity::CcRtl].map(latency),
            [0, 310_000, 310_000]
        );
        assert_eq!(
            job(Fidelity::Golden, &["cc.latency_ns=700"]).config.cc_latency_ps,
            700_000
        );
    }

    /// What a result says of its scenario has every default filled in and every change made.
    #[test]
    fn the_resolved_scenario_is_whole() {
        let overrides = Overrides {
            set: vec![parse_set("traffic.0.bytes=777").unwrap()],
            ..Overrides::default()
        };
        let found = builtin::find("incast16").unwrap();
        let resolved = Job::new(&plan("x", found.text, &overrides).unwrap()[0])
            .unwrap()
            .resolved;
        assert_eq!(resolved["traffic"][0]["bytes"], 777);
        assert_eq!(resolved["network"]["buffer_mb"], 32);
        assert_eq!(resolved["run"]["series_every"], 1);
        assert!(resolved.get("variant").is_none() && resolved.get("full").is_none());
    }
}
