// The page of `rehearse target`: lines of the source, by what became of the goals that have code there.
const OUTCOMES = {
  reached: 'reached by runs', generated: 'reached only by generated tests', unreachable: 'unreachable within bounds', missed: 'not found',
};

function outcomeOf(goal) {
  if (goal.result === 'reached') return ['solver', 'search', 'repair'].includes(goal.stage) ? 'generated' : 'reached';
  return goal.result === 'unreachable' ? 'unreachable' : 'missed';
}

class Targets {
  constructor(data) {
    this.data = data;
    this.main = document.getElementById('main');
    document.getElementById('program').textContent = `${data.program} ${data.test}`;
    document.title = `rehearse: ${data.test}`;
    document.getElementById('theme').addEventListener('click', () => document.documentElement.classList.toggle('dark'));
    document.getElementById('help-open').remove();
    if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark');
    const counts = Object.keys(OUTCOMES).map(o => [o, data.goals.filter(g => outcomeOf(g) === o).length]);
    this.main.append(
      h('section', { class: 'verdict' },
        h('p', { class: 'big' }, `${data.goals.length} goals, ${data.runs} runs`),
        counts.map(([o, n]) => h('p', {}, h('span', { class: `outcome ${o}` }, ' '), ` ${n} ${OUTCOMES[o]}`))),
      ...data.failures.map(f => h('p', { class: 'finding-message' }, `${f.kind}: ${f.message}${f.place ? `  (${f.place})` : ''}`)),
      ...data.files.map(f => this.file(f)));
  }
  file(file) {
    const marks = new Map(file.marks.map(([line, ...goals]) => [line, goals.map(i => this.data.goals[i])]));
    return h('section', { 'aria-label': file.name }, h('h2', {}, file.name),
      file.changed ? h('p', { class: 'warn' }, 'This file has changed since the program was built: lines may be wrong.') : null,
      h('table', { class: 'lines' }, h('tbody', {}, file.lines.map((text, i) => this.line(i + 1, text, marks.get(i + 1) || [])))));
  }
  // A line with several goals has the colour of the best one; what is said of the others stands behind it.
  line(number, text, goals) {
    const outcomes = goals.map(outcomeOf), best = Object.keys(OUTCOMES).find(o => outcomes.includes(o));
    const said = goals.filter((g, i) => outcomes[i] !== 'reached').map(g => `${OUTCOMES[outcomeOf(g)]}: ${g.goal}${g.how ? ` (${g.how})` : ''}`);
    return h('tr', { id: `L${number}`, class: best || '', 'data-goals': goals.length || null },
      h('td', { class: 'number' }, String(number)), h('td', { class: 'source' }, text), h('td', { class: 'soft' }, said.join('; ')));
  }
}
