import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { runPastTimeout } from '../../../test/run-past-timeout.ts'
import { cleanEnvironment } from './clean-environment.ts'
import type { ProgramEnd, ProgramLimits } from './program.ts'
import { runProgram } from './run-program.ts'
import { systemClock } from '../../platform.ts'

const environment = cleanEnvironment({ PATH: process.env['PATH'] })
const ROOMY: ProgramLimits = { timeoutMs: 20_000, maxOutputChars: 20_000 }

test('a program is given its arguments as they are, and no shell reads them', async () => {
  const argv = ['printf', '%s|', '$HOME', '*', 'a b', '; echo no', '"', "'", '`id`', '\n', '', 'ü😀']
  const run = await runProgram(systemClock, { argv, folder: '/', environment }, ROOMY)
  assert.equal(run.stdout.text, argv.slice(2).join('|') + '|')
})

test('a result has both outputs and the exit code', async () => {
  const { end, stdout, stderr } = await shell('echo said; echo complained >&2; exit 3')
  assert.deepEqual(
    { end, stdout, stderr },
    {
      end: { type: 'exit', code: 3 },
      stdout: { text: 'said\n', bytes: 5, characters: 5, truncated: false, binary: false },
      stderr: { text: 'complained\n', bytes: 11, characters: 11, truncated: false, binary: false },
    },
  )
})

test('it runs in its folder, with its environment and nothing else', async (context) => {
  const folder = await home(context)
  process.env['FOREWORD_TEST_SECRET'] = 'hunter2'
  context.after(() => delete process.env['FOREWORD_TEST_SECRET'])
  const run = await runProgram(
    systemClock,
    { argv: ['sh', '-c', 'pwd; env'], folder, environment: { ...environment, A: 'b' } },
    ROOMY,
  )
  const [place, ...variables] = run.stdout.text.trim().split('\n')
  assert.equal(place, folder)
  const names = variables.map((variable) => variable.replace(/=.*/, ''))
  assert.deepEqual(names.toSorted(), [...Object.keys(environment), 'A', 'FOREWORD_RUN', 'PWD'].toSorted())
})

test(
  'it gets nothing that was open in what started the gateway',
  { skip: process.platform !== 'linux' },
  async (context) => {
    const folder = await home(context)
    await writeFile(join(folder, 'letter'), 'private')
    const held = openSync(folder, 'r')
    context.after(() => closeSync(held))
    const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
    const gateway = `const { runProgram } = await import(${module('./run-program.ts')})
    const { systemClock } = await import(${module('../../platform.ts')})
    const argv = ['sh', '-c', 'cat /proc/self/fd/77/letter; ls /proc/self/fd; echo end']
    const limits = { timeoutMs: 20_000, maxOutputChars: 20_000 }
    console.log((await runProgram(systemClock, { argv, folder: '/', environment: process.env }, limits)).stdout.text)`
    const words = ['--conditions=foreword-source', '--input-type=module', '-e', gateway]
    const stdio = Array.from({ length: 78 }, (_, descriptor) =>
      descriptor === 77 ? held : descriptor < 3 ? 'pipe' : 'ignore',
    )
    const { stdout } = spawnSync(process.execPath, words, { stdio, encoding: 'utf8' } as never)
    assert.match(stdout, /\nend\n/)
    assert.doesNotMatch(stdout, /private/)
  },
)

test('it and what it starts leave the processor to others', async () => {
  const program = { argv: ['sh', '-c', 'read word; sh -c nice'], folder: '/', environment, input: 'go' }
  const { stdout } = await runProgram(systemClock, program, ROOMY)
  assert.ok(Number(stdout.text) >= 10, stdout.text)
})

test('the PATH of its own environment decides which program a bare name is', async (context) => {
  const folder = await home(context)
  await mkdir(join(folder, 'bin'))
  await writeFile(join(folder, 'bin', 'only-here'), '#!/bin/sh\necho found', { mode: 0o755 })
  const program = { argv: ['only-here'], folder }
  const found = await runProgram(
    systemClock,
    { ...program, environment: { PATH: `${folder}/bin:/usr/bin:/bin` } },
    ROOMY,
  )
  assert.equal(found.stdout.text, 'found\n')
  assert.equal((await runProgram(systemClock, { ...program, environment }, ROOMY)).end.type, 'not-started')
})

test('standard input is what was given, and otherwise at its end', async () => {
  const given = await runProgram(systemClock, { argv: ['cat'], folder: '/', environment, input: 'given\n' }, ROOMY)
  assert.equal(given.stdout.text, 'given\n')
  assert.deepEqual((await shell('cat; echo end')).stdout.text, 'end\n')
})

test('a program need not read what it is given', async () => {
  const program = { argv: ['true'], folder: '/', environment, input: 'x'.repeat(1_000_000) }
  assert.deepEqual((await runProgram(systemClock, program, ROOMY)).end, { type: 'exit', code: 0 })
})

