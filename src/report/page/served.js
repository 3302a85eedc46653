// The page of `rehearse serve`: the run so far, what is open, and a click or a digit chooses.  The path of choices is in
// the address, so that it can be shared; the server has no state but the program.
class Served {
  constructor(data) {
    this.main = document.getElementById('main');
    this.said = document.getElementById('said');
    document.getElementById('program').textContent = `${data.program} ${data.test}`;
    document.title = `rehearse: ${data.test}`;
    document.getElementById('theme').addEventListener('click', () => document.documentElement.classList.toggle('dark'));
    document.getElementById('help-open').addEventListener('click', () => document.getElementById('help').showModal());
    if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark');
    document.addEventListener('keydown', e => this.key(e));
    addEventListener('hashchange', () => this.load());
    addEventListener('resize', () => this.view && this.view.resized());
    this.load();
  }
  path() {
    const text = new URLSearchParams(location.hash.slice(1)).get('path') || '';
    return /^[0-9]+(\.[0-9]+)*$/.test(text) ? text.split('.').map(Number) : [];
  }
  go(path) {
    location.hash = path.length ? `path=${path.join('.')}` : '';
  }
  async load(said) {
    this.state = null; // what is open is not known until the answer is there
    const path = this.path(), state = await this.ask(`/api/state?path=${path.join('.')}`);
    if (state) this.show(state, path, typeof said === 'string' ? said : '');
  }
  // The answer; null if the user has gone on meanwhile, or if there is none.
  async ask(address) {
    const asked = (this.asked = (this.asked || 0) + 1), answer = await fetch(address), value = answer.ok ? await answer.json() : null;
    if (asked !== this.asked) return null;
    if (!value) this.main.replaceChildren(h('p', { class: 'finding-message' }, `The server says ${answer.status}.`));
    return value;
  }
  // Goes on to an event whose text has this; such a choice is taken where it is open.
  async until(text) {
    const path = this.path().slice(0, this.state ? this.state.taken : 0);
    if (!text.trim()) return;
    const state = await this.ask(`/api/state?path=${path.join('.')}&until=${encodeURIComponent(text)}`);
    if (!state) return;
    if (state.said) return this.load(state.said);
    history.pushState(null, '', state.path.length ? `#path=${state.path.join('.')}` : '#');
    this.show(state, state.path);
  }
  // Lets an explorer go on from here, for ten seconds at most; the server writes what it finds beside other findings.
  async explore(name) {
    const path = this.path().slice(0, this.state ? this.state.taken : 0), told = document.getElementById('explored');
    told.textContent = 'exploring ...';
    const answer = await this.ask(`/api/explore?path=${path.join('.')}&explorer=${encodeURIComponent(name)}`);
    if (answer) told.textContent = answer.text || `It ends with ${answer.code}.`;
  }
  show(state, path, said) {
    this.state = state;
    const over = state.open.length === 0, failed = over && state.failed, taken = state.taken;
    const notice = [said ? h('p', { class: 'warn', id: 'said-until' }, said) : '', state.crash ? h('p', { class: 'finding-message' }, `The last choice ends the program: ${state.crash}`) : '',
      taken < path.length && !state.crash ? h('p', { class: 'warn' }, `Only ${taken} of ${path.length} choices of the address fit the program.`) : ''];
    this.view = new View({ run: state.run, passed: !failed, kind: '', actor: '', place: '', replay: '', message: over ? state.outcome : 'the run so far' }, this.said);
    const now = path.slice(0, taken);
    const choices = h('section', { class: 'verdict', id: 'choices', 'aria-label': 'Open choices' },
      h('div', { class: 'tools' }, h('b', {}, over ? 'The run is over.' : 'Open choices'), h('button', { type: 'button', title: 'undo (u)', onclick: () => this.go(now.slice(0, -1)) }, 'undo'),
        h('button', { type: 'button', onclick: () => this.go([]) }, 'to the beginning'),
        h('form', { onsubmit: e => { e.preventDefault(); this.until(document.getElementById('until').value); } },
          h('label', {}, 'until ', h('input', { id: 'until', type: 'search', placeholder: 'text of an event', title: 'go on to an event with this text' }))),
        h('form', { onsubmit: e => { e.preventDefault(); this.explore(document.getElementById('explorer').value); } },
          h('label', {}, 'explorer ', h('input', { id: 'explorer', value: 'auto', size: 10 })), h('button', { type: 'submit' }, 'go on from here'))),
      h('pre', { id: 'explored', 'aria-live': 'polite' }),
      h('ol', { start: 0, class: 'list' }, state.open.map((text, i) => h('li', {}, h('button', { type: 'button', class: 'choice mono', onclick: () => this.go([...now, i]) }, text)))));
    this.main.replaceChildren(...notice.filter(n => n !== ''), choices, this.view.element,
      h('details', {}, h('summary', {}, 'schedule of the run so far'), h('pre', { id: 'schedule' }, state.schedule)));
    this.view.attached(state.run.events.length - 1);
  }
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || document.getElementById('help').open) return;
    if (e.target.matches('input, select, textarea')) {
      if (e.key === 'Escape') e.target.blur();
      return;
    }
    const taken = this.state ? this.path().slice(0, this.state.taken) : [];
    if (this.state && /^[0-9]$/.test(e.key) && Number(e.key) < this.state.open.length) this.go([...taken, Number(e.key)]);
    else if (this.state && e.key === 'u') this.go(taken.slice(0, -1));
    else if (e.key === '?') document.getElementById('help').showModal();
    else if (e.key === 't') document.documentElement.classList.toggle('dark');
    else if (!this.view || !this.view.key(e)) return;
    e.preventDefault();
  }
}
