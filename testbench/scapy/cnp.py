"""A congestion notification packet as scapy makes it: IPv4 packet in hexadecimal digits.

Arguments: source and destination address, UDP source port, queue pair of the destination.
"""

import sys

from scapy.contrib.roce import cnp
from scapy.layers.inet import IP, UDP

source, destination, port, queue_pair = sys.argv[1:]
ip = IP(src=source, dst=destination, tos=0xC0, id=0, flags="DF", ttl=64)
packet = ip / UDP(sport=int(port), dport=4791, chksum=0) / cnp(dqpn=int(queue_pair))
print(bytes(packet).hex())