test('a program that ends by a signal is reported with the signal', async () => {
  assert.deepEqual((await shell('kill -SEGV $$')).end, { type: 'signal', signal: 'SIGSEGV' })
})

for (const [what, program, why] of [
  ['without a name', { argv: [] }, /its name is empty/],
  ['with an empty name', { argv: [''] }, /its name is empty/],
  ['that does not exist', { argv: ['no-such-program'] }, /^no-such-program: there is no such program on the PATH$/],
  [
    'at a path that does not exist',
    { argv: ['/proc/nowhere/at/all'] },
    /^\/proc\/nowhere\/at\/all: there is no such program/,
  ],
  ['that is a folder', { argv: ['/'] }, /^\/: it may not be run/],
  ['that is no program', { argv: ['/etc/passwd'] }, /^\/etc\/passwd: it may not be run/],
  ['with a NUL byte in its name', { argv: ['l\0s'] }, /NUL byte/],
  ['with a NUL byte in an argument', { argv: ['ls', 'a\0b'] }, /NUL byte/],
  ['in a folder with a NUL byte', { argv: ['ls'], folder: '/\0' }, /folder to run in holds a NUL byte/],
  [
    'in a folder that does not exist',
    { argv: ['ls'], folder: '/proc/nowhere' },
    /folder to run in does not exist: \/proc\/nowhere/,
  ],
  ['in a folder that is a file', { argv: ['ls'], folder: '/etc/passwd' }, /is no folder: \/etc\/passwd/],
  ['in a relative folder', { argv: ['ls'], folder: 'src' }, /absolute path, not src/],
  [
    'with a NUL byte in a variable',
    { argv: ['ls'], environment: { KEY: 'hunter\0' } },
    /^the variable KEY holds a NUL/,
  ],
  ['with endless arguments', { argv: ['ls', 'x'.repeat(3_000_000)] }, /^ls: its arguments and environment are longer/],
] as const) {
  test(`a program ${what} is not started, and one sentence says why`, async () => {
    const { end, stdout, stderr } = await runProgram(systemClock, { folder: '/', environment, ...program }, ROOMY)
    assert.equal(end.type, 'not-started')
    assert.match(end.type === 'not-started' ? end.why : '', why)
    assert.doesNotMatch(JSON.stringify(end), /hunter/)
    assert.deepEqual([stdout.bytes, stderr.bytes], [0, 0])
  })
}

test('a cancelled program is not even started', async () => {
  const run = await shell('echo started', { signal: AbortSignal.abort() })
  assert.deepEqual([run.end, run.stdout.bytes], [{ type: 'cancelled' }, 0])
})

// Each leaves processes behind in its own way, and ends (or not) in its own. `$1` is a file in which each leaves its number.
const SLEEP = `sh -c 'echo $$ >> "$1"; exec sleep 60' sleeper "$1"`
for (const [what, script, count] of [
  ['sleeps', `exec ${SLEEP}`, 1],
  ['ignores SIGTERM, SIGHUP and SIGINT', `trap "" TERM HUP INT; ${SLEEP} & wait; wait`, 1],
  ['waits for a child in a session of its own', `setsid ${SLEEP} & ${SLEEP} & wait`, 2],
  ['waits while a daemon that forked twice goes on', `(setsid sh -c '${inner()} &' sh "$1" &) ; ${SLEEP}`, 2],
  ['waits for a child that cleared its environment', `env -i setsid ${SLEEP} & wait`, 1],
  ['stops itself', `${SLEEP} & ${until(1)}; echo $$ >> "$1"; kill -STOP $$`, 2],
] as const) {
  test(`nothing is left of a program that ${what} until its time is over`, async (context) => {
    const file = join(await home(context), 'numbers')
    const argv = ['sh', '-c', script, 'sh', file]
    const run = await runPastTimeout(context, 500, {
      run: () => runProgram(systemClock, { argv, folder: '/', environment }, { ...ROOMY, timeoutMs: 500 }),
      isReady: () => numbersIn(file).length === count,
    })
    assert.equal(run.end.type, 'timeout')
    assert.deepEqual(living(numbersIn(file)), [])
  })
}

