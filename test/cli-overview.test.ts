import assert from 'node:assert/strict'
import test from 'node:test'
import type { CapabilityOverview } from '../src/capability.ts'
import { overview } from '../src/foreword/overview.ts'
import { run } from './cli/recorded-io.ts'
import { scriptedConnection, turnStream } from './cli/scripted-connection.ts'

/** A program whose capabilities nothing may load. */
const closed: CapabilityOverview = {
  ...overview,
  load: () => Promise.reject(new Error('the capabilities were loaded')),
}

test('the help is printed without loading a capability', async () => {
  for (const words of [[], ['--help'], ['--version'], ['send', '--help'], ['help', 'context'], ['sessions', '-h']]) {
    const { code, stdout, stderr } = await run(words, { overview: closed })
    assert.deepEqual([code, stderr], [0, ''], words.join(' '))
    assert.notEqual(stdout, '')
  }
  const { stdout } = await run(['send', '--help'], { overview: closed })
  for (const choice of Object.keys(overview.choices)) assert.match(stdout, new RegExp(`^ {2}--${choice} ID `, 'm'))
})

test('a command line that is not valid is refused without loading a capability', async () => {
  const word = await run(['schedul'], { overview: closed })
  assert.deepEqual([word.code, word.stderr.split('\n')[1]], [2, '  Did you mean `foreword schedule`?'])
  const option = await run(['send', '--agnet', 'scribe', 'Hello'], { overview: closed })
  assert.deepEqual([option.code, option.stderr.split('\n')[1]], [2, '  Did you mean --agent?'])
})

test('send loads no capability where a gateway runs, whatever its session chooses', async () => {
  const connection = scriptedConnection({
    'GET /api/choices/agent': { options: [{ id: 'scribe' }] },
    'POST /api/sessions': { id: 's1' },
    'POST /api/messages': { session: 's1', turn: 't1', created: true },
    'GET /api/sessions/s1/events?turn=t1': turnStream('Hello to you.'),
  })
  const sent = await run(['send', '--agent', 'scribe', 'Hello'], { overview: closed, connection })
  assert.deepEqual(sent, { code: 0, stdout: 'Hello to you.\n', stderr: '' })
  assert.ok(connection.asked.includes('POST /api/sessions {"agent":"scribe"}'), connection.asked.join('\n'))
})

test('a command that a capability contributes is loaded with it', async () => {
  let loaded = 0
  const watched: CapabilityOverview = { ...overview, load: () => ((loaded += 1), overview.load()) }
  const connection = scriptedConnection({ 'GET /api/schedules': { schedules: [] } })
  const { code } = await run(['schedule', 'list'], { overview: watched, connection })
  assert.deepEqual([code, loaded], [0, 1])
})
