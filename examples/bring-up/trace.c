/* Made by `hpcc-nic registers --for examples/bring-up/nic.toml --as c --from-reset`. */
#include <string.h>
#include "hpcc_nic.h"

/* The design's own: registers by their byte offset, and the two streams. The completion waits until there is one. */
uint32_t hpcc_port_read(uint32_t offset);
void hpcc_port_write(uint32_t offset, uint32_t value);
void hpcc_port_work(const uint8_t word[HPCC_WORK_REQUEST_BYTES]);
void hpcc_port_completion(uint8_t word[HPCC_COMPLETION_BYTES]);

/* Carries out a command; 0, or why it was refused (enum hpcc_command_result). */
static inline int hpcc_command(enum hpcc_host_operation operation, uint32_t index, const uint8_t *body, unsigned bytes)
{
    uint32_t status;
    unsigned at;
    for (at = 0; at < bytes; at += 4)
        hpcc_port_write(HPCC_NIC_BODY0 + at, (uint32_t)hpcc_get(body, 8 * at, 32));
    hpcc_port_write(HPCC_NIC_COMMAND, (uint32_t)operation << HPCC_NIC_COMMAND_OPERATION_LSB | index << HPCC_NIC_COMMAND_INDEX_LSB);
    do
        status = hpcc_port_read(HPCC_NIC_STATUS);
    while (status >> HPCC_NIC_STATUS_BUSY_LSB & 1);
    /* done and error stay until they are cleared */
    hpcc_port_write(HPCC_NIC_STATUS, 1u << HPCC_NIC_STATUS_DONE_LSB | 1u << HPCC_NIC_STATUS_ERROR_LSB);
    if (status >> HPCC_NIC_STATUS_ERROR_LSB & 1)
        return (int)(status >> HPCC_NIC_STATUS_CODE_LSB & 7);
    return 0;
}

/* 0, or where it stopped: the number of the command or completion, from 1. */
int hpcc_bring_up(void)
{
    uint8_t word[64];
    /* until the NIC is ready */
    while ((hpcc_port_read(HPCC_NIC_STATUS) & 0x8u) != 0x8u)
        ;
    hpcc_port_write(HPCC_NIC_MAC_LO, 0xbu);
    hpcc_port_write(HPCC_NIC_MAC_HI, 0x200u);
    hpcc_port_write(HPCC_NIC_IP, 0xa00000bu);
    hpcc_port_write(HPCC_NIC_SCHED_PARAM_LO, 0x7cu);
    hpcc_port_write(HPCC_NIC_SCHED_PARAM_HI, 0);
    hpcc_port_write(HPCC_NIC_SCHED_PARAM_LO + 1 * HPCC_NIC_SCHED_PARAM_LO_STRIDE, 0x200u);
    hpcc_port_write(HPCC_NIC_SCHED_PARAM_HI + 1 * HPCC_NIC_SCHED_PARAM_HI_STRIDE, 0);
    hpcc_port_write(HPCC_NIC_SCHED_PARAM_LO + 2 * HPCC_NIC_SCHED_PARAM_LO_STRIDE, 0xf43u);
    hpcc_port_write(HPCC_NIC_SCHED_PARAM_HI + 2 * HPCC_NIC_SCHED_PARAM_HI_STRIDE, 0);
    hpcc_port_write(HPCC_NIC_SCHED_PARAM_LO + 3 * HPCC_NIC_SCHED_PARAM_LO_STRIDE, 7);
    hpcc_port_write(HPCC_NIC_SCHED_PARAM_HI + 3 * HPCC_NIC_SCHED_PARAM_HI_STRIDE, 0);
    /* neighbour 10.0.0.10 */
    memset(word, 0, sizeof word);
    hpcc_neighbour_set_ip(word, 0xa00000au);
    hpcc_neighbour_set_mac(word, 0x2000000000aull);
    if (hpcc_command(HPCC_HOST_OPERATION_WRITE_NEIGHBOUR, 0, word, HPCC_NEIGHBOUR_BYTES))
        return 1;
    /* memory region 0xdeadbeef */
    memset(word, 0, sizeof word);
    hpcc_region_set_valid(word, 1);
    hpcc_region_set_key(word, 0xdeadbeefu);
    hpcc_region_set_base(word, 0x10000u);
    hpcc_region_set_length(word, 0x1000u);
    hpcc_region_set_remote_write(word, 1);
    hpcc_region_set_remote_read(word, 1);
    if (hpcc_command(HPCC_HOST_OPERATION_WRITE_REGION, 0, word, HPCC_REGION_BYTES))
        return 2;
    /* queue pair 0x22 */
    memset(word, 0, sizeof word);
    hpcc_qp_context_set_remote_ip(word, 0xa00000au);
    hpcc_qp_context_set_remote_mac(word, 0x2000000000aull);
    hpcc_qp_context_set_remote_qpn(word, 0x11u);
    hpcc_qp_context_set_source_port(word, 0xc202u);
    hpcc_qp_context_set_mtu(word, 2);
    hpcc_qp_context_set_send_psn(word, 0x100u);
    hpcc_qp_context_set_expected_psn(word, 0x200u);
    hpcc_qp_context_set_local_qpn(word, 0x22u);
    if (hpcc_command(HPCC_HOST_OPERATION_CREATE_QP, 34, word, HPCC_QP_CONTEXT_BYTES))
        return 3;
    /* WRITE, id 0, queue pair 34, 1500 bytes from 0x10000 here to 0x20000 there */
    memset(word, 0, sizeof word);
    hpcc_work_request_set_qpn(word, 0x22u);
    hpcc_work_request_set_local_address(word, 0x10000u);
    hpcc_work_request_set_local_key(word, 0xdeadbeefu);
    hpcc_work_request_set_remote_address(word, 0x20000u);
    hpcc_work_request_set_remote_key(word, 0x1234u);
    hpcc_work_request_set_length(word, 0x5dcu);
    hpcc_port_work(word);
    hpcc_port_completion(word);
    if (hpcc_completion_id(word) != 0 || hpcc_completion_status(word) != HPCC_COMPLETION_STATUS_OK)
        return 4;
    /* READ, id 1, queue pair 34, 1500 bytes to 0x10800 here from 0x20000 there */
    memset(word, 0, sizeof word);
    hpcc_work_request_set_id(word, 1);
    hpcc_work_request_set_qpn(word, 0x22u);
    hpcc_work_request_set_operation(word, 1);
    hpcc_work_request_set_local_address(word, 0x10800u);
    hpcc_work_request_set_local_key(word, 0xdeadbeefu);
    hpcc_work_request_set_remote_address(word, 0x20000u);
    hpcc_work_request_set_remote_key(word, 0x1234u);
    hpcc_work_request_set_length(word, 0x5dcu);
    hpcc_port_work(word);
    hpcc_port_completion(word);
    if (hpcc_completion_id(word) != 1 || hpcc_completion_status(word) != HPCC_COMPLETION_STATUS_OK)
        return 5;
    return 0;
}
