# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of our own on loopback, in a folder of its own, for tests."""
import glob
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ADMIN = "admin"
# initdb refuses root; any other user serves.
UNPRIVILEGED = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []


def programs():
    """The folder of the newest server's programs; None: none is installed."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"), key=lambda path: int(path.split("/")[4]))
    if found:
        return os.path.dirname(found[-1])
    postgres = shutil.which("postgres")
    return postgres and os.path.dirname(os.path.realpath(postgres))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Postgres:
    def __init__(self, settings=()):
        self.bin, self.port, self.process = programs(), free_port(), None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="culprit-postgres-"))
        # Nobody else's files: the server's user owns the folder.
        self.data = self.folder / "data"
        if UNPRIVILEGED:
            os.chown(self.folder, 65534, 65534)
        self._run("initdb", "--pgdata", self.data, "--username", ADMIN, "--auth", "trust", "--encoding", "UTF8",
                  "--locale", "C", "--no-sync")
        # Who is named "keyed" needs a password.
        hba = self.data / "pg_hba.conf"
        hba.write_text("host all keyed 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n")
        self.settings = ["fsync=off", "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=60",
                         f"port={self.port}", *settings]
        self.start()

    def _run(self, program, *words):
        ran = subprocess.run([*UNPRIVILEGED, os.path.join(self.bin, program), *map(str, words)], cwd=self.folder,
                             capture_output=True, text=True, env={**os.environ, "HOME": str(self.folder)})
        if ran.returncode != 0:
            raise RuntimeError(f"{program}: {ran.stderr}")

    def start(self):
        words = [word for setting in self.settings for word in ("-c", setting)]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen([*UNPRIVILEGED, os.path.join(self.bin, "postgres"), "-D", str(self.data), *words],
                                            cwd=self.folder, stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + 60
        while subprocess.run([os.path.join(self.bin, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError(f"the server did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def kill(self):
        """As a power failure, but of the server alone; start() recovers it."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        # Its children end when they see that it is gone; a new one waits for that by itself.
        deadline = time.monotonic() + 30
        while self.shared_memory_in_use() and time.monotonic() < deadline:
            time.sleep(0.02)

    def shared_memory_in_use(self):
        for status in glob.glob("/proc/[0-9]*/cwd"):
            try:
                if os.readlink(status).startswith(str(self.data)):
                    return True
            except OSError:
                pass
        return False

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(timeout=30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def uri(self, database="culprit", user=ADMIN):
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def sql(self, text, database="culprit", user=ADMIN):
        """Rows as lists of text, by psql."""
        ran = subprocess.run([os.path.join(self.bin, "psql"), self.uri(database, user), "-XAtq", "-F", "\x1f", "-v",
                              "ON_ERROR_STOP=1", "-c", text], capture_output=True, text=True)
        if ran.returncode != 0:
            raise RuntimeError(ran.stderr)
        return [line.split("\x1f") for line in ran.stdout.splitlines()]

    def create(self, database="culprit"):
        self.sql(f"CREATE DATABASE {database} ENCODING 'UTF8' TEMPLATE template0", "postgres")
