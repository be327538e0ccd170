"""What a shell offers when TAB is pressed. bash and zsh run on a terminal, with keys that insert
all completions at once and that write the line to a file."""
import os
import pty
import select
import signal
import tempfile
import time

INSERT, SHOW, CLEAR = "\x18i", "\x18p", "\x15"  # keys, as bound below
PROMPT = "ready>"

BASH = r"""
PS1='ready>' HISTFILE=
bind '"\C-xi": insert-completions'
bind -x '"\C-xp": printf "%s\n" "$READLINE_LINE" >$HOME/new; mv $HOME/new $HOME/line'
. SCRIPT
"""

ZSH = r"""
PS1='ready>' HISTFILE= fpath=(FOLDER $fpath)
unsetopt zle_bracketed_paste prompt_cr prompt_sp; unset zle_bracketed_paste
autoload -Uz compinit; compinit -u -D
zle -C every complete-word _generic
zstyle ':completion:every:*' completer _all_matches _complete
zstyle ':completion:every:*' insert true
bindkey -e; bindkey '^Xi' every
show() { print -r -- $BUFFER >$HOME/new; mv $HOME/new $HOME/line }
zle -N show; bindkey '^Xp' show; bindkey '^U' kill-whole-line
"""


class Shell:
    def __init__(self, command, rc_name, rc, folder):
        self.folder = folder
        self.home = tempfile.TemporaryDirectory(prefix="sampler-shell-")
        rc_path = os.path.join(self.home.name, rc_name)
        with open(rc_path, "w") as f:
            f.write(rc)
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", HOME=self.home.name, ZDOTDIR=self.home.name)
            os.execvp(command[0], [word.replace("RC", rc_path) for word in command])
        said, end = b"", time.time() + 30
        while PROMPT.encode() not in said:
            assert time.time() < end, said
            said += self.listen()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.terminal)
        os.waitpid(self.pid, 0)
        self.home.cleanup()

    def listen(self):
        ready, _, _ = select.select([self.terminal], [], [], 0.02)
        return os.read(self.terminal, 65536) if ready else b""

    def line(self, keys):
        """The text of the line after these keys."""
        path, said, end = os.path.join(self.home.name, "line"), b"", time.time() + 30
        os.write(self.terminal, (CLEAR + keys + SHOW).encode())
        while not os.path.exists(path):
            assert time.time() < end, (keys, said)
            said += self.listen()
        text = open(path).read()
        os.remove(path)
        return text[:-1]

    def offered(self, typed):
        """The completions of the last word that was typed."""
        head = typed[:len(typed) - len(typed.split(" ")[-1])]
        line = self.line(typed + INSERT)
        assert line.startswith(head), (typed, line)
        return set(line[len(head):].split()) - {typed[len(head):]}


def bash(script, folder):
    return Shell(["bash", "--noprofile", "--rcfile", "RC", "-i"], "rc",
                 BASH.replace("SCRIPT", script), folder)


def zsh(script, folder):
    return Shell(["zsh", "-i"], ".zshrc", ZSH.replace("FOLDER", os.path.dirname(script)), folder)
