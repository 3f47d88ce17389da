import assert from 'node:assert/strict'
import test from 'node:test'
import { assemble } from './assemble.ts'
import type { Layer } from './layer.ts'
import { layoutOf } from './layouts.ts'
import { ContextOverflowError } from './overflow-error.ts'
import { declared } from './token-counter.ts'

const small = { instructions: 20, project: 30, skills: 10, input: 40, tool: 5, file: 15 }

/** What an overflow says of its largest part. */
function largestPart(costs: Partial<typeof small>, names: readonly string[] = ['one', 'other']): string {
  const { instructions, project, skills, input, tool, file } = { ...small, ...costs }
  const layer = (name: string, tokens: number): Layer => ({
    id: name,
    layer: name,
    priority: 'required',
    renditions: [{ form: 'full', text: 'x', tokens }],
  })
  try {
    assemble({
      layout: layoutOf('auto'),
      layers: [layer('instructions', instructions), layer('project', project), layer('skills', skills)],
      history: [{ id: 't1', messages: [{ message: { role: 'user', content: 'x' }, tokens: 10_000 }] }],
      current: { id: 't2', messages: [{ message: { role: 'user', content: 'hi' }, tokens: input }] },
      attachments: [{ turn: 't2', id: 'file_1', name: 'plan.txt', text: 'x', tokens: file }],
      tools: names.map((name) => ({ name, inputSchema: {}, tokens: tool })),
      budget: { window: 50, reserve: 0 },
      counter: declared,
    })
    return 'it fits'
  } catch (error) {
    if (!(error instanceof ContextOverflowError)) throw error
    return error.message.replace(/^.*?\): [^.]*\. /, '').replace(/ Shorten the input or .*$/, '')
  }
}

test('an overflow names the largest thing that a person can change, and how', () => {
  assert.equal(
    largestPart({ project: 3480 }),
    'The largest part is the files of the project (3,480): take some out of it.',
  )
  assert.equal(largestPart({ instructions: 900 }), 'The largest part is the instructions (900): shorten AGENTS.md.')
  assert.equal(
    largestPart({ skills: 900 }),
    'The largest part is the skills (900): disable some, or let them be read on demand.',
  )
  assert.equal(largestPart({ tool: 900 }), 'The largest part is the list of 2 tools (1,800): offer fewer of them.')
  assert.equal(
    largestPart({ file: 900 }),
    'The file plan.txt alone needs 900: in a project it would be searched instead.',
  )
  assert.equal(
    largestPart({ file: 900 }, ['search_attachment']),
    'The file plan.txt alone needs 900: ask about it in your next message, which can find its passages with search_attachment.',
  )
  assert.match(largestPart({ input: 900 }), /^The largest part is the message .* \(900\): shorten it/)
})
