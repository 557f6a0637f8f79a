"""NVTX ranges. NVTX consists only of headers, so CUDA is not needed."""
import pathlib

from support import COMMAND, LIBRARY, ProgramTest, compile_program, need_part, run

HEADERS = pathlib.Path("/usr/local/cuda/include")


class Nvtx(ProgramTest):
    def setUp(self):
        if not (HEADERS / "nvtx3/nvToolsExt.h").exists():
            self.skipTest(f"no headers of NVTX in {HEADERS}")
        self.program = compile_program(
            "nvtx_ranges.c", link=["-ldl"],
            flags=("-O1", f"-I{HEADERS}", "-finstrument-functions-exclude-file-list=nvtx3/"))

    def check(self, result):
        self.assertEqual({path: calls for path, calls in result.calls().items() if calls}, {
            "main<init": 1,
            "whole<main<init": 1,
            "solve<whole<main<init": 1,
            "iteration<solve<whole<main<init": 3,
            "step<iteration<solve<whole<main<init": 3,
            "inner<iteration<solve<whole<main<init": 3,
            "step<inner<iteration<solve<whole<main<init": 3,
            "(unnamed range)<solve<whole<main<init": 1,
            "step<whole<main<init": 1,
            "step<main<init": 1,
            "open<main<init": 1,
            "step<open<main<init": 1})

    def test_ranges(self):
        self.check(self.profile(self.program, NVTX_INJECTION64_PATH=LIBRARY))

    def test_command(self):
        need_part("BUILD_TOOLS")
        self.check(run([COMMAND, "run", "--", self.program], preload=False))

    def test_switched_off(self):
        """The program runs as without a tool."""
        result = self.profile(self.program, NVTX_INJECTION64_PATH=LIBRARY, VFTR_CUDA_ACTIVE="no")
        self.assertNotIn("whole<main<init", result.calls())
        result = run([self.program], NVTX_INJECTION64_PATH=LIBRARY, VFTR_OFF="yes")
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "9 -2\n", ""))
