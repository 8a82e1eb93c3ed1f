//! Sizes and offsets of the structures against the header that programs are compiled with.

use crate::abi::*;
use core::mem::offset_of;
use std::fmt::Write;
use std::process::Command;

/// Lines of `structure[.member] number`, from Rust and as C that prints them.
fn expected() -> (String, String) {
    let (mut rust, mut c) = (String::new(), String::new());
    macro_rules! check {
        ($($type:ident $name:literal [$($member:ident $(. $inner:ident)* $(as $c_member:literal)?),*];)*) => {$(
            let size = size_of::<$type>();
            writeln!(rust, "{} {size}", $name).unwrap();
            writeln!(c, "printf(\"{0} %zu\\n\", sizeof(struct {0}));", $name).unwrap();
            $(
                let at = offset_of!($type, $member $(. $inner)*);
                #[allow(unused_mut, unused_assignments)]
                let mut member = stringify!($member $(. $inner)*).replace(' ', "");
                $(member = $c_member.to_string();)?
                writeln!(rust, "{}.{member} {at}", $name).unwrap();
                writeln!(c, "printf(\"{0}.{member} %zu\\n\", offsetof(struct {0}, {member}));", $name).unwrap();
            )*
        )*};
    }
    check! {
        Device "ibv_device" [node_type, transport_type, name, dev_name, dev_path, ibdev_path];
        ContextOps "ibv_context_ops" [alloc_mw, poll_cq, req_notify_cq, post_srq_recv, post_send, post_recv];
        Context "ibv_context" [device, ops, cmd_fd, async_fd, num_comp_vectors, mutex, abi_compat];
        VerbsContext "verbs_context" [query_port, query_rt_values, create_cq_ex, private as "priv", query_device_ex,
            create_qp_ex, size as "sz", context];
        Pd "ibv_pd" [context, handle];
        Mr "ibv_mr" [context, pd, addr, length, handle, lkey, rkey];
        CompChannel "ibv_comp_channel" [context, fd, refcnt];
        Cq "ibv_cq" [context, channel, cq_context, handle, cqe, mutex, cond, comp_events_completed, async_events_completed];
        CqEx "ibv_cq_ex" [comp_mask, status, wr_id, start_poll, next_poll, end_poll, read_opcode, read_vendor_err,
            read_byte_len, read_imm_data, read_qp_num, read_src_qp, read_wc_flags, read_slid, read_sl,
            read_dlid_path_bits, read_completion_ts, read_cvlan, read_flow_tag, read_tm_info, read_completion_wallclock_ns];
        Qp "ibv_qp" [context, qp_context, pd, send_cq, recv_cq, srq, handle, qp_num, state, qp_type, mutex, cond,
            events_completed];
        QpEx "ibv_qp_ex" [comp_mask, wr_id, wr_flags, wr_atomic_cmp_swp, wr_atomic_fetch_add, wr_bind_mw, wr_local_inv,
            wr_rdma_read, wr_rdma_write, wr_rdma_write_imm, wr_send, wr_send_imm, wr_send_inv, wr_send_tso, wr_set_ud_addr,
            wr_set_xrc_srqn, wr_set_inline_data, wr_set_inline_data_list, wr_set_sge, wr_set_sge_list, wr_start, wr_complete,
            wr_abort, wr_atomic_write];
        AsyncEvent "ibv_async_event" [element, event_type];
        Sge "ibv_sge" [addr, length, lkey];
        SendWr "ibv_send_wr" [wr_id, next, sg_list, num_sge, opcode, send_flags, imm_data, wr.rdma.remote_addr, wr.rdma.rkey,
            wr.atomic.compare_add, wr.atomic.swap, wr.atomic.rkey, remote_srqn as "qp_type"];
        RecvWr "ibv_recv_wr" [wr_id, next, sg_list, num_sge];
        Wc "ibv_wc" [wr_id, status, opcode, vendor_err, byte_len, imm_data, qp_num, src_qp, wc_flags, pkey_index, slid, sl,
            dlid_path_bits];
        PollCqAttr "ibv_poll_cq_attr" [comp_mask];
        DataBuf "ibv_data_buf" [addr, length];
        DeviceAttr "ibv_device_attr" [fw_ver, node_guid, sys_image_guid, max_mr_size, page_size_cap, vendor_id,
            vendor_part_id, hw_ver, max_qp, max_qp_wr, device_cap_flags, max_sge, max_sge_rd, max_cq, max_cqe, max_mr, max_pd,
            max_qp_rd_atom, max_res_rd_atom, max_qp_init_rd_atom, atomic_cap, max_ee, max_srq_sge, max_pkeys,
            local_ca_ack_delay, phys_port_cnt];
        DeviceAttrEx "ibv_device_attr_ex" [comp_mask, odp_caps, completion_timestamp_mask, hca_core_clock,
            device_cap_flags_ex, tso_caps, rss_caps, max_wq_type_rq, packet_pacing_caps, raw_packet_caps, tm_caps,
            cq_mod_caps, max_dm_size, pci_atomic_caps, xrc_odp_caps, phys_port_cnt_ex];
        QueryDeviceExInput "ibv_query_device_ex_input" [comp_mask];
        PortAttr "ibv_port_attr" [state, max_mtu, active_mtu, gid_tbl_len, port_cap_flags, max_msg_sz, pkey_tbl_len, lid,
            max_vl_num, active_width, active_speed, phys_state, link_layer, flags, port_cap_flags2];
        GidEntry "ibv_gid_entry" [gid, gid_index, port_num, gid_type, ndev_ifindex];
        ValuesEx "ibv_values_ex" [comp_mask, raw_clock];
        CqInitAttrEx "ibv_cq_init_attr_ex" [cqe, cq_context, channel, comp_vector, wc_flags, comp_mask, flags, parent_domain];
        QpCap "ibv_qp_cap" [max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline_data];
        QpInitAttr "ibv_qp_init_attr" [qp_context, send_cq, recv_cq, srq, cap, qp_type, sq_sig_all];
        QpInitAttrEx "ibv_qp_init_attr_ex" [comp_mask, pd, xrcd, create_flags, max_tso_header, rwq_ind_tbl, rx_hash_conf,
            source_qpn, send_ops_flags];
        GlobalRoute "ibv_global_route" [dgid, flow_label, sgid_index, hop_limit, traffic_class];
        AhAttr "ibv_ah_attr" [grh, dlid, sl, src_path_bits, static_rate, is_global, port_num];
        QpAttr "ibv_qp_attr" [qp_state, cur_qp_state, path_mtu, path_mig_state, qkey, rq_psn, sq_psn, dest_qp_num,
            qp_access_flags, cap, ah_attr, alt_ah_attr, pkey_index, en_sqd_async_notify, max_rd_atomic, max_dest_rd_atomic,
            min_rnr_timer, port_num, timeout, retry_cnt, rnr_retry, rate_limit];
    }
    let c = format!(
        "#include <infiniband/verbs.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{{\n{c}return 0;\n}}\n"
    );
    (rust, c)
}

#[test]
fn structures_are_as_the_header_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let [source, program] = ["abi.c", "abi"].map(|name| folder.path().join(name));
    let (rust, c) = expected();
    std::fs::write(&source, c).unwrap();
    let header = std::path::Path::new("/usr/include/infiniband/verbs.h");
    if !header.exists() {
        println!("NOT RUN: structures_are_as_the_header_has_them needs libibverbs-dev");
        return;
    }
    let compiled = Command::new("cc")
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let printed = Command::new(&program).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    for (ours, theirs) in rust.lines().zip(printed.lines()) {
        assert_eq!(ours, theirs, "ours first, the header's second");
    }
    assert_eq!(rust.lines().count(), printed.lines().count());
}
