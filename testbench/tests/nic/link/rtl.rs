//! The cases on two NICs in RTL, Verilated. Fewer of them: the model has shown the rest.

use super::*;
use hpcc_testbench::nic::RtlNic;
use hpcc_testbench::verilated::Model;

type Rtl = RtlNic<Model>;

#[test]
fn rtl_loss_of_a_thousandth_leaves_identical_memory() {
    survives_loss::<Rtl>(&[0.001], 150_001, 6);
}

#[test]
fn rtl_loss_of_a_hundredth_leaves_identical_memory() {
    survives_loss::<Rtl>(&[0.01], 30_001, 6);
}

#[test]
fn rtl_loss_of_a_twentieth_leaves_identical_memory() {
    survives_loss::<Rtl>(&[0.05], 20_001, 6);
}

#[test]
fn rtl_all_faults_at_once_leave_identical_memory() {
    // Every MTU with every operation.
    survives_everything::<Rtl>(&OPERATIONS, 1..21);
}

#[test]
fn rtl_every_length_around_a_packet_arrives_at_every_alignment() {
    moves_lengths::<Rtl>(&BOTH_WAYS, 256, &every_length(256));
    for mtu in [512, 1024, 2048, 4096] {
        moves_lengths::<Rtl>(&BOTH_WAYS, mtu, &around(mtu));
    }
}

#[test]
fn rtl_a_dead_wire_ends_in_error_completions_and_untouched_memory() {
    dies_with_the_wire::<Rtl>();
}
