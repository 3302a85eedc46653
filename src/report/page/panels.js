// What stands around the chart: actors at an event, the verdict, orders of receives, curves.
function h(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const name in attributes) {
    if (name.startsWith('on')) e.addEventListener(name.slice(2), attributes[name]);
    else if (attributes[name] === true) e.setAttribute(name, '');
    else if (attributes[name] !== false && attributes[name] != null) e.setAttribute(name, attributes[name]);
  }
  e.append(...children.flat().filter(c => c !== null && c !== '')); // texts become text nodes
  return e;
}

// ---- actors at an event ---------------------------------------------------------------------------------------------

const MOST_ACTORS = 40, MOST_LISTED = 30, MOST_LINES = 6;

function valuesOf(now, before) {
  const old = new Map(fieldsOf(before)), list = h('dl', { class: 'values' });
  for (const [name, value] of fieldsOf(now)) {
    const changed = before !== '' && old.get(name) !== value;
    list.append(h('dt', {}, name), h('dd', changed ? { class: 'changed', title: `was ${old.get(name)}` } : {}, value));
  }
  return list;
}

function actorPanel(run, index, row) {
  const actor = run.actors[index], state = run.stateAt(actor, row.last), before = run.stateAt(actor, row.event - 1);
  const doing = run.doingAt(actor, row.last), did = run.doingAt(actor, row.event - 1);
  const box = h('section', { class: 'actor' + (index === row.actor ? ' acts' : ''), 'data-actor': actor.name },
    h('h3', {}, actor.name, h('small', doing !== did && did ? { class: 'changed-text', title: `was: ${did}` } : {}, doing)));
  if (state) box.append(valuesOf(state, before));
  const mail = run.mailboxAt(actor, row.last);
  if (mail.length) {
    box.append(h('p', { class: 'caption' }, `mailbox (${mail.length})`), h('ul', { class: 'list mail' }, mail.slice(0, MOST_LISTED).map(i => {
      const [type, from, , sent, , values] = run.messages[i];
      return h('li', sent >= row.event ? { class: 'new' } : {}, `${type}${values ? `(${values})` : ''} < ${from >= 0 ? run.actors[from].name : '?'}`);
    }), mail.length > MOST_LISTED ? h('li', {}, `and ${mail.length - MOST_LISTED} more`) : null));
  }
  const lines = actor.lines.filter(([event]) => event <= row.last).slice(-MOST_LINES);
  if (lines.length) box.append(h('p', { class: 'caption' }, 'log'), h('ul', { class: 'list log' }, lines.map(([event, text]) =>
    h('li', event >= row.event ? { class: 'new' } : {}, text))));
  return box;
}

function inspect(run, index, element) {
  const row = run.rows[index], changed = new Set(row.changes.map(c => c[0]));
  const who = row.actor >= 0 ? run.actors[row.actor].name : 'the network';
  const alive = run.actors.map((a, i) => i).filter(i => run.actors[i].born <= row.last && !run.actors[i].outside);
  const weight = i => (i === row.actor ? 0 : changed.has(i) ? 1 : 2);
  alive.sort((a, b) => weight(a) - weight(b) || a - b);
  element.replaceChildren(h('p', { class: 'event' }, h('b', {}, `event ${row.event}`), row.time ? ` at ${row.time}` : '', ` · ${who}: `, h('code', {}, row.label),
    row.from >= 0 && row.from !== row.actor ? ` < ${run.actors[row.from].name}` : ''),
  row.changed ? h('p', { class: 'event good' }, '=> ', h('code', {}, row.changed)) : '',
  row.event >= run.watched ? h('p', { class: 'warn' }, 'The run could not be made again up to here: the states are older.') : '',
  run.full && row.event > run.data.changes[run.data.changes.length - 1][0] ? h('p', { class: 'warn' }, 'There was no room for the states of all events: these are older.') : '',
  ...alive.slice(0, MOST_ACTORS).map(i => actorPanel(run, i, row)),
  alive.length > MOST_ACTORS ? h('p', { class: 'caption' }, `and ${alive.length - MOST_ACTORS} more actors`) : '');
}

// ---- verdict, orders, curves ---------------------------------------------------------------------------------------

function verdictCard(result) {
  const kind = result.result === 'failed' ? 'failed' : result.result === 'passed' ? 'passed' : '';
  const line = (text, cls) => (text ? h('p', { class: cls || '' }, text) : '');
  return h('section', { class: `verdict ${kind}`, 'aria-label': 'Verdict' }, line(result.headline, 'big'), line(result.sentence), line(result.counts, 'soft'),
    line(result.semantics && 'under ' + result.semantics, 'soft'), line(result.escapes, 'warn'), line(result.notes, 'soft'), line(result.next, 'soft'));
}

const MARKS = {
  '*': ['both', '●', 'seen in both orders'], b: ['open', '◐', 'only the row’s first was seen'], a: ['open', '◑', 'only the column’s first was seen'],
  x: ['open', '○', 'not seen next to each other'], B: ['impossible', '◐', 'only the row’s first; the other order is impossible'],
  A: ['impossible', '◑', 'only the column’s first; the other order is impossible'], X: ['impossible', '·', 'impossible'], d: ['forced', '◐', 'only the row’s first: something forced it in every run so far'],
  c: ['forced', '◑', 'only the column’s first: something forced it in every run so far'], y: ['forced', '○', 'forced apart in every run so far'], '-': ['same', '', ''], '.': ['', '', 'never in one run'],
};
const LARGEST = 60;

