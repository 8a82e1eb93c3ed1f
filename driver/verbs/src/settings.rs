//! Environment variables. `hpcc-nic exec` sets those that name the daemon; the others are for tests.

/// Path of the daemon's socket.
pub(crate) const SOCKET: &str = "HPCC_NIC_SOCKET";
/// Number of the only NIC that the program sees.
pub(crate) const ONLY: &str = "HPCC_NIC_ONLY";
/// The program's clock is the NIC's.
pub(crate) const VIRTUAL_TIME: &str = "HPCC_NIC_VIRTUAL_TIME";
/// The program's memory is reached through its helper thread.
pub(crate) const HELPER: &str = "HPCC_NIC_HELPER";
/// Part number that the device reports: perftest chooses by it how it posts.
pub(crate) const PART: &str = "HPCC_NIC_PART";
/// Vendor number that the device reports.
pub(crate) const VENDOR: &str = "HPCC_NIC_VENDOR";
/// Path MTU of the port, `enum ibv_mtu`.
pub(crate) const MTU: &str = "HPCC_NIC_MTU";

/// A number from the environment, decimal or with 0x in front.
pub(crate) fn number(name: &str) -> Option<u32> {
    let text = std::env::var(name).ok()?;
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A switch: set and not 0.
pub(crate) fn is_on(name: &str) -> bool {
    number(name).is_some_and(|value| value != 0)
}
