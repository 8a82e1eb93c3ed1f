"""Compares the ICRC of every RoCEv2 frame of a capture with the one that scapy computes.

Usage: icrc.py CAPTURE PORT [PORT ...]

PORT: UDP destination ports that carry a BTH right behind UDP. Prints how many frames were compared; exit code 1 at the first
frame that differs, or if there is none to compare.
"""

import sys

from scapy.contrib.roce import BTH
from scapy.layers.inet import UDP
from scapy.layers.l2 import Ether
from scapy.packet import bind_layers
from scapy.utils import RawPcapReader


def main(capture, ports):
    for port in ports:
        bind_layers(UDP, BTH, dport=int(port))
    compared = 0
    for number, (raw, _) in enumerate(RawPcapReader(capture), 1):
        packet = Ether(raw)
        if BTH not in packet:
            print(f"frame {number}: scapy finds no BTH")
            return 1
        # scapy fills in what is None when it builds the packet again.
        packet[BTH].icrc = None
        built = bytes(packet)
        if built != raw:
            at = next((i for i, pair in enumerate(zip(raw, built)) if pair[0] != pair[1]), min(len(raw), len(built)))
            print(f"frame {number}, byte {at} of {len(raw)}: ours {raw[at:at + 4].hex()}, scapy {built[at:at + 4].hex()}")
            return 1
        compared += 1
    print(f"{compared} frames")
    return 0 if compared else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
