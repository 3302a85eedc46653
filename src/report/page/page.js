// The page: results, findings, and the view of a finding's run.
class View {
  constructor(finding, said) {
    this.finding = finding;
    this.said = said;
    this.run = new Run(finding.run);
    this.chart = this.makeChart(this.run, !finding.passed);
    this.beside = finding.beside ? { run: new Run(finding.beside.run) } : null;
    if (this.beside) {
      this.beside.chart = this.makeChart(this.beside.run, !finding.beside.passed);
      this.chart.differs = this.beside.chart.differs = firstDifference(this.run, this.beside.run);
    }
    this.hits = [];
    this.build();
  }
  makeChart(run, failed) {
    const chart = new Chart(run, row => this.go(row, false));
    chart.failing = failed ? run.rows.length - 1 : -1;
    return chart;
  }
  button(text, title, on, pressed) {
    return h('button', { type: 'button', title, onclick: on, 'aria-pressed': pressed === undefined ? false : String(pressed) }, text);
  }
  build() {
    const f = this.finding;
    this.position = h('span', { class: 'mono' });
    this.query = h('input', { type: 'search', placeholder: 'search (/)', 'aria-label': 'Search events', oninput: () => this.search(),
      onkeydown: e => { if (e.key === 'Enter') { this.nextHit(e.shiftKey ? -1 : 1); e.preventDefault(); } } });
    this.found = h('span', { class: 'soft mono', role: 'status' });
    this.type = h('select', { 'aria-label': 'Only this type', onchange: () => this.refilter() }, h('option', { value: '' }, 'all types'),
      this.run.types().map(t => h('option', { value: t }, t)));
    this.onlyRelevant = this.button('what leads to the failure', 'only what leads to the failure (r)', () => this.toggle(this.onlyRelevant), false);
    this.sideBySide = this.beside ? this.button('side by side', 'both runs (b)', () => this.toggle(this.sideBySide), true) : null;
    this.inspector = h('aside', { class: 'inspector', 'aria-label': 'Actors at this event', tabindex: 0 });
    this.actorBoxes = this.chart.columns.map(a => h('input', { type: 'checkbox', checked: true, value: a, onchange: () => this.refilter() }));
    this.second = this.beside ? h('section', { class: 'second' }, h('h3', { class: 'good' }, f.beside.message), this.beside.chart.element) : null;
    this.element = h('section', { class: 'view', 'aria-label': 'Finding' },
      h('p', { class: 'finding-message' + (f.passed ? ' passed' : '') }, `${f.kind ? f.kind + ': ' : ''}${f.actor ? f.actor + ': ' : ''}${f.message}${f.place ? `  (${f.place})` : ''}`),
      f.reason ? h('p', { class: 'reason' }, f.reason) : '', f.decided ? h('p', { class: 'warn' }, f.decided) : '',
      f.minimised ? h('p', { class: 'soft' }, f.minimised) : '',
      f.replay ? h('p', { class: 'soft' }, h('code', {}, f.replay)) : '',
      h('div', { class: 'tools' }, this.button('|◀', 'first event (Home)', () => this.go(0, true)), this.button('◀', 'event before (↑)', () => this.step(-1)),
        this.button('▶', 'next event (↓)', () => this.step(1)), this.button('▶|', 'last event (End)', () => this.go(this.run.rows.length - 1, true)), this.position,
        h('span', { class: 'grow' }), this.query, this.found, this.type, this.onlyRelevant, this.sideBySide),
      h('details', { class: 'filters' }, h('summary', {}, `actors (${this.chart.columns.length})`),
        this.chart.columns.map((a, i) => h('label', {}, this.actorBoxes[i], ' ', this.run.actors[a].name))),
      this.work = h('div', { class: 'work' + (this.beside ? ' both' : '') }, h('div', { class: 'charts' }, h('section', {}, this.beside ? h('h3', { class: 'bad' }, f.message) : '', this.chart.element), this.second), this.inspector));
  }
  attached(event) {
    this.resized();
    let row = this.finding.passed ? 0 : this.run.rows.length - 1;
    if (event !== undefined && event < this.run.events.length) row = this.run.rowOf[event];
    this.go(row, true);
  }
  resized() {
    this.chart.measure();
    if (this.beside) this.beside.chart.measure();
  }
  go(row, scroll) {
    this.now = Math.max(0, Math.min(row, this.run.rows.length - 1));
    this.chart.show(this.now, scroll);
    if (this.beside) this.beside.chart.show(Math.min(this.now, this.beside.run.rows.length - 1), true);
    inspect(this.run, this.now, this.inspector);
    const r = this.run.rows[this.now], who = r.actor >= 0 ? this.run.actors[r.actor].name : '';
    this.position.textContent = `event ${r.event} of ${this.run.events.length - 1}${r.time ? `, ${r.time}` : ''}`;
    this.said.textContent = `event ${r.event}, ${who} ${r.label} ${r.changed}`;
    if (this.onMove) this.onMove(r.event);
  }
  // To the next row that is shown.
  step(by) {
    const shown = this.chart.shown, place = this.chart.placeOf[this.now];
    const at = by > 0 && shown[place] !== this.now ? place + by - 1 : place + by;
    if (shown.length) this.go(shown[Math.max(0, Math.min(at, shown.length - 1))], true);
  }
  toggle(button) {
    if (!button) return;
    button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'));
    if (button === this.sideBySide) {
      this.second.hidden = button.getAttribute('aria-pressed') !== 'true';
      this.work.classList.toggle('both', !this.second.hidden);
    }
    this.refilter();
    this.resized();
  }
  refilter() {
    const actors = new Set(this.actorBoxes.filter(b => b.checked).map(b => Number(b.value))), all = actors.size === this.actorBoxes.length;
    const relevant = this.onlyRelevant.getAttribute('aria-pressed') === 'true' ? this.run.relevant() : null, type = this.type.value;
    this.chart.applyFilter((row, i) => (all || row.actor < 0 || actors.has(row.actor)) && (!type || row.type === type) && (!relevant || relevant.has(i)),
      this.run.columns().filter(a => actors.has(a)));
    this.chart.show(this.now, true);
    this.search();
  }
  search() {
    const text = this.query.value.trim().toLowerCase();
    this.hits = text ? this.chart.shown.filter(i => this.run.rows[i].searched.includes(text)) : [];
    this.chart.hits = new Set(this.hits);
    this.found.textContent = text ? `${this.hits.length} hit${this.hits.length === 1 ? '' : 's'}` : '';
    this.chart.draw();
  }
  nextHit(by) {
    if (!this.hits.length) return;
    const at = lastAtMost(this.hits, this.now, x => x), next = by > 0 ? at + 1 : this.hits[at] === this.now ? at - 1 : at;
    this.go(this.hits[(next + this.hits.length) % this.hits.length], true);
  }
  key(e) {
    const last = this.run.rows.length - 1, decisive = this.run.data.decisive;
    switch (e.key) {
      case 'ArrowDown': case 'j': this.step(1); break;
      case 'ArrowUp': case 'k': this.step(-1); break;
      case 'PageDown': this.step(10); break;
      case 'PageUp': this.step(-10); break;
      case 'Home': this.go(0, true); break;
      case 'End': case 'f': this.go(last, true); break;
      case 'd': if (decisive) this.go(this.run.rowOf[decisive], true); break;
      case '/': this.query.focus(); this.query.select(); break;
      case 'n': this.nextHit(1); break;
      case 'N': this.nextHit(-1); break;
      case 'r': this.toggle(this.onlyRelevant); break;
      case 'b': this.toggle(this.sideBySide); break;
      default: return false;
    }
    return true;
  }
}

