'use strict';
// A run as the page uses it: rows, what leads to the failure, and what each actor has at each event.  The numbers of
// flags and kinds are those of src/report/page_run.c and src/findings/changes.h.
const EVENT = { ROW: 1, FAULT: 2, TIMER: 4, CRASH: 8, RESTART: 16 };
const MESSAGE = { DELIVERED: 1, START: 2, OWN: 4 };
const CHANGE = { PART: 0, BEHAVIOUR: 1, TIME: 2, STATE: 3, DOING: 4, ROW: 5 };

// "a=1, b=(c=2, d=\"x, y\")" as [["a", "1"], ["b", "(c=2, d=\"x, y\")"]].
function fieldsOf(text) {
  const fields = [];
  let depth = 0, quoted = false, from = 0;
  for (let i = 0; i <= text.length; i++) {
    const c = text[i];
    if (quoted) { if (c === '\\') i++; else if (c === '"') quoted = false; if (i < text.length) continue; }
    if (c === '"') quoted = true;
    else if (c === '(' || c === '[' || c === '{') depth++;
    else if (c === ')' || c === ']' || c === '}') depth--;
    else if (i >= text.length || (c === ',' && depth <= 0)) {
      const part = text.slice(from, i).trim(), is = part.indexOf('=');
      if (part) fields.push(is > 0 ? [part.slice(0, is), part.slice(is + 1)] : ['', part]);
      from = i + 1;
    }
  }
  return fields;
}

// The index of the last element of a sorted list that is at most `x`, or -1.
function lastAtMost(list, x, key) {
  let from = 0, to = list.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (key(list[middle]) <= x) from = middle + 1; else to = middle;
  }
  return from - 1;
}

class Run {
  constructor(data) {
    this.data = data;
    this.actors = data.actors.map(([name, type, born, monitor, outside]) => ({ name, type, born, monitor, outside,
      states: [], doing: [], lines: [], inbox: [] }));
    this.events = data.events;
    this.messages = data.messages;
    this.watched = data.watched;
    this.full = data.full;
    this.makeRows();
    this.noteChanges();
    data.lines.sort((a, b) => a[0] - b[0]);
    for (const [event, actor, text] of data.lines) if (this.actors[actor]) this.actors[actor].lines.push([event, text]);
    data.messages.forEach((m, i) => { if (this.actors[m[2]]) this.actors[m[2]].inbox.push(i); });
    for (const r of this.rows) this.describe(r);
    for (const [event, , text] of data.lines) this.rows[this.rowOf[event]].searched += ' ' + text.toLowerCase();
  }
  makeRows() {
    this.rows = [];
    this.rowOf = new Int32Array(this.events.length);
    this.events.forEach(([kind, actor, text, values, setBy, flags, message], event) => {
      if (flags & EVENT.ROW || !this.rows.length)
        this.rows.push({ event, last: event, kind, actor, text, values, setBy, flags, message, changes: [], time: '' });
      const row = this.rows[this.rows.length - 1];
      row.last = event;
      this.rowOf[event] = this.rows.length - 1;
    });
  }
  noteChanges() {
    let time = '';
    for (const [event, actor, kind, text] of this.data.changes) {
      const row = this.rows[this.rowOf[event]];
      if (kind === CHANGE.TIME) row.time = time = text.replace(/^at /, '');
      else if (kind === CHANGE.STATE) this.actors[actor].states.push([event, text]);
      else if (kind === CHANGE.DOING) this.actors[actor].doing.push([event, text]);
      else if (kind === CHANGE.ROW) { // of several events together: instead of what each of them changed
        row.changes = row.changes.filter(([who, , of]) => who !== actor || of !== CHANGE.PART);
        if (text) row.changes.unshift([actor, text, kind]);
      } else row.changes.push([actor, text, kind]);
    }
    this.timed = time !== '';
  }
  describe(row) {
    row.label = row.values ? `${row.text}(${row.values})` : row.text;
    row.changed = row.changes.map(([actor, text]) => (actor === row.actor || actor < 0 ? '' : `${this.actors[actor].name}: `) + text).join('; ');
    row.type = row.message >= 0 ? this.messages[row.message][0] : row.kind;
    row.from = row.message >= 0 ? this.messages[row.message][1] : -1;
    row.searched = `${row.event} ${row.actor >= 0 ? this.actors[row.actor].name : ''} ${row.label} ${row.changed}`.toLowerCase();
  }
  // Rows that the last one depends on: the events of an actor before, sends, timers, births, and shared objects.
  relevant() {
    if (this.relevantRows) return this.relevantRows;
    const previous = new Int32Array(this.events.length).fill(-1), lastOf = new Map(), writer = new Map();
    const accesses = new Map();
    for (const [event, object, wrote] of this.data.accesses) {
      if (!accesses.has(event)) accesses.set(event, []);
      accesses.get(event).push([object, wrote]);
    }
    const objects = this.events.map(() => null);
    this.events.forEach(([, actor], event) => {
      if (lastOf.has(actor)) previous[event] = lastOf.get(actor);
      lastOf.set(actor, event);
      for (const [object, wrote] of accesses.get(event) || []) {
        if (writer.has(object)) (objects[event] = objects[event] || []).push(writer.get(object));
        if (wrote) writer.set(object, event);
      }
    });
    const seen = new Uint8Array(this.events.length), open = [this.events.length - 1];
    while (open.length) {
      const event = open.pop();
      if (!(event >= 0 && event < this.events.length) || seen[event]) continue;
      seen[event] = 1;
      const [, actor, , , setBy, , message] = this.events[event];
      open.push(previous[event], setBy, ...(objects[event] || []));
      if (message >= 0) open.push(this.messages[message][3]);
      if (actor >= 0) open.push(this.actors[actor].born);
    }
    this.relevantRows = new Set();
    this.rows.forEach((row, i) => {
      for (let e = row.event; e <= row.last; e++) if (seen[e]) this.relevantRows.add(i);
    });
    return this.relevantRows;
  }
  // What an actor has after an event, and before it.
  stateAt(actor, event) {
    const i = lastAtMost(actor.states, event, s => s[0]);
    return i < 0 ? '' : actor.states[i][1];
  }
  doingAt(actor, event) {
    const i = lastAtMost(actor.doing, event, s => s[0]);
    return i < 0 ? '' : actor.doing[i][1];
  }
  // Messages that are sent and not taken after an event.
  mailboxAt(actor, event) {
    return actor.inbox.filter(i => {
      const m = this.messages[i];
      return m[3] <= event && (m[4] < 0 || m[4] > event) && !(m[6] & MESSAGE.START);
    });
  }
  // Actors with a column: who does something, or whose messages are taken.
  columns() {
    const used = new Set();
    for (const row of this.rows) if (row.event || this.rows.length === 1) used.add(row.actor);
    for (const m of this.messages) if (m[4] >= 0 && !(m[6] & MESSAGE.START)) used.add(m[1]);
    used.delete(-1);
    return [...used].sort((a, b) => a - b);
  }
  types() {
    return [...new Set(this.rows.map(r => r.type))].sort();
  }
}

// The first row in which two runs differ; the shorter length if they do not.
function firstDifference(one, other) {
  let i = 0;
  const name = (run, row) => (row.actor < 0 ? '' : run.actors[row.actor].name) + ' ' + row.label;
  while (i < one.rows.length && i < other.rows.length && name(one, one.rows[i]) === name(other, other.rows[i])) i++;
  return i;
}
