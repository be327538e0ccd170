"""stress-ng --verify: each stressor checks the results of its system calls.

Not as root, and with few processes: some stressors take all the resources that they can get, which
other users need, too."""
from common import Unit, as_nobody, need, sh

NOTE = "two processes of each, two seconds, by the user nobody"
STRESSORS = """
    pipe sock sockpair sockfd sockmany udp fifo pty splice sendfile tee vm-splice pipeherd ring-pipe
    fork vfork exec spawn clone daemon session wait zombie exit-group pthread pidfd
    futex mutex sem sem-sysv msg mq shm shm-sysv eventfd switch yield membarrier rseq
    poll epoll timer timerfd itimer alarm nanosleep sleep clock hrtimers
    sigq sigfd sigpipe sigchld sigio sigrt sigabrt sigtrap sigsegv sigfpe sigpending sigsuspend
    signal signest longjmp context
    aio io-uring flock lockf locka lockofd lease dnotify inotify dup fcntl
    userfaultfd mmap mprotect mremap fault seccomp getrandom urandom zero prctl get
    """.split()


def prepare(_):
    need("stress-ng", "stress-ng")
    return sh("stress-ng", "--version").split()[2].strip(",")


def results(name):
    def judge(text, _):
        if "skipping" in text or "No stress workers" in text:
            return {name: "skip"}
        return {name: "ok" if "successful run" in text and "fail:" not in text else "failed"}
    return judge


def units(_):
    for name in STRESSORS:
        command = as_nobody("--nproc=2000:2000") + ["stress-ng", f"--{name}", "2", "-t", "2", "--verify"]
        yield Unit(name, command, results(name), seconds=40, nobody=True)
