import assert from 'node:assert/strict'
import { existsSync, renameSync, symlinkSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createBackupService } from '../../src/capabilities/backup/backup-service.ts'
import { backupHome } from '../../src/capabilities/backup/backup-home.ts'
import { fixedClock } from '../../src/testing.ts'
import { openedHome } from '../home/opened-home.ts'

/** The service of a home, and what happens before each archive is written. */
async function service(t: TestContext) {
  const { home, runtime } = await openedHome(t, {})
  let before = async (): Promise<void> => {}
  const backups = createBackupService({
    home,
    environment: {},
    capabilities: () => [],
    store: runtime.store,
    version: '0.1.0',
    clock: fixedClock(),
    async backUp(options) {
      await before()
      return backupHome(options)
    },
  })
  const settled = async () => {
    for (;;) {
      const state = await backups.state()
      if (!state.running) return state
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const made = async () => {
    await backups.make()
    return settled()
  }
  return { home, backups, made, settled, setBefore: (next: typeof before) => (before = next) }
}

test('an archive can be downloaded until the next one is whole, and stays where that one fails', async (t) => {
  const { backups, made, settled, setBefore } = await service(t)
  t.after(() => backups.close())
  const { ready: first } = await made()
  const gate = Promise.withResolvers<void>()
  setBefore(async () => {
    await gate.promise
    throw new Error('the disk is full')
  })
  await backups.make()
  assert.equal((await backups.state()).ready!.id, first!.id)
  await assert.rejects(backups.make(), { code: 'decided', hint: /^Wait until it is ready/ })
  gate.resolve()
  const state = await settled()
  assert.match(state.failed!.message, /the disk is full/)
  assert.equal(state.ready!.id, first!.id)
  const { content, bytes } = await backups.open(first!.id)
  assert.equal((await new Response(content).arrayBuffer()).byteLength, bytes)

  setBefore(async () => {})
  const { ready: second } = await made()
  assert.notEqual(second!.id, first!.id)
  await assert.rejects(backups.open(first!.id), { code: 'not-found' })
})

test('an archive that cannot be removed after its hour ends nothing', async (t) => {
  const { home, backups, made } = await service(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await made()
  // A path through a file: what is below it cannot be removed.
  const data = join(home, 'data')
  await rename(data, join(home, 'aside'))
  await writeFile(data, '')
  const failed: unknown[] = []
  const onFailed = (error: unknown) => failed.push(error)
  process.on('unhandledRejection', onFailed)
  t.after(() => process.off('unhandledRejection', onFailed))
  t.mock.timers.tick(60 * 60 * 1000)
  await backups.close()
  await rm(data)
  await rename(join(home, 'aside'), data)
  for (let round = 0; round < 10; round += 1) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(failed, [])
  assert.equal((await backups.state()).ready, undefined)
})

test('a backup that is stopped while the store is copied ends, and nothing fails after it', async (t) => {
  const { home } = await openedHome(t, {})
  const stop = new AbortController()
  const failed: unknown[] = []
  const onFailed = (error: unknown) => failed.push(error)
  process.on('uncaughtException', onFailed)
  t.after(() => process.off('uncaughtException', onFailed))
  const file = join(home, 'archive.tar.gz')
  const onProgress = () => stop.abort()
  const saving = backupHome({
    home,
    file,
    version: '0.1.0',
    time: fixedClock().time(),
    signal: stop.signal,
    onProgress,
  })
  await assert.rejects(saving, { name: 'AbortError' })
  for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([failed, existsSync(file)], [[], false])
})

test('a folder of the workspace that becomes a link while an archive is written leads nowhere', async (t) => {
  const { home } = await openedHome(t, {})
  const outside = join(home, '..', 'outside')
  const place = join(home, 'workspace', 'place')
  t.after(() => rm(outside, { recursive: true, force: true }))
  for (const folder of [outside, place]) await mkdir(folder, { recursive: true })
  await writeFile(join(outside, 'file.txt'), 'canary of another folder')
  await writeFile(join(place, 'file.txt'), 'of the workspace')
  const file = join(home, 'archive.tar.gz')
  let isExchanged = false
  const { leftOut } = await backupHome({
    home,
    file,
    version: '0.1.0',
    time: fixedClock().time(),
    onProgress({ stage }) {
      if (stage !== 'packing' || isExchanged) return
      isExchanged = true
      renameSync(place, `${place}-before`)
      symlinkSync(outside, place)
    },
  })
  assert.match(leftOut.join(), /^workspace\/place\/file\.txt: (?!.*\/proc)/)
  assert.equal(gunzipSync(await readFile(file)).includes('canary'), false)
})
