#!/usr/bin/env python3
"""Tables after the TAP paper (Table 2 and Table 3) over programs with bitcode:

    bench/target.py BUILD [--targets N] [--seconds S] [--settings LIST] [--records FILE]
                          [--jobs N]

Table 2: size of the message flow graph, with and without its optimisations, and the time that it takes.
Table 3: N blocks, drawn with a fixed seed and spread by the size of the programs, each with S seconds of processor time
on average: which are reached, proved unreachable, or not found, for the search with each of its settings, for the
concrete stage alone, and for all stages together.  The paper's figures stand beside.

FILE keeps what was measured, a line of JSON for each program and setting: a run that was ended goes on where it was, and
what is there is not measured again.  Without settings (`--settings none`) only the tables are printed."""
import argparse, concurrent.futures, json, os, random, re, subprocess, sys, tempfile

PAPER = {  # Table 3 of the paper: targets, then the percentage that each setting covers
    "micro": (97, 54, 57, 61, 78, 85), "concurrency": (162, 45, 56, 49, 70, 77), "parallelism": (241, 36, 43, 59, 67, 72),
    "all": (1000, 41, 49, 54, 65, 78)}
SETTINGS = {
    "random": ["--stages", "search", "--search", "alone"],
    "h1": ["--stages", "search", "--search", "h1,alone"],
    "h2": ["--stages", "search", "--search", "h2,alone"],
    "h1+h2": ["--stages", "search", "--search", "h1,h2,alone"],
    "h+f": ["--stages", "search", "--search", "h1,h2,feedback,alone"],
    "snapshots": ["--stages", "search", "--search", "h1,h2,feedback,snapshots,alone"],
    "concrete": ["--stages", "concrete"],
    "everything": [],
}


def run(words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def timed(words, **more):
    """Standard error, and seconds of processor time of the command and of what it has started."""
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said, **more)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = status
        said.seek(0)
        return said.read(), used.ru_utime + used.ru_stime


def programs(examples):
    """(name, path, test); the last test is open to the outside, where a program has such a test."""
    for name in sorted(os.listdir(examples)):
        if name.endswith("-bitcode") and not name.startswith("own_"):
            path = os.path.join(examples, name)
            tests = re.findall(r"^  (\S+) .*model=", run([path, "list"]).stdout.split("parameters")[0], re.M)
            if tests:
                yield name[:-8], path, tests[-1]


def group_of(name):
    here = os.path.dirname(os.path.abspath(__file__))
    for group in ("micro", "concurrency", "parallelism"):
        if name.startswith("savina-") and os.path.exists(f"{here}/../examples/savina/{group}/{name[7:]}.c"):
            return group
    return "other"


def table2(rehearse, all_programs):
    print("Table 2: message flow graphs\n")
    print("| program | nodes | edges | labels | edges, merged | labels, merged | seconds |\n|---|---|---|---|---|---|---|")
    for name, path, test in all_programs:
        one = json.loads(run([rehearse, "graph", path, test, "--json", "-"]).stdout)
        _, took = timed([rehearse, "graph", path, test])
        two = json.loads(run([rehearse, "graph", path, test, "--json", "-", "--merged"]).stdout)
        edges, merged = ({(e["kind"], e["from"], e["to"]) for e in x["edges"]} for x in (one, two))
        print(f"| {name} | {len(one['nodes'])} | {len(edges)} | {len(one['edges'])} | {len(merged)} | {len(two['edges'])} | {took:.2f} |", flush=True)


def choose(rehearse, all_programs, targets):
    """A sample of the blocks of each program, by its size."""
    goals = {}
    for name, path, test in all_programs:
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "j")
            run([rehearse, "target", path, test, "--uncovered", "--stages", "none", "--seconds", "0.1", "--json", out], cwd=folder)
            goals[name] = [g["blocks"][0] for g in json.load(open(out))["goals"]] if os.path.exists(out) else []
    total = sum(map(len, goals.values())) or 1
    draw = random.Random(2018)
    return {n: sorted(draw.sample(b, min(len(b), max(1, round(targets * len(b) / total))))) for n, b in goals.items() if b}


def measure(rehearse, program, blocks, setting, seconds):
    name, path, test = program
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "blocks"), "w") as f:
            f.write("".join(f"{b}\n" for b in blocks))
        said, took = timed([rehearse, "target", path, test, "--uncovered", "--blocks", "blocks", *SETTINGS[setting],
                            "--seconds", str(seconds * len(blocks)), "--json", "j"], cwd=folder)
        try:
            goals = json.load(open(os.path.join(folder, "j")))["goals"]
        except (OSError, ValueError):
            goals = [{"result": "not found", "blocks": [b], "how": f"no answer: {said[:100]}"} for b in blocks]
    return {"program": name, "setting": setting, "given": seconds, "seconds": took,
            "goals": [{k: g.get(k) for k in ("blocks", "result", "how", "seconds")} for g in goals]}


