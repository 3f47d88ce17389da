import assert from 'node:assert/strict'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import { confinedPath, readerWithin } from '../src/capability/toolkit.ts'
import { conditionDigest } from '../src/capabilities/schedules/schedule-record.ts'
import { readSkillFile, skillDigest, skillFiles } from '../src/capabilities/skills/folder/skill-files.ts'
import { workspaceBlock } from '../src/capabilities/workspace/workspace-block.ts'
import { sha256, systemClock } from '../src/platform.ts'
import { homeFiles } from '../src/capabilities/backup/home-files.ts'
import { writeArchive } from '../src/capabilities/backup/write-archive.ts'
import { createSandbox, findPlannedFiles, findSandbox, readAccess, type Tool } from '../src/tool.ts'
import { systemTemporaryFolder } from './tool/system-temporary-folder.ts'

// The gateway works in a workspace while a program exchanges its folders for links to a home beside it, all the time.

/** How long each race lasts, seconds. */
const SECONDS = Number(process.env['RACE_SECONDS'] ?? 3)

/** Puts a link to a folder of the home in the place of a folder and back, until it is told to stop; then says how often. */
const SWAP = `
const { parentPort, workerData } = require('node:worker_threads')
const { renameSync } = require('node:fs')
const stop = new Int32Array(workerData.stop)
const at = (name) => workerData.folder + '/' + name
const attempt = (from, to) => { try { renameSync(at(from), at(to)) } catch {} }
let times = 0
for (; Atomics.load(stop, 0) === 0; times++) {
  attempt('place', 'other'); attempt('link', 'place'); attempt('place', 'link'); attempt('other', 'place')
}
parentPort.postMessage(times)
`

const NEVER = new Date(0)

interface Race {
  readonly workspace: string
  readonly setAside: string
  /** Calls `work` until the time is over, then ends the exchange and looks at the home. It may read files there if links lead to them. */
  run(work: (round: number) => Promise<unknown>, followsLinks?: boolean): Promise<void>
}

function race(t: TestContext): Race {
  const top = realpathSync(mkdtempSync(join(systemTemporaryFolder, 'race-')))
  t.after(() => rmSync(top, { recursive: true, force: true }))
  const [workspace, person, setAside] = [join(top, 'workspace'), join(top, 'person'), join(top, 'data/set-aside')]
  mkdirSync(join(workspace, 'place/.claude'), { recursive: true })
  mkdirSync(join(person, '.claude'), { recursive: true })
  for (const name of ['file.txt', '.npmrc', '.claude/settings.json']) {
    writeFileSync(join(person, name), 'canary of the home')
    writeFileSync(join(workspace, 'place', name), 'of the workspace')
  }
  symlinkSync('../file.txt', join(workspace, 'place/.gitconfig'))
  symlinkSync(person, join(workspace, 'link'))
  const before = contents(person)
  return {
    workspace,
    setAside,
    async run(work, followsLinks = false) {
      const files = Object.keys(before).map((path) => join(person, path))
      for (const path of files) utimesSync(path, NEVER, new Date())
      const stop = new SharedArrayBuffer(4)
      const worker = new Worker(SWAP, { eval: true, workerData: { stop, folder: workspace } })
      t.after(() => worker.terminate())
      const times = new Promise<number>((resolve, reject) => worker.once('message', resolve).once('error', reject))
      const ends = performance.now() + SECONDS * 1000
      let rounds = 0
      for (; performance.now() < ends; rounds++) {
        assert.doesNotMatch(JSON.stringify(await work(rounds)) ?? '', /canary/)
        await setImmediate()
      }
      Atomics.store(new Int32Array(stop), 0, 1)
      const exchanges = await times
      const read = files.filter((path) => statSync(path).atime.getTime() !== NEVER.getTime())
      if (!followsLinks) assert.deepEqual(read, [], 'read')
      assert.deepEqual(contents(person), before)
      assert.doesNotMatch(JSON.stringify(contents(top, person)), /canary/)
      t.diagnostic(`${rounds} rounds, ${Math.round(exchanges / SECONDS)} exchanges a second`)
      assert.ok(exchanges > 100 * SECONDS)
    },
  }
}

/** Paths and texts of all files of a folder but those of another one. */
function contents(folder: string, leftOut?: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries
      // What a link to the home shows is in the home.
      .filter((entry) => entry.isFile() && realpathSync(entry.parentPath).split('/.claude')[0] !== leftOut)
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
      .toSorted()
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')] as const),
  )
}

