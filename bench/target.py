#!/usr/bin/env python3
"""Tables after the TAP paper (Table 2 and Table 3) over programs with bitcode: bench/target.py BUILD [TARGETS] [SECONDS].

Table 2: size of the message flow graph, with and without its optimisations, and the time that it takes.
Table 3: TARGETS blocks, drawn with a fixed seed and spread by the size of the programs, each with SECONDS of processor
time on average: which are reached, proved unreachable, or not found, for the search with each of its settings, for the
concrete stage alone, and for all stages together.  The paper's figures stand beside."""
import json, os, random, re, resource, subprocess, sys, tempfile

build = os.path.abspath(sys.argv[1])
targets = int(sys.argv[2]) if len(sys.argv) > 2 else 200
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
rehearse = os.path.join(build, "bin", "rehearse")
examples = os.path.join(build, "examples")
SETTINGS = [  # name, options, the paper's coverage in percent
    ("random", ["--stages", "search", "--search", "alone"], 41),
    ("h1", ["--stages", "search", "--search", "h1,alone"], 49),
    ("h2", ["--stages", "search", "--search", "h2,alone"], 54),
    ("h1+h2", ["--stages", "search", "--search", "h1,h2,alone"], 65),
    ("h1+h2+feedback", ["--stages", "search", "--search", "h1,h2,feedback,alone"], 78),
    ("and snapshots", ["--stages", "search", "--search", "h1,h2,feedback,snapshots,alone"], None),
    ("concrete alone", ["--stages", "concrete"], None),
    ("everything", [], None),
]


def spent():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def run(words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def programs():
    for name in sorted(os.listdir(examples)):
        if name.endswith("-bitcode"):
            path = os.path.join(examples, name)
            tests = re.findall(r"^  (\S+) .*model=", run([path, "list"]).stdout.split("parameters")[0], re.M)
            if tests:  # the last one is open to the outside, where a program has such a test
                yield name[:-8], path, tests[-1]


def table2(all_programs):
    print("Table 2: message flow graphs\n")
    print("| program | nodes | edges | labels | edges, merged | seconds |\n|---|---|---|---|---|---|")
    for name, path, test in all_programs:
        began = spent()
        one = json.loads(run([rehearse, "graph", path, test, "--json", "-"]).stdout)
        took = spent() - began
        two = json.loads(run([rehearse, "graph", path, test, "--json", "-", "--merged"]).stdout)
        edges = {(e["kind"], e["from"], e["to"]) for e in one["edges"]}
        merged = {(e["kind"], e["from"], e["to"], e.get("message")) for e in two["edges"]}
        print(f"| {name} | {len(one['nodes'])} | {len(edges)} | {len(one['edges'])} | {len(merged)} | {took:.2f} |", flush=True)


def choose(all_programs):
    """Blocks by their lines: `--uncovered` numbers them; a sample of each program by its size."""
    goals = {}
    for name, path, test in all_programs:
        with tempfile.NamedTemporaryFile() as f:
            run([rehearse, "target", path, test, "--uncovered", "--stages", "none", "--seconds", "0.1", "--json", f.name])
            text = open(f.name).read()
        goals[name] = [g["blocks"][0] for g in json.loads(text)["goals"]] if text else []
    total = sum(map(len, goals.values())) or 1
    draw = random.Random(2018)
    return {n: set(draw.sample(b, min(len(b), max(1, round(targets * len(b) / total))))) for n, b in goals.items() if b}


def tell_causes(found):
    """Why targets were not found, by the text of the reason."""
    for setting, causes in found.items():
        print(f"\nNot found by {setting}:", flush=True)
        for cause, n in sorted(causes.items(), key=lambda x: -x[1]):
            print(f"- {n}: {cause}")


def table3(all_programs):
    chosen = choose(all_programs)
    count = sum(map(len, chosen.values()))
    print(f"\nTable 3: {count} blocks of {len(chosen)} programs, {seconds} s each\n")
    print("| setting | reached | unreachable | not found | reached of those that are not unreachable | seconds a target | 95 % below | the paper |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    results, causes = {}, {}
    for setting, options, paper in reversed(SETTINGS):
        reached = unreachable = missed = 0
        times = []
        began = spent()
        for name, path, test in all_programs:
            blocks = sorted(chosen.get(name, ()))
            if not blocks:
                continue
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "blocks"), "w") as f:
                    f.write("".join(f"{b}\n" for b in blocks))
                try:
                    run([rehearse, "target", path, test, "--uncovered", "--blocks", "blocks", *options, "--seconds", str(seconds * len(blocks)), "--json", "j"],
                        cwd=folder, timeout=120 + 20 * seconds * len(blocks))
                    goals = json.load(open(os.path.join(folder, "j")))["goals"]
                except (subprocess.TimeoutExpired, OSError, ValueError):
                    goals = [{"result": "not found", "blocks": [b]} for b in blocks]
            for g in goals:
                key = (name, g["blocks"][0])
                reached += g["result"] == "reached"
                unreachable += g["result"] == "unreachable"
                missed += g["result"] == "not found"
                results.setdefault(key, {})[setting] = g["result"]
                times.append(g.get("seconds", seconds))
                if g["result"] == "not found":
                    how = re.sub(r"\d+", "N", re.sub(r"\S+#\S*:", "X:", g.get("how") or "no reason"))
                    by = causes.setdefault(setting, {})
                    by[how] = by.get(how, 0) + 1
        took = (spent() - began) / count
        never = sum("unreachable" in r.values() for r in results.values())
        # what was spent on the target alone; the concrete stage looks for all of them at once
        late = f"{sorted(times)[int(0.95 * len(times))]:.2f}" if "search" in options else ""
        share = 100 * reached / max(1, count - never)
        print(f"| {setting} | {reached} ({100 * reached // count} %) | {unreachable} | {missed} | {share:.0f} % | {took:.2f} | "
              f"{late} | {str(paper) + ' %' if paper else ''} |", flush=True)
    tell_causes({s: c for s, c in causes.items() if s in ("h1+h2+feedback", "and snapshots", "everything")})


everything = [p for p in programs() if not p[0].startswith("own_")]
table2(everything)
table3(everything)