for (const [what, script] of [
  ['a child with its output', `${SLEEP} & ${until(1)}`],
  ['a child without its output', `${SLEEP} > /dev/null 2>&1 & ${until(1)}`],
  ['a session', `setsid ${SLEEP} > /dev/null 2>&1 & ${until(1)}`],
  ['a daemon', `(setsid sh -c '${inner()} > /dev/null 2>&1 &' sh "$1" &); ${until(1)}`],
  ['a stranger that holds its output', `(env -i setsid sh -c '${inner()} &' sh "$1" &); ${until(1)}`],
] as const) {
  test(`nothing is left of a program that ends and leaves ${what}`, async (context) => {
    const file = join(await home(context), 'numbers')
    const argv = ['sh', '-c', `${script}; ${untilThere('"$1.end"')}; echo done`, 'sh', file]
    const running = runProgram(systemClock, { argv, folder: '/', environment }, ROOMY)
    // It is known by now, as is what it writes to. On a busy machine it could have ended before.
    await writeFile(`${file}.end`, '')
    const run = await running
    assert.deepEqual([run.end, run.stdout.text], [{ type: 'exit', code: 0 }, 'done\n'])
    assert.equal(numbersIn(file).length, 1)
    assert.deepEqual(living(numbersIn(file)), [])
  })
}

test('nothing is left of a program that was cancelled', async (context) => {
  const file = join(await home(context), 'numbers')
  const cancel = new AbortController()
  const argv = ['sh', '-c', `trap "" TERM; setsid ${SLEEP} & ${SLEEP} & ${until(2)}; echo ready; wait`, 'sh', file]
  const running = runProgram(systemClock, { argv, folder: '/', environment }, { ...ROOMY, signal: cancel.signal })
  while (numbersIn(file).length < 2) await wait(10)
  cancel.abort()
  assert.deepEqual((await running).end, { type: 'cancelled' })
  assert.deepEqual(living(numbersIn(file)), [])
})

test('runs side by side do not end each other', async (context) => {
  const file = join(await home(context), 'over')
  const long = shell(`${untilThere(file)}; echo whole`)
  const brief = await shell('sleep 60', { timeoutMs: 200 })
  await writeFile(file, '')
  assert.equal(brief.end.type, 'timeout')
  const { end, stdout } = await long
  assert.deepEqual([end, stdout.text], [{ type: 'exit', code: 0 }, 'whole\n'])
})

for (const [what, each] of [
  ['in its group', SLEEP],
  ['in sessions of their own', `setsid ${SLEEP}`],
] as const) {
  test(`a program that starts others without end, ${what}, is stopped with all of them`, async (context) => {
    const file = join(await home(context), 'numbers')
    const script = `i=0; while [ $i -lt 400 ]; do ${each} & i=$((i+1)); done; wait`
    const program = { argv: ['sh', '-c', script, 'sh', file], folder: '/', environment }
    const run = await runProgram(systemClock, program, { ...ROOMY, maxProcesses: 20 })
    assert.deepEqual(run.end, { type: 'too-many-processes', limit: 20 })
    assert.deepEqual(living(numbersIn(file)), [])
  })
}

test('large output is counted to its end and kept at its beginning', async () => {
  const { end, stdout } = await shell('yes | head -c 50000000; echo x >&2', { maxOutputChars: 7 })
  assert.deepEqual(end, { type: 'exit', code: 0 })
  assert.deepEqual(stdout, {
    text: 'y\ny\ny\ny',
    bytes: 50_000_000,
    characters: 50_000_000,
    truncated: true,
    binary: false,
  })
})

test('what was written before the time was over is kept', async (context) => {
  const file = join(await home(context), 'said')
  const run = await runPastTimeout(context, 400, {
    run: () => shell(`echo before; echo > ${file}; sleep 60`, { timeoutMs: 400 }),
    isReady: () => existsSync(file),
  })
  assert.deepEqual([run.end, run.stdout.text], [{ type: 'timeout' }, 'before\n'])
})

test('noise is named and not shown', async () => {
  const { stdout } = await shell('head -c 5000 /dev/urandom')
  assert.deepEqual([stdout.text, stdout.binary], ['[binary output: 5,000 bytes]', true])
})

function shell(script: string, limits: Partial<ProgramLimits> = {}): Promise<ProgramEnd> {
  return runProgram(systemClock, { argv: ['sh', '-c', script], folder: '/', environment }, { ...ROOMY, ...limits })
}

/** The sleeper once more, inside single quotes. */
function inner(): string {
  return SLEEP.replaceAll("'", `'\\''`)
}

/** Waits until so many sleepers have left their numbers. */
function until(count: number): string {
  return `while [ "$(cat "$1" 2>/dev/null | wc -l)" -lt ${count} ]; do sleep 0.02; done`
}

/** Waits until a file is there. */
function untilThere(file: string): string {
  return `while [ ! -e ${file} ]; do sleep 0.02; done`
}

/** The numbers that were left so far. */
function numbersIn(file: string): readonly number[] {
  if (!existsSync(file)) return []
  return (readFileSync(file, 'utf8').match(/\d+(?=\n)/g) ?? []).map(Number)
}

/** A process that died keeps its id until its parent waits for it. */
function living(numbers: readonly number[]): readonly string[] {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,pid=', '-p', numbers.join(',')], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('Z'))
}

async function home(context: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'foreword-program-')))
  context.after(() => rm(folder, { recursive: true }))
  return folder
}
