// The sequence chart of one run.  Only the rows that are in sight are in the document, so that long runs stay fluid.
const SVG = 'http://www.w3.org/2000/svg';
const ROW = 44, HEAD = 34, LETTER = 6.7, MOST_PRINTED = 2000;

function svg(tag, attributes, ...children) {
  const e = document.createElementNS(SVG, tag);
  for (const name in attributes) e.setAttribute(name, attributes[name]);
  e.append(...children); // texts become text nodes
  return e;
}
const cut = (text, room) => (text.length > room ? text.slice(0, Math.max(1, room - 1)) + '…' : text);

class Chart {
  // `on` is called with the index of a row that the user chooses.
  constructor(run, on) {
    this.run = run;
    this.on = on;
    this.now = 0;
    this.differs = -1;
    this.failing = -1;
    this.filter = () => true;
    this.hits = new Set();
    this.columns = run.columns();
    this.heads = svg('svg', { class: 'heads', height: HEAD, 'aria-hidden': 'true' });
    this.picture = svg('svg', { 'aria-hidden': 'true' });
    this.space = document.createElement('div');
    this.space.className = 'space';
    this.space.append(this.picture);
    this.element = document.createElement('div');
    this.element.className = 'chart';
    this.element.tabIndex = 0;
    this.element.setAttribute('role', 'group');
    this.element.setAttribute('aria-label', 'Sequence chart. Arrow keys step from event to event.');
    this.element.append(this.heads, this.space);
    this.element.addEventListener('scroll', () => this.later(), { passive: true });
    this.picture.addEventListener('click', e => this.click(e));
    this.applyFilter();
  }
  click(e) {
    const y = e.clientY - this.space.getBoundingClientRect().top, i = Math.floor(y / ROW);
    if (i >= 0 && i < this.shown.length) this.on(this.shown[i]);
  }
  applyFilter(filter, columns) {
    this.filter = filter || this.filter;
    this.columns = columns || this.columns;
    this.shown = [];
    this.placeOf = new Int32Array(this.run.rows.length);
    this.run.rows.forEach((row, i) => {
      this.placeOf[i] = this.shown.length;
      if (this.filter(row, i)) this.shown.push(i);
    });
    this.measure();
  }
  measure() {
    this.axis = this.run.timed ? 110 : 44;
    const width = Math.max(300, this.element.clientWidth || 900);
    const n = Math.max(1, this.columns.length), [left, right] = this.outerLabels();
    // A gap has the labels of one side; without labels there, the outer gaps have room for half a head.
    const gaps = n - 1 + (left ? 1 : 0) + (right ? 1 : 0), edges = (left ? 0 : 70) + (right ? 0 : 70);
    this.pitch = Math.max(130, Math.min(330, (width - this.axis - edges - 16) / Math.max(1, gaps)));
    this.width = Math.max(width - 2, this.axis + edges + this.pitch * gaps + 10);
    this.x = new Map(this.columns.map((a, i) => [a, this.axis + (left ? this.pitch : 70) + this.pitch * i]));
    this.element.style.height = `min(70vh, ${this.shown.length * ROW + HEAD + 30}px)`;
    this.space.style.height = `${this.shown.length * ROW + 10}px`;
    this.space.style.width = `${this.width}px`;
    this.drawHeads();
    this.draw();
  }
  // Whether the first column has labels on its left, and the last one on its right.
  outerLabels() {
    const first = this.columns[0], last = this.columns[this.columns.length - 1];
    return [this.shown.some(i => this.run.rows[i].actor === first && this.run.rows[i].from > first),
      this.shown.some(i => this.run.rows[i].actor === last && !(this.run.rows[i].from > last))];
  }
  later() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.draw(); });
  }
  show(row, scroll) {
    this.now = row;
    if (scroll) {
      const y = this.placeOf[row] * ROW, top = this.element.scrollTop, room = this.element.clientHeight - HEAD;
      if (y < top) this.element.scrollTop = y;
      else if (y + ROW > top + room) this.element.scrollTop = y + ROW - room;
      const x = this.x.get(this.run.rows[row].actor), left = this.element.scrollLeft, wide = this.element.clientWidth;
      if (x !== undefined && (x - this.pitch < left || x + this.pitch > left + wide)) this.element.scrollLeft = x - wide / 2;
    }
    this.draw();
  }
  // A row that is filtered out lies between its neighbours.
  y(row) {
    const place = this.placeOf[row];
    return place * ROW + (this.shown[place] === row ? 18 : 0);
  }
  drawHeads() {
    this.heads.setAttribute('width', this.width);
    const room = Math.floor((this.pitch - 20) / 7);
    this.heads.replaceChildren(...this.columns.map(a => {
      const name = this.run.actors[a].name, text = cut(name, room), half = text.length * 3.7 + 9;
      return svg('g', {}, svg('title', {}, name),
        svg('rect', { class: 'headbox', x: this.x.get(a) - half, y: 6, width: 2 * half, height: 22, rx: 4 }),
        svg('text', { class: 'name', x: this.x.get(a), y: 21 }, text));
    }));
  }
  draw(all) {
    if (!this.shown) return;
    const top = all ? 0 : Math.max(0, this.element.scrollTop - HEAD), high = all ? Infinity : this.element.clientHeight || 600;
    const from = Math.max(0, Math.floor(top / ROW) - 6), to = Math.min(this.shown.length, all ? MOST_PRINTED : Math.ceil((top + high) / ROW) + 6);
    const y0 = from * ROW, height = Math.max(1, (to - from) * ROW + 10), parts = [];
    this.picture.setAttribute('width', this.width);
    this.picture.setAttribute('height', height);
    this.picture.setAttribute('viewBox', `0 ${y0} ${this.width} ${height}`);
    this.picture.style.top = `${y0}px`;
    for (let i = from; i < to; i++) this.band(parts, this.shown[i], i * ROW);
    for (const a of this.columns) this.life(parts, a, y0, y0 + height);
    this.arrows(parts, from, to, y0 + height);
    for (let i = from; i < to; i++) this.row(parts, this.shown[i], i * ROW);
    this.picture.replaceChildren(...parts);
  }
  band(parts, i, y) {
    const row = this.run.rows[i], decisive = this.run.data.decisive;
    const kinds = [i === this.failing && 'fails', decisive && row.event <= decisive && decisive <= row.last && 'decides',
      i === this.differs && 'differs', this.hits.has(i) && 'hit', i === this.now && 'now'].filter(Boolean);
    if (kinds.length) parts.push(svg('rect', { class: 'band ' + kinds.join(' '), x: 0, y, width: this.width, height: ROW }));
  }
  life(parts, a, top, bottom) {
    const x = this.x.get(a);
    let from = Math.max(top, this.run.actors[a].born > 0 ? this.y(this.run.rowOf[this.run.actors[a].born]) : top), gone = false;
    const line = to => { if (to > from) parts.push(svg('line', { class: gone ? 'gone' : 'life', x1: x, x2: x, y1: from, y2: to })); };
    for (const [row, crash] of this.faults(a)) {
      const y = this.y(row);
      if (y < from) { gone = crash; continue; }
      if (y > bottom) break;
      line(y);
      from = y;
      gone = crash;
    }
    line(bottom);
  }
  faults(a) {
    this.faultsOf = this.faultsOf || new Map();
    if (!this.faultsOf.has(a))
      this.faultsOf.set(a, this.run.rows.map((r, i) => [i, r]).filter(([, r]) => r.actor === a && r.flags & (EVENT.CRASH | EVENT.RESTART))
        .map(([i, r]) => [i, !!(r.flags & EVENT.CRASH)]));
    return this.faultsOf.get(a);
  }
  arrows(parts, from, to, bottom) {
    const first = this.shown[from] || 0, last = to ? this.shown[to - 1] : 0, now = this.run.rows[this.now];
    for (const [type, sender, receiver, event, taken, values, flags] of this.run.messages) {
      if (flags & MESSAGE.START || !this.x.has(sender) || !this.x.has(receiver)) continue;
      const sent = this.run.rowOf[event], got = taken < 0 ? -1 : this.run.rowOf[taken];
      if (sent > last || (got >= 0 && got < first)) continue;
      if (got >= 0 && this.shown[this.placeOf[got]] !== got) continue; // its row is filtered out
      if (got < 0 && this.shown[this.placeOf[sent]] !== sent) continue;
      const x1 = this.x.get(sender), x2 = this.x.get(receiver), y1 = this.y(sent), y2 = got < 0 ? Math.max(bottom, y1 + ROW) : this.y(got);
      const own = taken >= now.event && taken <= now.last || event >= now.event && event <= now.last ? ' nowarrow' : '';
      const g = svg('g', {}, svg('title', {}, `${type}(${values})`));
      if (got < 0) g.append(svg('line', { class: 'left', x1, y1, x2, y2 }));
      else if (!(flags & MESSAGE.DELIVERED)) g.append(svg('line', { class: 'lost', x1, y1, x2: x1 + (x2 - x1) * 0.86, y2: y1 + (y2 - y1) * 0.86 }));
      else if (x1 === x2) g.append(svg('path', { class: 'arrow' + own, d: `M${x1} ${y1}C${x1 - 22} ${y1} ${x1 - 22} ${y2} ${x1 - 2} ${y2}` }), this.tip(x1 - 20, y2, x1 - 1, y2));
      else g.append(svg('line', { class: 'arrow' + own, x1, y1, x2, y2 }), this.tip(x1, y1, x2 + (x2 > x1 ? -1 : 1), y2));
      parts.push(g);
    }
  }
  tip(x1, y1, x2, y2) {
    const n = Math.hypot(x2 - x1, y2 - y1) || 1, u = (x2 - x1) / n, v = (y2 - y1) / n;
    return svg('path', { class: 'tip', d: `M${x2} ${y2}L${x2 - 9 * u - 3.6 * v} ${y2 - 9 * v + 3.6 * u}L${x2 - 9 * u + 3.6 * v} ${y2 - 9 * v - 3.6 * u}Z` });
  }
  row(parts, i, top) {
    const row = this.run.rows[i], y = top + 18, room = Math.floor((this.pitch - 22) / LETTER);
    const g = svg('g', { class: 'row' }, svg('title', {}, `event ${row.event}: ${row.label}${row.changed ? ' => ' + row.changed : ''}`));
    g.append(svg('text', { class: 'number', x: 36, y: y + 4, 'text-anchor': 'end' }, String(row.event)));
    if (row.time) g.append(svg('text', { class: 'number', x: 44, y: y + 4 }, row.time));
    const x = this.x.get(row.actor), fault = row.flags & EVENT.FAULT || i === this.failing;
    if (x === undefined) {
      if (row.actor < 0 && row.flags & EVENT.FAULT) g.append(svg('line', { class: 'lost', x1: this.axis, x2: this.width, y1: y, y2: y }));
      g.append(svg('text', { class: 'label ' + (fault ? 'fault' : ''), x: this.axis + 4, y: row.actor < 0 ? y - 4 : y + 4 }, cut(row.label, 100)));
      parts.push(g);
      return;
    }
    const left = this.x.has(row.from) && this.x.get(row.from) > x, at = { x: x + (left ? -10 : 10), 'text-anchor': left ? 'end' : 'start' };
    if (row.flags & EVENT.CRASH) g.append(svg('path', { class: 'cross', d: `M${x - 7} ${y - 7}L${x + 7} ${y + 7}M${x - 7} ${y + 7}L${x + 7} ${y - 7}` }));
    else if (row.flags & EVENT.TIMER) {
      if (row.setBy >= 0) g.append(svg('line', { class: 'wait', x1: x - 5, x2: x - 5, y1: Math.max(top - 3000, this.y(this.run.rowOf[row.setBy])), y2: y }));
      g.append(svg('circle', { class: 'timer', cx: x, cy: y, r: 6 }), svg('path', { class: 'timer', d: `M${x} ${y - 4}V${y}H${x + 3}` }));
    } else g.append(svg('circle', { class: 'dot', cx: x, cy: y, r: 3 }));
    g.append(svg('text', { class: 'label ' + (fault ? 'fault' : ''), ...at, y: y + 4 }, cut(row.label, room)));
    if (row.changed) g.append(svg('text', { class: 'label change', ...at, y: y + 18 }, cut('=> ' + row.changed, room)));
    parts.push(g);
  }
}