function matrixOf(actor, criterion) {
  const marks = actor[criterion];
  if (!marks || actor.receives.length > LARGEST) return h('p', { class: 'soft' }, `${actor.receives.length} receives: too many for a matrix here; --json has it`);
  return h('div', { class: 'scroll' }, h('table', { class: 'matrix' },
    h('thead', {}, h('tr', {}, h('th', {}), actor.receives.map(r => h('th', { scope: 'col' }, h('span', {}, r))))),
    h('tbody', {}, marks.map((line, i) => h('tr', {}, h('th', { scope: 'row' }, actor.receives[i]), [...line].map((mark, k) => {
      const [cls, sign, words] = MARKS[mark] || ['', '', ''];
      return h('td', { class: cls, title: words ? `${actor.receives[i]} / ${actor.receives[k]}: ${words}` : false }, sign);
    }))))));
}

function coveragePanel(coverage) {
  if (!coverage) return h('section', {}, h('h2', {}, 'Orders of receives'), h('p', { class: 'soft' }, 'Not measured: run the test with --coverage pr to see which orders each actor has met.'));
  const names = Object.keys(coverage.criteria);
  return h('section', { id: 'orders' }, h('h2', {}, 'Orders of receives'),
    names.map(c => h('p', { class: 'soft' }, `${c}: ${coverage.criteria[c].covered} of ${coverage.criteria[c].pairs} pairs in both orders, ${coverage.criteria[c].open} open, ${coverage.criteria[c].forced} forced so far, ${coverage.criteria[c].impossible} impossible`)),
    coverage.actors.map(actor => h('details', { open: coverage.actors.length < 6 }, h('summary', {}, actor.actor),
      names.map(c => [h('h3', {}, c), matrixOf(actor, c)]).flat())));
}

// Points [x, y]; both axes begin at 0.
function curve(title, points, xName, format) {
  return curves(title, [{ name: '', points }], xName, format);
}

// Several in one picture, with their names beside it.
function curves(title, series, xName, format) {
  const points = series.flatMap(s => s.points);
  const W = 360, H = 180, L = 64, B = 26, T = 22, wide = W + (series.length > 1 ? 190 : 0);
  const xs = points.map(p => p[0]), ys = points.map(p => p[1]), xMost = Math.max(...xs) || 1, yMost = Math.max(...ys) || 1;
  const x = v => L + (W - L - 12) * v / xMost, y = v => H - B - (H - B - T) * v / yMost;
  return svg('svg', { width: wide, height: H, viewBox: `0 0 ${wide} ${H}`, role: 'img', 'aria-label': `${title}: ${series.map(s => `${s.name} ${format(s.points[s.points.length - 1][1])}`.trim()).join(', ')} at the end` },
    svg('text', { x: 8, y: 14 }, title),
    ...[0, 0.5, 1].map(part => svg('line', { class: 'grid', x1: L, x2: W - 12, y1: y(yMost * part), y2: y(yMost * part) })),
    ...[0, 0.5, 1].map(part => svg('text', { x: L - 4, y: y(yMost * part) + 4, 'text-anchor': 'end' }, format(yMost * part))),
    svg('text', { x: L, y: H - 8 }, '0'), svg('text', { x: W - 12, y: H - 8, 'text-anchor': 'end' }, `${format(xMost)} ${xName}`),
    ...series.map((s, k) => svg('path', { class: `curve of-${k}`, d: s.points.map((p, i) => `${i ? 'L' : 'M'}${x(p[0]).toFixed(1)} ${y(p[1]).toFixed(1)}`).join('') })),
    ...series.filter(s => s.name).flatMap((s, k) => [svg('line', { class: `curve of-${k}`, x1: W + 4, x2: W + 34, y1: T + 4 + 18 * k, y2: T + 4 + 18 * k }),
      svg('text', { class: 'name', x: W + 40, y: T + 8 + 18 * k }, `${s.name}: ${format(s.points[s.points.length - 1][1])} of ${format(s.points[s.points.length - 1][0])}`)]));
}

const short = n => (n >= 1e9 ? n.toPrecision(3) : n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e4 ? `${(n / 1e3).toFixed(0)}k` : n >= 100 || n === Math.round(n) ? String(Math.round(n)) : n.toPrecision(2));

// How often random continuations of the run's beginnings fail in the same way.
function chancesPanel(failure) {
  const points = failure.chances || [];
  if (points.length < 2) return '';
  return h('section', { id: 'chances' }, h('h2', {}, 'How likely the failure was'), h('div', { class: 'curves' },
    curve('random continuations that fail, of 100', points.map(([event, failed, samples]) => [event, samples ? 100 * failed / samples : 0]), 'events', short)));
}

function curvesPanel(result) {
  const points = [[0, 0, 0, null, 0, 0], ...result.curve], last = points[points.length - 1];
  if (points.length < 3) return '';
  const shown = [curve('distinct runs', points.map(p => [p[0], p[2]]), 'runs', short)];
  if (last[5]) shown.push(curve('different sequences of choices', points.map(p => [p[0], p[5]]), 'runs', short));
  if (last[4]) shown.push(curve('pairs of receives in both orders', points.map(p => [p[0], p[4]]), 'runs', short));
  // A member that explored nothing has no line.
  const members = (result.members || []).map(m => ({ name: m.name, points: [[0, 0], ...m.curve] })).filter(m => m.points[m.points.length - 1][0] > 0);
  if (members.length > 1) shown.push(curves('distinct runs of each member', members, 'runs of it', short));
  const estimates = points.filter(p => p[3] !== null);
  if (estimates.length > 1) shown.push(curve('estimated number of runs', estimates.map(p => [p[1], p[3]]), 's', short));
  return h('section', { id: 'curves' }, h('h2', {}, `How ${result.explorer} went on`), h('div', { class: 'curves' }, shown));
}
