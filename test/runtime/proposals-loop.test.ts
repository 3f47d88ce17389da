import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { outputText, toolResults } from '../../src/context.ts'
import { openStore } from '../../src/session.ts'
import { scriptedModel } from '../../src/testing.ts'
import { opened } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

test('a model reads a subject, works and proposes, and nothing is written until a person confirms it', async (t) => {
  const first = await opened(t)
  const { home } = first
  const notes = join(home, 'subjects/tide/notes.md')
  mkdirSync(join(home, 'subjects/tide'), { recursive: true })
  writeFileSync(notes, '- The water is cold.\n')

  // As an MCP server beside the gateway has it: another connection to the same store.
  const store = await openStore({ clock: systemClock, path: join(home, 'store.sqlite') })
  t.after(() => store.close())
  const model = scriptedModel({
    answer: (_request, n) => {
      const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] })
      if (n === 1 || n === 4) return call('read_context', { image_id: 'tide' })
      if (n === 2) return call('propose_notes_update', { image_id: 'tide', content: '- High water at noon.' })
      return { text: 'Proposed.' }
    },
  })
  const here = await first.reopened({ model, plugins: [] })

  const { id: session } = await here.runtime.newSession({ subject: 'tide' })
  const { turn } = await here.say('When is high water?', { session })
  assert.match(JSON.stringify(model.calls[0]?.request.messages[0]), /about the subject tide.*The water is cold/)
  const [read, proposed] = await resultsOf(turn)
  assert.equal(JSON.parse(read!).notes.summary, '- The water is cold.\n')
  assert.equal(readFileSync(notes, 'utf8'), '- The water is cold.\n')

  const [waiting] = await here.runtime.proposals.list({ state: 'waiting' })
  const { id, digest, by, diff } = waiting!
  assert.equal(JSON.parse(proposed!).proposal_id, id)
  assert.deepEqual([by.session, by.turn, by.tool], [session, turn, 'propose_notes_update'])
  assert.match(diff, /^\+- High water at noon\.$/m)
  await here.runtime.proposals.decide(id, { type: 'confirm', digest, by: 'http' })
  assert.equal(readFileSync(notes, 'utf8'), '- The water is cold.\n\n- High water at noon.\n')

  const later = await here.say('And now?', { session })
  // The head stays as it was; what changed of the subject is announced behind the history.
  assert.match(JSON.stringify(model.calls[3]?.request.messages), /High water at noon/)
  assert.match((await resultsOf(later.turn))[0]!, /High water at noon/)
  await here.runtime.proposals.undo(id, 'http')
  assert.equal(readFileSync(notes, 'utf8'), '- The water is cold.\n')

  async function resultsOf(of: string): Promise<readonly string[]> {
    const entries = await here.log(session)
    return entries.flatMap((entry) =>
      entry.type === 'message' && entry.turn === of
        ? toolResults(entry.message).map(({ output }) => outputText(output))
        : [],
    )
  }
})