def read_records(path):
    if not path or not os.path.exists(path):
        return {}
    lines = [json.loads(x) for x in open(path) if x.endswith("}\n")]
    return {(r["setting"], r["program"]): r for r in lines}


def table3(records, settings):
    """Only programs that every setting was measured with: a run that was ended compares nothing else."""
    settings = [s for s in settings if any(k[0] == s for k in records)]
    names = sorted({k[1] for k in records if all((s, k[1]) in records for s in settings)})
    never = {(n, g["blocks"][0]) for (s, n), r in records.items() for g in r["goals"] if g["result"] == "unreachable"}
    groups = {}
    for n in names:
        groups.setdefault(group_of(n), []).append(n)
    groups["all"] = names
    count = sum(len(records[settings[0], n]["goals"]) for n in names)
    print(f"\nTable 3: {count} blocks of {len(names)} programs; reached of those that no argument calls unreachable\n")
    print("| programs | blocks | unreachable | " + " | ".join(settings) + " |\n|" + "---|" * (3 + len(settings)))
    for group, members in groups.items():
        total = sum(len(records[settings[0], n]["goals"]) for n in members)
        out = sum(n in members for n, b in never)
        cells = []
        for s in settings:
            got = sum(g["result"] == "reached" for n in members for g in records[s, n]["goals"])
            cells.append(f"{got} ({100 * got / max(1, total - out):.0f} %)")
        print(f"| {group} | {total} | {out} | " + " | ".join(cells) + " |")
        if group in PAPER:
            shares = dict(zip(("random", "h1", "h2", "h1+h2", "h+f"), PAPER[group][1:]))
            print(f"| the paper | {PAPER[group][0]} | | " + " | ".join(f"{shares[s]} %" if s in shares else "" for s in settings) + " |")
    print("\n| setting | seconds given | seconds a target, with all that was started | 95 % of targets below, spent on the target alone |\n|---|---|---|---|")
    for s in settings:
        own = sorted(g["seconds"] or 0 for n in names for g in records[s, n]["goals"])
        took = sum(records[s, n]["seconds"] for n in names) / max(1, count)
        given = {records[s, n]["given"] for n in names}
        print(f"| {s} | {', '.join(map(str, sorted(given)))} | {took:.2f} | {own[int(0.95 * len(own))] if own else 0:.2f} |")
    for s in settings:
        causes = {}
        for n in names:
            for g in records[s, n]["goals"]:
                if g["result"] == "not found" and (n, g["blocks"][0]) not in never:
                    how = re.sub(r"\d+", "N", re.sub(r"\S+#\S*:", "X:", g["how"] or "no reason"))
                    causes[how] = causes.get(how, 0) + 1
        print(f"\nNot found by {s}:")
        for cause, n in sorted(causes.items(), key=lambda x: -x[1])[:12]:
            print(f"- {n}: {cause}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build")
    p.add_argument("--targets", type=int, default=200)
    p.add_argument("--seconds", type=float, default=1.0)
    p.add_argument("--settings", default=",".join(reversed(SETTINGS)))
    p.add_argument("--jobs", type=int, default=1, help="so many programs at the same time")
    p.add_argument("--records")
    p.add_argument("--programs", default="", help="only those whose name has this in it")
    a = p.parse_args()
    rehearse = os.path.join(os.path.abspath(a.build), "bin", "rehearse")
    settings = [s for s in a.settings.split(",") if s != "none"]
    unknown = [s for s in settings if s not in SETTINGS]
    if unknown:
        sys.exit(f"no setting is called {unknown[0]}: {', '.join(SETTINGS)}")
    records = read_records(a.records)
    chosen = [x for x in programs(os.path.join(os.path.abspath(a.build), "examples")) if a.programs in x[0]]
    blocks = choose(rehearse, chosen, a.targets) if settings else {}
    wanted = [(s, p) for s in settings for p in chosen if (s, p[0]) not in records and p[0] in blocks]
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for record in pool.map(lambda w: measure(rehearse, w[1], blocks[w[1][0]], w[0], a.seconds), wanted):
            records[record["setting"], record["program"]] = record
            if a.records:
                with open(a.records, "a") as f:
                    f.write(json.dumps(record) + "\n")
    table2(rehearse, chosen)
    table3(records, list(SETTINGS))


main()
