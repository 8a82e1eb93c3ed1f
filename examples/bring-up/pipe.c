/* The functions that trace.c asks of a design, over a pipe: each access is a line on standard output, and its answer a line on standard
 * input. Whoever holds the other end has the NIC: a simulation, a debugger, a card. */
#include <stdio.h>
#include <stdlib.h>
#include "hpcc_nic.h"

int hpcc_bring_up(void);

static void answer(char *line, int size)
{
    fflush(stdout);
    if (!fgets(line, size, stdin))
        exit(2);
}

uint32_t hpcc_port_read(uint32_t offset)
{
    char line[64];
    printf("read 0x%03x\n", (unsigned)offset);
    answer(line, sizeof line);
    return (uint32_t)strtoul(line, NULL, 0);
}

void hpcc_port_write(uint32_t offset, uint32_t value)
{
    printf("write 0x%03x 0x%08x\n", (unsigned)offset, (unsigned)value);
}

void hpcc_port_work(const uint8_t word[HPCC_WORK_REQUEST_BYTES])
{
    unsigned at;
    printf("work ");
    for (at = 0; at < HPCC_WORK_REQUEST_BYTES; at++)
        printf("%02x", word[at]);
    printf("\n");
}

void hpcc_port_completion(uint8_t word[HPCC_COMPLETION_BYTES])
{
    char line[2 * HPCC_COMPLETION_BYTES + 2];
    unsigned at, byte;
    printf("completion\n");
    answer(line, sizeof line);
    for (at = 0; at < HPCC_COMPLETION_BYTES; at++) {
        if (sscanf(line + 2 * at, "%2x", &byte) != 1)
            exit(2);
        word[at] = (uint8_t)byte;
    }
}

int main(void)
{
    int stopped = hpcc_bring_up();
    printf("end %d\n", stopped);
    return stopped != 0;
}
