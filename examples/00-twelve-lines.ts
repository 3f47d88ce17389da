import { assemble, layoutOf, outline, tokenx, turnsOf } from 'foreword/context'

const manual = { full: 'At Brest the tide turns every six hours. '.repeat(60), list: 'Manual: tides, lights' }
const layers = [
  { id: 'pilot', layer: 'system-prompt', renditions: [{ form: 'full', text: 'You are a harbour pilot.' }] },
  { id: 'manual', layer: 'skills', renditions: Object.entries(manual).map(([form, text]) => ({ form, text })) },
  { id: 'brevity', layer: 'reminder', renditions: [{ form: 'full', text: 'One sentence, please.' }] },
]
const said = ['Here is my log: '.padEnd(2000, 'fog, '), 'Noted.', 'Is it safe?', 'Yes.', 'When is high water?']
const talk = turnsOf(said.map((content, index) => ({ role: index % 2 ? 'assistant' : 'user', content })))
const budget = { window: 600, reserve: 200 }
console.log(outline(assemble({ layout: layoutOf('auto'), layers, ...talk, budget, counter: tokenx }).manifest))
