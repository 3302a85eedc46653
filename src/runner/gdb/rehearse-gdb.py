# Commands for gdb that know the actors of a test program under rehearse:
#
#     info rh-actors     every actor: what it does, where it waits, what is in its mailbox
#     rh-actor N         switches to the stack of actor N (or of that name), which waits, and shows its backtrace;
#                        without N: back
#     rh-back            goes back by an event               (replay --gdb)
#     rh-forward         makes the next event                (replay --gdb)
#     rh-choose N        takes another open choice           (replay --gdb)
#     rh-look            where the run stands                (replay --gdb)
#     rh-next-event      goes on to the first line of the handler of the next event
#
# and pretty printers: an rh_ref is shown as the actor's name.  `rehearse replay --gdb` loads it; in a session of your
# own: (gdb) source <prefix>/share/rehearse/rehearse-gdb.py
#
# The stack of an actor is read as src/world/switch.c leaves it (x86-64); the tables are those of src/world/state.h.
import os
import signal

import gdb

REF_BASE = 0x7265660000000001
NONE = 0xFFFFFFFF
STATUS = ["is idle", "runs", "waits", "sleeps", "waits for its writes", "chooses a value", "is about to go on", "has ended",
          "has crashed", "is outside"]
IDLE, RUNNING, WAITING, SLEEPING, SYNCING, CHOOSING, PREEMPTED, ENDED, CRASHED, OUTSIDE = range(10)
SAVED = ["r15", "r14", "r13", "r12", "rbx", "rbp"]  # in the order of switch.c
ALL = SAVED + ["rsp", "rip"]
before = None  # registers before rh-actor


def world():
    try:
        w = gdb.parse_and_eval("rh__world")
        begun = int(w) != 0
    except gdb.error:
        raise gdb.GdbError("there is no rehearse world here: the program does not run, or was built without -g")
    if not begun:
        raise gdb.GdbError("the world has not begun yet")
    return w


def text(pointer):
    return pointer.string(errors="replace") if int(pointer) else ""


def actor_count(w):
    return int(w["actor_count"])


def actor_name(w, i):
    a = w["actors"][i]
    if i == 0:
        return "test"
    if int(a["status"]) == OUTSIDE:
        return text((w["payload"] + int(a["initial"])).cast(gdb.lookup_type("char").pointer()))
    name = "%s#%d" % (text(a["type"]["name"]), int(a["ordinal"]))
    parent = int(a["parent"])
    return name if parent in (0, NONE) else actor_name(w, parent) + "/" + name


def mailbox(w, i):
    found = []
    c = int(w["actors"][i]["channels"])
    while c != NONE:
        channel = w["channels"][c]
        m = int(channel["first"])
        while m != NONE:
            message = w["messages"][m]
            found.append("%s from %s" % (text(message["type"]["name"]), actor_name(w, int(message["seen_as"]))))
            m = int(message["next"])
        c = int(channel["next"])
    return found


