import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { cleanEnvironment, createSandbox, findPlannedFiles, findSandbox } from '../../src/tool.ts'
import { readAccess } from '../../src/tool/access/read-access.ts'
import { casesSeed, runsAllCases, someCases } from '../arbitrary/some-cases.ts'
import { type Arena, arenaTemplate, openArena, secretive } from './arena.ts'
import { corpus } from './corpus.ts'
import type { Escape } from './escape.ts'

const found = await findSandbox()
const noSandbox = found.type === 'none' ? `no sandbox on this machine: ${found.why}` : false

const notLinux = process.platform === 'linux' ? false : 'programs of other systems have other options'

// The Node of the tests, and no older one.
const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
const LIMITS = { timeoutMs: 30_000, maxOutputChars: 100_000 }

/** Runs each escape in an arena of its own, some at a time, and returns what `run` says of those that can run here. */
async function eachEscape(
  t: TestContext,
  escapes: readonly Escape[],
  run: (arena: Arena, argv: readonly string[]) => Promise<string>,
): Promise<ReadonlyMap<Escape, readonly string[]>> {
  const template = arenaTemplate()
  const other = secretive()
  t.after(() => [template.close(), other.close()])
  const harms = new Map<Escape, readonly string[]>()
  const missing = new Set<string>()
  const queue = [...escapes]
  const work = async () => {
    for (let escape = queue.pop(); escape !== undefined; escape = queue.pop()) {
      const arena = await openArena(template.folder, other.pid, escape.command)
      try {
        const argv = arena.argv(escape.command)
        const place = { folder: arena.workspace, path: PATH, workspace: arena.workspace }
        const files = await findPlannedFiles(argv, place)
        if ('why' in files || files.facts.program === undefined) missing.add(argv[0]!)
        else {
          const output = await run(arena, argv)
          const [, module] = /No module named '?(\w+)/.exec(output) ?? []
          if (module !== undefined) missing.add(module)
          else harms.set(escape, arena.harm(output))
        }
      } finally {
        arena.close()
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism() + 1) }, work))
  t.diagnostic(
    `${harms.size} of ${escapes.length} run; not installed here: ${[...missing].toSorted().join(', ') || 'none'}`,
  )
  return harms
}

/** As any process of the user runs a program. */
async function runFreely({ workspace }: Arena, [program, ...words]: readonly string[]): Promise<string> {
  const child = spawn(program!, words, {
    cwd: workspace,
    env: { PATH, HOME: join(workspace, '..'), LC_ALL: 'C', npm_config_update_notifier: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMITS.timeoutMs,
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('latin1').on('data', (text: string) => (output += text))
  }
  await once(child, 'close')
  return output
}

async function runConfined({ workspace, outside }: Arena, argv: readonly string[]): Promise<string> {
  const environment = { PATH, HOME: outside }
  const sandbox = createSandbox({
    workspace,
    setAside: join(workspace, '..', 'aside'),
    environment,
    access: async () => readAccess('{}', {}),
    places: () => ({ outOfReach: [outside], readOnly: [], readable: [], programs: [] }),
  })
  const plan = await sandbox.plan({ argv })
  assert.ok(plan.type === 'planned')
  const end = await plan.run({ argv, folder: workspace, environment: cleanEnvironment(environment) }, LIMITS)
  return end.stdout.text + end.stderr.text
}

/** What the corpus says of programs changes with them, and not with the product: some of it is looked at each time. */
const looked = someCases(corpus, 4)
const which = runsAllCases ? 'each escape' : `each of ${looked.length} escapes of the seed ${casesSeed}`

test(`${which} is one: without a sandbox it does harm`, { skip: notLinux }, async (t) => {
  const harms = await eachEscape(t, looked, runFreely)
  const harmless = [...harms].filter(([, harm]) => harm.length === 0).map(([{ command }]) => command)
  assert.deepEqual(harmless, [])
})

test('no escape does harm in the sandbox', { skip: noSandbox }, async (t) => {
  const harms = await eachEscape(t, corpus, runConfined)
  const harmful = [...harms].filter(([, harm]) => harm.length > 0).map(([{ command }, harm]) => [command, ...harm])
  assert.deepEqual(harmful, [])
})
