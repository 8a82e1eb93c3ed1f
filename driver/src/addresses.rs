//! Names and addresses of the NICs of a daemon.

/// Name of a NIC.
pub fn name(nic: u32) -> String {
    format!("sim{nic}")
}

/// IPv4 address of a NIC, most significant byte first.
pub fn ip(nic: u32) -> [u8; 4] {
    [10, 0, 0, (nic + 1) as u8]
}

/// GID of a NIC: its IPv4 address, mapped.
pub fn gid(nic: u32) -> [u8; 16] {
    let mut gid = [0; 16];
    gid[10..12].fill(0xff);
    gid[12..].copy_from_slice(&ip(nic));
    gid
}

/// Ethernet address of a NIC: locally administered.
pub fn mac(nic: u32) -> [u8; 6] {
    [2, 0, 0, 0x51, 0, (nic + 1) as u8]
}

/// GUID of a NIC, most significant byte first.
pub fn guid(nic: u32) -> [u8; 8] {
    [2, 0, 0, 0x51, 0, 0, 0, (nic + 1) as u8]
}