class InfoActors(gdb.Command):
    """The actors of the run: what each does, where it waits, and its mailbox."""

    def __init__(self):
        super().__init__("info rh-actors", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        w = world()
        current = int(w["current"]) if bool(w["inside"]) else NONE
        for i in range(actor_count(w)):
            a = w["actors"][i]
            status = int(a["status"])
            line = "%s %3d  %-24s %s" % ("*" if i == current else " ", i, actor_name(w, i),
                                         "runs" if i == current else STATUS[status])
            if status in (WAITING, SLEEPING, SYNCING, CHOOSING, PREEMPTED) and int(a["place"]):
                line += " at %s" % text(a["place"])
            waiting = mailbox(w, i)
            if waiting:
                line += "; mailbox: " + ", ".join(waiting[:8]) + (", ..." if len(waiting) > 8 else "")
            print(line)


def restore():
    global before
    if before:
        gdb.execute("frame 0", to_string=True)
        for name, value in before.items():
            gdb.execute("set $%s = %d" % (name, value), to_string=True)
        before = None


def actor_of(w, argument):
    """The index of an actor by its number (an expression) or its name."""
    names = [actor_name(w, i) for i in range(actor_count(w))]
    if argument in names:
        return names.index(argument)
    try:
        i = int(gdb.parse_and_eval(argument))
    except (gdb.error, ValueError):
        raise gdb.GdbError("there is no actor %s: `info rh-actors` lists them" % argument)
    if i < 0 or i >= len(names):
        raise gdb.GdbError("there are actors 0 to %d" % (len(names) - 1))
    return i


class Actor(gdb.Command):
    """rh-actor N, or rh-actor NAME: the stack of actor N, which waits; its frames can be looked at.  rh-actor: back to where gdb stopped."""

    def __init__(self):
        super().__init__("rh-actor", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        global before
        restore()
        if not argument:
            return
        w = world()
        i = actor_of(w, argument)
        a = w["actors"][i]
        if i == int(w["current"]) and bool(w["inside"]):
            gdb.execute("backtrace")
            return
        if int(a["stack"]) == NONE:
            raise gdb.GdbError("%s %s: it has no stack" % (actor_name(w, i), STATUS[int(a["status"])]))
        gdb.execute("frame 0", to_string=True)
        frame = gdb.selected_frame()
        before = {name: int(frame.read_register(name)) & (1 << 64) - 1 for name in ALL}
        at = int(a["context"])
        words = gdb.selected_inferior().read_memory(at, 8 * (len(SAVED) + 1)).tobytes()
        values = [int.from_bytes(words[8 * k:8 * k + 8], "little") for k in range(len(SAVED) + 1)]
        for name, value in zip(SAVED, values):
            gdb.execute("set $%s = %d" % (name, value), to_string=True)
        gdb.execute("set $rsp = %d" % (at + 8 * (len(SAVED) + 1)), to_string=True)
        gdb.execute("set $rip = %d" % values[-1], to_string=True)
        print("%s %s%s" % (actor_name(w, i), STATUS[int(a["status"])], " at " + text(a["place"]) if int(a["place"]) else ""))
        gdb.execute("backtrace")


class Stepping(gdb.Command):
    def __init__(self, name, call, doc):
        self.__doc__ = doc
        self.call = call
        super().__init__(name, gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        restore()
        if self.call != "rh_step_look" and bool(world()["inside"]):
            raise gdb.GdbError("the run is inside a handler: `continue`, rh-next-event or rh-back lead out of it")
        gdb.execute("call (void)%s(%s)" % (self.call, argument), to_string=False)


def program_frame(frame):
    """The innermost frame that is the program's own."""
    while frame and frame.is_valid():
        name = frame.name() or ""
        library = name.startswith(("rh_", "rh__", "seam_", "noting_")) and not name.startswith(("rh_on_", "rh_body_of_", "rh_test_body_"))
        sal = frame.find_sal()
        path = sal.symtab.filename if sal and sal.symtab else ""
        if path and not library and "/src/world/" not in "/" + path and "/src/actor/" not in "/" + path:
            return frame
        frame = frame.older()
    return None


def symbol_at(address):
    """The function that begins at an address."""
    found = gdb.execute("info symbol %d" % int(address), to_string=True)
    return found.split()[0] if " in section" in found else None


def place_of(address, macro, function):
    """Where to stop: in the program's function, or if it was inlined in the one that the macro has made for it."""
    name = symbol_at(address)
    own = name.replace(macro, function, 1) if name else None
    try:
        found = gdb.execute("info address %s" % own, to_string=True) if own else ""
    except gdb.error:
        found = ""
    return own if "function at address" in found else "*%d" % int(address)


def code_of(w, choice):
    """The program's function that a choice runs from its beginning: a handler, or the body of a process."""
    deliver = int(gdb.parse_and_eval("(int)RH_CHOICE_DELIVER"))
    actor = w["actors"][int(choice["actor"])]
    if int(choice["kind"]) != deliver or int(actor["status"]) != IDLE:
        return None
    if int(actor["type"]["body"]):
        return place_of(actor["type"]["body"], "rh_run_", "rh_body_of_")
    kind = w["messages"][int(choice["what"])]["type"]
    behaviour = actor["behaviour"]
    for k in range(int(behaviour["entry_count"])):
        entry = behaviour["entries"][k]
        if int(entry["type"]) == int(kind) and int(entry["call"]):
            return place_of(entry["call"], "rh_call_", "rh_on_")
    return None


def behind_wait(w, number):
    """Where an actor that waits goes on in the program's own code; 0: not known."""
    if number == NONE or int(w["actors"][number]["stack"]) == NONE:
        return 0
    gdb.execute("rh-actor %d" % number, to_string=True)
    frame = program_frame(gdb.newest_frame())
    pc = frame.pc() if frame else 0
    restore()
    return pc


class NextEvent(gdb.Command):
    """Goes on to the first line of the handler of the next event.  `continue` goes on to the failure from there."""

    def __init__(self):
        super().__init__("rh-next-event", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        restore()
        world()
        gdb.execute("tbreak rh_world_step", to_string=True)
        gdb.execute("continue", to_string=True)
        w = world()
        try:
            choice = gdb.parse_and_eval("*choice")
        except gdb.error:
            raise gdb.GdbError("the library was built without -g: the next event is not known")
        function = code_of(w, choice)
        pc = 0 if function else behind_wait(w, int(choice["actor"]))
        if not function and not pc:
            print("the next event runs no code of an actor")
            return
        gdb.execute("tbreak %s" % (function or "*%d" % pc), to_string=True)
        gdb.execute("continue")


def end_parent(pid):
    """The process that waits for the run would tell a story of it, although it is about to be made again."""
    try:
        with open("/proc/%d/stat" % pid) as stat:
            parent = int(stat.read().rsplit(")", 1)[1].split()[1])
        if os.readlink("/proc/%d/exe" % parent) == os.readlink("/proc/%d/exe" % pid):
            os.kill(parent, signal.SIGKILL)
    except (OSError, ValueError, IndexError):
        pass


class Back(gdb.Command):
    """Goes back by an event: to the handler of the event before.  Where the run stands between two events it is taken back;
inside a handler the run is made again up to there."""

    def __init__(self):
        super().__init__("rh-back", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        restore()
        w = world()
        if not bool(w["inside"]):
            gdb.execute("call (void)rh_step_back()")
            return
        event = int(w["event_count"]) - 1
        if event <= 1:
            raise gdb.GdbError("this is the first event")
        for inferior in gdb.inferiors():  # the run is made in a child process
            if inferior.pid:
                end_parent(inferior.pid)
                gdb.execute("kill inferiors %d" % inferior.num, to_string=True)
        gdb.execute("inferior 1", to_string=True)
        shown = gdb.execute("show args", to_string=True)
        words = shown[shown.index('"') + 1:shown.rindex('"')].split()
        if "--step" not in words:
            raise gdb.GdbError("rh-back makes the run again inside `replay --gdb` only")
        words[words.index("--step") + 1] = str(event - 1)
        gdb.execute("set args " + " ".join(words))
        gdb.execute("set confirm off", to_string=True)
        gdb.execute("run", to_string=True)
        gdb.execute("rh-next-event")


class Failure(gdb.Breakpoint):
    """Stops where the run fails, in the frame of the program."""

    def stop(self):
        return True


def watch_failures():
    for function in ("rh__fail", "rh__fail_inside", "rh__misuse"):
        try:
            Failure(function, internal=True)
        except (gdb.error, RuntimeError):
            pass


def on_stop(event):
    stopped_by = getattr(event, "breakpoints", [])
    if any(isinstance(b, Failure) for b in stopped_by):
        frame = program_frame(gdb.newest_frame())
        print("rehearse: the run fails here")
        if frame:
            frame.select()
            gdb.execute("frame")


class RefPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        ident = int(self.value["id"])
        if not ident:
            return "nobody"
        try:
            w = world()
            i = ident - REF_BASE
            return actor_name(w, i) if 0 <= i < actor_count(w) else "rh_ref(%#x)" % ident
        except gdb.GdbError:
            return "rh_ref(%#x)" % ident


class EnvelopePrinter:
    """A received message: its type, its sender, and its fields."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        kind = self.value["type"]
        if not int(kind):
            return "no message"
        name = text(kind["name"])
        fields = ""
        try:
            fields = str(self.value["value"].cast(gdb.lookup_type("struct " + name).pointer()).dereference())
        except gdb.error:
            pass
        return "%s %s from %s" % (name, fields, RefPrinter(self.value["sender"]).to_string())


def look_up(value):
    tag = value.type.strip_typedefs().tag
    if tag == "rh_ref":
        return RefPrinter(value)
    if tag == "rh_envelope":
        return EnvelopePrinter(value)
    return None


class State(gdb.Function):
    """$rh_state(N): the state of actor N, as its own struct.  print $rh_state(1)"""

    def __init__(self):
        super().__init__("rh_state")

    def invoke(self, number):
        w = world()
        a = w["actors"][int(number)]
        kind = gdb.lookup_type("struct " + text(a["type"]["name"]))
        return a["region"].cast(kind.pointer()).dereference()


class Message(gdb.Function):
    """$rh_message(N): message N of the run, as its own struct.  print $rh_message(3)"""

    def __init__(self):
        super().__init__("rh_message")

    def invoke(self, number):
        w = world()
        m = w["messages"][int(number)]
        kind = gdb.lookup_type("struct " + text(m["type"]["name"]))
        return (w["payload"] + int(m["payload"])).cast(kind.pointer()).dereference()


gdb.pretty_printers.append(look_up)
gdb.events.stop.connect(on_stop)
watch_failures()
InfoActors()
Actor()
NextEvent()
Back()
Stepping("rh-forward", "rh_step_forward", "Makes the next event of the run.")
Stepping("rh-choose", "rh_step_choose", "rh-choose N: takes open choice N instead of the one of the schedule.")
Stepping("rh-look", "rh_step_look", "Actors, messages and open choices.")
State()
Message()
for hooked in ("continue", "step", "next", "finish", "stepi", "nexti", "until", "advance", "detach"):
    gdb.execute("define hook-%s\npython restore()\nend" % hooked, to_string=True)
