"""Spack's recipe for vftrace. It belongs in packages/vftrace/package.py, next to the repo.yaml of a repository of recipes, which
`spack repo create` makes and `spack repo add` adds. Then run `spack install vftrace`.
"""
from spack.package import *

try:
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage  # Spack 1.0 and later
except ImportError:
    pass


class Vftrace(AutotoolsPackage):
    """Profiler for C, C++ and Fortran programs for high-performance computing: functions, MPI, OpenMP, CUDA and
    tasks by call path, thread and rank, and traces. One library serves all MPIs."""

    license("BSD-3-Clause")

    # No release has been published yet, so there is neither a place to download one from nor a checksum.
    # Until then, use `spack dev-build vftrace@3.0.0` in an unpacked release tarball, or `spack install
    # --no-checksum` with your own url.
    version("3.0.0")

    variant("fortran", default=True, description="Fortran module")
    variant("model", default=True, description="vftrace model, which needs Eigen")
    variant("top", default=True, description="vftrace top in a terminal, which needs ncurses")
    variant("otf2", default=False, description="vftrace export to OTF2")
    variant("perfetto", default=True, description="vftrace export to Perfetto and pprof, which needs protozero")
    variant("parameters", default=False, description="vftrace-taint-cc, which needs LLVM 19")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("gmake", type="build")
    depends_on("elfutils")
    depends_on("cli11", type="build")
    depends_on("rapidjson", type="build")
    depends_on("fmt")
    depends_on("zlib-api")
    # Opened at run time: stacks of sampled programs on processors other than x86-64, formulas of hardware
    # counters.
    depends_on("libunwind")
    depends_on("muparser")
    depends_on("eigen@3", type="build", when="+model")
    depends_on("ncurses", when="+top")
    depends_on("otf2", when="+otf2")
    depends_on("protozero", type="build", when="+perfetto")
    depends_on("llvm@19: +clang compiler-rt=runtime", when="+parameters")

    requires("target=x86_64:", "target=aarch64:", policy="one_of")
    requires("platform=linux")
    conflicts("%gcc@:11", msg="a C++20 compiler is needed: gcc 12 or later")
    conflicts("%clang@:13", msg="a C++20 compiler is needed: clang 14 or later")
    conflicts("+parameters", when="target=aarch64:")

    build_directory = "spack-build"

    def configure_args(self):
        args = ["--enable-tools", "--with-libdw", "--with-libunwind", *self.enable_or_disable("fortran")]
        args += self.with_or_without("ncurses", variant="top")
        if self.spec.satisfies("+model"):
            args.append(f"--with-eigen={self.spec['eigen'].prefix.include.eigen3}")
        else:
            args.append("--without-eigen")
        if self.spec.satisfies("+parameters"):
            args.append(f"--with-llvm={self.spec['llvm'].prefix.bin.join('llvm-config')}")
        else:
            args.append("--without-llvm")
        return args

    def setup_run_environment(self, env):
        env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib)
