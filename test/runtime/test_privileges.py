"""Programs with more rights than their caller: setuid, setgid, capabilities. In such programs the
library may neither read nor write anything that the caller chooses."""
import ctypes
import os
import shutil
import struct
import subprocess
import sys

from mpi_support import LINKED, MPICH, OPEN_MPI, compile_mpi
from openmp_support import PROGRAMS as OPENMP_PROGRAMS
from support import (BUILD, LIBRARY, ProgramTest, clean_environment, compile_program,
                     scratch_folder)

USER = 65534  # nobody
ARCHIVE = (BUILD / "libvftrace.a", "-lelf", "-lm", "-ldl")


class Watch:
    """Reports whether one of the files has been opened (inotify(7))."""
    IN_OPEN = 0x20

    def __init__(self, *paths):
        libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        for path in paths:
            assert libc.inotify_add_watch(self.descriptor, os.fsencode(path), self.IN_OPEN) >= 0

    def opened(self):
        try:
            return bool(os.read(self.descriptor, 4096))
        except BlockingIOError:
            return False
        finally:
            os.close(self.descriptor)


def give_capability(path):
    """cap_net_bind_service, as setcap(8) does."""
    revision_2_effective, capability = 0x02000001, 1 << 10
    os.setxattr(path, "security.capability",
                struct.pack("<5I", revision_2_effective, capability, 0, 0, 0))


RIGHTS = {"setuid": lambda path: path.chmod(0o4755),
          "setgid": lambda path: path.chmod(0o2755),
          "capability": give_capability}


class MoreRights(ProgramTest):
    def setUp(self):
        if os.geteuid() != 0 or not sys.platform.startswith("linux"):
            self.skipTest("only root can give rights away")
        self.folder = scratch_folder()
        if os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest(f"{self.folder} is mounted nosuid")
        self.folder.chmod(0o755)
        self.here = self.folder / "here"  # owned by the caller
        self.here.mkdir()
        os.chown(self.here, USER, USER)
        self.temporary = scratch_folder()  # where MPI libraries leave files
        self.temporary.chmod(0o777)
        self.private = self.folder / "private"
        self.private.mkdir(mode=0o700)
        reachable = subprocess.run(["test", "-r", LIBRARY, "-a", "-x", self.folder], user=USER,
                                   group=USER, extra_groups=[])
        if reachable.returncode != 0:
            self.skipTest("another user cannot reach the build folder")

    def copy(self, program, rights=None):
        path = self.folder / f"{program.name}-{rights or 'plain'}"
        shutil.copy(program, path)
        path.chmod(0o755)
        try:
            if rights:
                RIGHTS[rights](path)
        except OSError as error:
            self.skipTest(f"{rights}: {error}")
        return path

    def start(self, command, **variables):
        """Runs it as the user. Returns the process, with its output."""
        process = subprocess.Popen(
            [str(part) for part in command], cwd=self.here, user=USER, group=USER, extra_groups=[],
            env=clean_environment(HOME=self.here, TMPDIR=self.temporary, **variables), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.out, process.err = process.communicate(timeout=60)
        return process

    def everything(self):
        """The files below the folder, with sizes."""
        return sorted((str(path), path.lstat().st_size) for path in self.folder.rglob("*"))

    def hostile_environment(self):
        secret = self.private / "secret"
        secret.write_text("the first line of a private file\n")
        command = self.here / "command"
        command.write_text(f"#!/bin/sh\necho >{self.here}/command-was-run\n")
        command.chmod(0o755)
        return secret, {
            "VFTR_OUTPUT_DIRECTORY": self.private, "VFTR_OUTFILE_BASENAME": "../escaped",
            "VFTR_CONFIG": secret, "VFTR_HWPROF_DEFAULT_SCENARIO": secret,
            "VFTR_TREE_FILE_DIRECTORY": self.here, "VFTR_TREE_FILE_RECOVER_COMMAND": command,
            "VFTR_SAMPLING_ACTIVE": "yes", "VFTR_STACK_SAMPLING_FREQUENCY": "1000",
            "VFTR_CUDA_LIBRARY": secret, "VFTR_NO_SUCH_OPTION": "1"}

    def check(self, program, arguments=(), rights="setuid", **variables):
        """The program with privileges behaves exactly as it does alone."""
        plain, privileged = self.copy(program), self.copy(program, rights)
        alone = self.start([plain, *arguments], VFTR_OFF="yes", **variables)
        expected = alone.out.replace("secure 0\n", 'secure 1\nstack ""\n')
        target = self.private / "target"
        for name in ("all.log", "all.json", "0.log", "0.vfd"):
            (self.here / f"{privileged.name}_{name}").symlink_to(target)
        secret, hostile = self.hostile_environment()
        for environment in ({}, hostile):
            with self.subTest(rights=rights, hostile=bool(environment)):
                before, watch = self.everything(), Watch(secret)
                process = self.start([privileged, *arguments], **variables, **environment)
                self.assertEqual((process.returncode, process.out, process.err),
                                 (alone.returncode, expected, alone.err))
                self.assertFalse(watch.opened(), f"{secret} was opened")
                self.assertEqual(self.everything(), before)
                self.assertFalse(target.exists())
                left = [name for folder in ("/tmp", "/dev/shm", self.temporary)
                        for name in os.listdir(folder)
                        if name.startswith("vftrace-") and f"-{process.pid}-" in name]
                self.assertEqual(left, [])

    def test_nothing_is_read_or_written(self):
        program = compile_program("rights_of_others.c")
        for rights in RIGHTS:
            self.check(program, rights=rights)

    def test_same_program_without_rights_is_profiled(self):
        # Shows that the other tests are meaningful: without privileges, the environment has an effect.
        program = self.copy(compile_program("rights_of_others.c"))
        secret, hostile = self.hostile_environment()
        process = self.start([program], **hostile)
        self.assertIn("vftrace:", process.err)
        process = self.start([program], VFTR_OUTFILE_BASENAME="there")
        self.assertTrue((self.here / "there_all.log").exists())

    def test_linked_statically(self):
        self.check(compile_program("rights_of_others.c", link=(*ARCHIVE, "-pthread")))

    def test_death(self):
        self.check(compile_program("rights_of_others.c"), ["die"])

    def test_exec(self):
        self.check(compile_program("rights_of_others.c"), ["exec"])

    def test_openmp(self):
        program = compile_program(OPENMP_PROGRAMS + "omp_reductions.c", ("-O1", "-fopenmp"),
                                  link=(f"-L{LIBRARY.parent}", "-lvftrace",
                                        f"-Wl,-rpath,{LIBRARY.parent}"))
        self.check(program)

    def check_mpi(self, family):
        program = compile_mpi(family, "collectives.c", how=LINKED)
        self.check(program, rights="capability", **family.environment)

    def test_open_mpi(self):
        self.check_mpi(OPEN_MPI)

    def test_mpich(self):
        self.check_mpi(MPICH)