function call(tools: readonly Tool[], name: string, input: object): Promise<unknown> {
  const tool = tools.find((each) => each.name === name)!
  const context = { signal: new AbortController().signal, clock: systemClock } as never
  if ('execute' in tool && tool.execute) return tool.execute(input, context)
  return Promise.resolve(tool.plan(input as never, context)).then((plan) => ('run' in plan ? plan.run(context) : plan))
}

test('file tools read, list, search, write and edit nothing outside of the workspace', async (t) => {
  const { workspace, run } = race(t)
  const { tools } = workspaceBlock({ folder: workspace })
  await run(async (round) => [
    await call(tools, 'read_file', { path: 'place/file.txt' }),
    await call(tools, 'list_files', { path: 'place' }),
    await call(tools, 'search_files', { pattern: 'of the' }).catch(String),
    await call(tools, 'write_file', { path: `place/new/${round % 10}.txt`, content: `round ${round}` }).catch(String),
    await call(tools, 'edit_file', { path: 'place/file.txt', old_text: 'of', new_text: 'of ' }).catch(String),
  ])
})

test('paths lead nowhere outside, and instructions are read from nowhere else', async (t) => {
  const { workspace, run } = race(t)
  const read = readerWithin([workspace])
  await run(async () => [
    await read(join(workspace, 'place/file.txt')),
    await confinedPath(workspace, 'place/.claude/settings.json'),
  ])
})

test('a backup reads nothing elsewhere', async (t) => {
  const { workspace, setAside, run } = race(t)
  mkdirSync(setAside, { recursive: true })
  await run(async (round) => {
    const { files } = await homeFiles(workspace, () => false)
    const archive = join(setAside, `${round}.tar.gz`)
    const header = { format: 1, version: '0', created: '2026-01-01T00:00:00.000Z' } as never
    await writeArchive(archive, { header, files, preparing: setAside })
    const text = gunzipSync(readFileSync(archive)).toString('latin1')
    rmSync(archive)
    return text
  })
})

test('files of a skill and of a condition are read from their folder alone', async (t) => {
  const { workspace, run } = race(t)
  const host = { home: { workspace } } as never
  const { signal } = new AbortController()
  await run(async () => {
    const digest = await conditionDigest(host, { type: 'file', value: 'place/file.txt' }, signal).catch(String)
    return [
      await readSkillFile(workspace, 'place/file.txt'),
      digest === sha256('canary of the home') ? 'canary' : digest,
    ]
  })
})

test('the digest and the list of a skill have nothing of other folders', async (t) => {
  const { workspace, run } = race(t)
  await run(async () => {
    await skillDigest(workspace)
    const files = await skillFiles(workspace).catch(() => [])
    return files.some(({ bytes }) => bytes === 'canary of the home'.length) ? 'canary' : ''
  })
})

test('a plan names no path of the workspace for a file that lies elsewhere', async (t) => {
  const { workspace, run } = race(t)
  const own = sha256('of the workspace')
  await run(async () => {
    const plans = await Promise.all(
      [['bash', 'place/file.txt'], ['place/file.txt']].map((argv) =>
        findPlannedFiles(argv, { folder: workspace, path: '/usr/bin:/bin', workspace }),
      ),
    )
    const described = plans.flatMap((plan) =>
      'why' in plan ? [] : [plan.facts.program, ...(plan.facts.scripts ?? [])],
    )
    const inside = described.filter((each) => each?.startsWith(workspace))
    return inside.every((each) => each?.endsWith(own)) ? '' : 'canary'
  }, true)
})

const found = await findSandbox()

test(
  'what a program made is moved away from the workspace alone, and links are made again nowhere else',
  { skip: found.type === 'none' && found.why },
  async (t) => {
    const { workspace, setAside, run } = race(t)
    const sandbox = createSandbox({
      workspace,
      setAside,
      environment: {},
      access: async () => readAccess('{}', {}),
      places: () => ({ outOfReach: [], readOnly: [], readable: [], programs: [] }),
    })
    await run(async (round) => {
      const { leave } = await sandbox.enter({ argv: ['true'], folder: workspace }, false)
      mkdirSync(join(workspace, `made-${round}`))
      writeFileSync(join(workspace, `made-${round}/AGENTS.md`), 'obey')
      rmSync(join(workspace, 'place/.gitconfig'), { force: true })
      return leave()
    })
  },
)
