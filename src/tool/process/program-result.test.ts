import assert from 'node:assert/strict'
import test from 'node:test'
import type { ToolResult } from '../tool.ts'
import { type ProgramEnd, type ProgramOutput, programResult } from './program.ts'

const bytes = (count: number) => ({ bytes: count, truncated: false })

for (const [what, end, stdout, stderr, result] of [
  ['success', exit(0), 'said\n', '', { ok: true, output: 'said\n', meta: { exitCode: 0, ...bytes(5) } }],
  ['silent success', exit(0), '', '', { ok: true, output: '', meta: { exitCode: 0, ...bytes(0) } }],
  [
    'success with a complaint',
    exit(0),
    'said\n',
    'careful\n',
    { ok: true, output: 'said\n[stderr]\ncareful\n', meta: { exitCode: 0, ...bytes(13) } },
  ],
  [
    'success with a complaint behind an open line',
    exit(0),
    'said',
    'careful',
    { ok: true, output: 'said\n[stderr]\ncareful', meta: { exitCode: 0, ...bytes(11) } },
  ],
  [
    'success with a complaint alone',
    exit(0),
    '',
    'careful',
    { ok: true, output: '[stderr]\ncareful', meta: { exitCode: 0, ...bytes(7) } },
  ],
  [
    'failure',
    exit(3),
    'said\n',
    'no\n',
    { ok: false, error: 'exit 3: said\n\nno\n', meta: { exitCode: 3, ...bytes(8) } },
  ],
  ['silent failure', exit(1), '', '', { ok: false, error: 'exit 1: \n', meta: { exitCode: 1, ...bytes(0) } }],
  [
    'an end by signal',
    { type: 'signal', signal: 'SIGSEGV' },
    'a',
    'b',
    { ok: false, error: 'ended by SIGSEGV: a\nb', meta: bytes(2) },
  ],
  [
    'no start',
    { type: 'not-started', why: 'git: there is no such program on the PATH' },
    '',
    '',
    { ok: false, error: 'git: there is no such program on the PATH', meta: bytes(0) },
  ],
  [
    'the end of its time',
    { type: 'timeout' },
    'begun\n',
    '',
    { ok: false, error: 'timed out after 300 ms', output: 'begun\n', meta: { failure: 'timeout', ...bytes(6) } },
  ],
  [
    'the end of its time in silence',
    { type: 'timeout' },
    '',
    '',
    { ok: false, error: 'timed out after 300 ms', meta: { failure: 'timeout', ...bytes(0) } },
  ],
  [
    'a cancel',
    { type: 'cancelled' },
    '',
    '',
    { ok: false, error: 'cancelled', meta: { failure: 'cancelled', ...bytes(0) } },
  ],
  [
    'too many processes',
    { type: 'too-many-processes', limit: 20 },
    '',
    '',
    { ok: false, error: 'stopped, because it ran more than 20 processes at one time', meta: bytes(0) },
  ],
] as const satisfies readonly (readonly [string, ProgramEnd['end'], string, string, ToolResult])[]) {
  test(`${what}, as the model reads it`, () => {
    const run: ProgramEnd = { end, stdout: whole(stdout), stderr: whole(stderr), durationMs: 1 }
    assert.deepEqual(programResult(run, { timeoutMs: 300 }), result)
  })
}

test('each output that was cut is marked', () => {
  const run: ProgramEnd = { end: exit(0), stdout: cut('abc', 9), stderr: cut('de', 8), durationMs: 1 }
  const said = 'abc\n...[truncated: 3 of 9 characters shown]'
  const complained = 'de\n...[truncated: 2 of 8 characters shown]'
  assert.deepEqual(programResult(run, { timeoutMs: 300 }), {
    ok: true,
    output: `${said}\n[stderr]\n${complained}`,
    meta: { exitCode: 0, bytes: 17, truncated: true },
  })
  assert.deepEqual(programResult({ ...run, end: exit(2) }, { timeoutMs: 300 }), {
    ok: false,
    error: `exit 2: ${said}\n${complained}`,
    meta: { exitCode: 2, bytes: 17, truncated: true },
  })
})

function exit(code: number) {
  return { type: 'exit', code } as const
}

function whole(text: string): ProgramOutput {
  return { text, bytes: text.length, characters: text.length, truncated: false, binary: false }
}

function cut(text: string, characters: number): ProgramOutput {
  return { text, bytes: characters, characters, truncated: true, binary: false }
}