class Page {
  constructor(data) {
    this.data = data;
    this.main = document.getElementById('main');
    document.getElementById('program').textContent = data.program;
    document.title = `rehearse: ${data.program}`;
    this.nav = document.getElementById('results');
    this.links = data.results.map((r, i) => h('button', { type: 'button', onclick: () => this.show(i, 0) },
      `${r.result === 'failed' ? '✗' : r.result === 'passed' ? '✓' : '○'} ${r.test} (${r.model})`));
    this.nav.append(...this.links);
    document.getElementById('theme').addEventListener('click', () => this.theme());
    document.getElementById('help-open').addEventListener('click', () => document.getElementById('help').showModal());
    document.addEventListener('keydown', e => this.key(e));
    addEventListener('resize', () => this.view && this.view.resized());
    const draw = all => this.view && [this.view, this.view.beside].forEach(v => v && v.chart.draw(all));
    addEventListener('beforeprint', () => draw(true));
    addEventListener('afterprint', () => draw());
    if (matchMedia('(prefers-color-scheme: dark)').matches) this.theme();
    const at = new URLSearchParams(location.hash.slice(1)), number = name => (at.has(name) ? Number(at.get(name)) || 0 : undefined);
    const first = Math.max(0, data.results.findIndex(r => r.failures.length));
    this.show(Math.min(number('result') ?? first, data.results.length - 1), number('finding') ?? 0, number('event'));
  }
  theme() {
    document.documentElement.classList.toggle('dark');
  }
  show(index, finding, event) {
    const result = this.data.results[index];
    this.index = index;
    this.finding = Math.min(finding, Math.max(0, result.failures.length - 1));
    this.links.forEach((l, i) => l.setAttribute('aria-current', String(i === index)));
    const parts = [verdictCard(result)], failure = result.failures[this.finding];
    this.view = null;
    if (result.failures.length > 1)
      parts.push(h('div', { class: 'tools', role: 'group', 'aria-label': 'Findings' }, result.failures.map((f, i) =>
        h('button', { type: 'button', 'aria-current': String(i === this.finding), onclick: () => this.show(index, i) }, `${i + 1}. ${f.kind}`))));
    if (failure && failure.run) {
      this.view = new View(failure, document.getElementById('said'));
      parts.push(this.view.element);
    } else if (failure) {
      parts.push(h('p', { class: 'finding-message' }, `${failure.kind}: ${failure.message}`));
    }
    parts.push(failure ? chancesPanel(failure) : '', curvesPanel(result), coveragePanel(result.coverage));
    this.main.replaceChildren(...parts.filter(p => p !== ''));
    if (this.view) {
      this.view.attached(event);
      this.view.onMove = e => history.replaceState(null, '', `#result=${this.index}&finding=${this.finding}&event=${e}`);
    }
  }
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.target.matches('input, select, textarea')) {
      if (e.key === 'Escape') e.target.blur();
      return;
    }
    if (document.getElementById('help').open) return;
    if (e.key === '?') document.getElementById('help').showModal();
    else if (e.key === 't') this.theme();
    else if (e.key === 'x') this.show(this.index, (this.finding + 1) % Math.max(1, this.data.results[this.index].failures.length));
    else if (!this.view || !this.view.key(e)) return;
    e.preventDefault();
  }
}
