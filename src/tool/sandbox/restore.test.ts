import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { fixedClock } from '../../testing.ts'
import { lockFile, systemClock } from '../../platform.ts'
import { systemTemporaryFolder } from '../../../test/tool/system-temporary-folder.ts'
import { findSandbox } from './find-bubblewrap.ts'
import { hiddenPlaces, tidyingLocks } from './hidden-places.ts'
import { findOwnerFiles } from './owner-files.ts'
import { undoChanges } from './restore.ts'

const found = await findSandbox()
const skip = found.type === 'none' ? `no sandbox on this machine: ${found.why}` : false

function folders(t: TestContext) {
  const top = realpathSync(mkdtempSync(join(systemTemporaryFolder, 'restore-')))
  t.after(() => rmSync(top, { recursive: true, force: true }))
  const [home, workspace, aside] = ['home', 'workspace', 'aside'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ]
  for (const each of [home, workspace, join(workspace, 'one'), join(workspace, 'two')]) mkdirSync(each)
  return { top, home, workspace, aside }
}

/** A gateway of its own: a program of it makes a file that only the owner may make, and ends when one of another gateway has. */
const GATEWAY = `
import { createSandbox, findSandbox, readAccess } from ${JSON.stringify(new URL('../../tool.ts', import.meta.url).href)}
const [workspace, setAside, HOME, path, made] = process.argv.slice(1)
const environment = { PATH: '/usr/bin:/bin', HOME }
const sandbox = createSandbox({
  workspace, setAside, environment,
  access: async () => readAccess('{}', {}),
  find: async () => ({ ...(await findSandbox()), path }),
  places: () => ({ outOfReach: [setAside], readOnly: [], readable: [], programs: [] }),
})
const argv = ['sh', '-c', 'echo obey > "$0"; until [ -e one/AGENTS.md ] && [ -e two/AGENTS.md ]; do sleep 0.1; done', made]
const plan = await sandbox.plan({ argv })
const { setAside: moved } = await plan.run({ argv, folder: workspace, environment }, { timeoutMs: 60_000, maxOutputChars: 1_000 })
console.log(JSON.stringify(moved ?? []))
`

test('two gateways on one workspace never tidy it at the same time', { skip }, async (t) => {
  const { top, home, workspace, aside } = folders(t)
  const log = join(top, 'log')
  const watched = join(top, 'bubblewrap')
  assert.ok(found.type === 'bubblewrap')
  // The program that tidies is slow until a second one has begun, or for some seconds.
  writeFileSync(
    watched,
    `#!/bin/sh
case "$*" in *restore-program*) ;; *) exec ${found.path} "$@" ;; esac
echo begins >> ${log}
for each in $(seq 30); do [ "$(grep -c begins ${log})" = 1 ] || break; sleep 0.1; done
${found.path} "$@"; code=$?
echo ends >> ${log}
exit $code
`,
    { mode: 0o700 },
  )
  const run = async (made: string) => {
    const words = [workspace, join(aside, made), home, watched, `${made}/AGENTS.md`]
    const flags = ['--conditions=foreword-source', '--input-type=module', '--eval', GATEWAY]
    return (await promisify(execFile)(process.execPath, [...flags, '--', ...words])).stdout
  }
  const moved = (await Promise.all(['one', 'two'].map(run))).flatMap((text) => JSON.parse(text) as string[])
  assert.deepEqual([...new Set(moved)].toSorted(), ['one/AGENTS.md', 'two/AGENTS.md'])
  const steps = readFileSync(log, 'utf8').trim().split('\n')
  assert.deepEqual(
    steps,
    steps.map((_, index) => (index % 2 === 0 ? 'begins' : 'ends')),
  )
  assert.deepEqual([...readdirSync(join(workspace, 'one')), ...readdirSync(join(workspace, 'two'))], [])
})

test('a workspace that another gateway tidies for too long stays as it is, and that is said', { skip }, async (t) => {
  const { workspace, aside, top } = folders(t)
  const before = await findOwnerFiles(workspace)
  const lock = lockFile(join(top, before.identity.replace(':', '-')), { waitMs: 0 })
  assert.ok(lock && found.type === 'bubblewrap')
  writeFileSync(join(workspace, 'AGENTS.md'), 'obey')
  const clock = fixedClock()
  const undone = undoChanges(clock, found, workspace, before, aside, top)
  const ends = undone.then(() => 'ended' as const)
  while ((await Promise.race([clock.waiting(), ends])) !== 'ended') await clock.advance(1000)
  const { moved, faults } = await undone
  assert.deepEqual(moved, [])
  assert.match(
    faults.join(),
    /^AGENTS\.md is still in the workspace, .*another gateway has tidied the same folder for 60 seconds$/,
  )
  assert.equal(readFileSync(join(workspace, 'AGENTS.md'), 'utf8'), 'obey')
  lock.release()
  assert.deepEqual((await undoChanges(systemClock, found, workspace, before, aside, top)).moved, ['AGENTS.md'])
  assert.equal(existsSync(join(workspace, 'AGENTS.md')), false)
})

test('programs never see the locks of a workspace, and there are none where they may write the home', async (t) => {
  const { top, home } = folders(t)
  const environment = { HOME: home }
  assert.equal(await tidyingLocks(environment, [top]), undefined)
  assert.deepEqual(readdirSync(home), [])
  const locks = await tidyingLocks(environment, [join(top, 'workspace')])
  assert.equal(locks, join(home, '.cache/foreword'))
  assert.ok((await hiddenPlaces(environment, [])).some(({ path }) => path === locks))
  assert.equal(await tidyingLocks({ HOME: join(top, 'none') }, []), undefined)
})
