import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { claimHome, readClaim } from './claim-home.ts'

const info = { pid: 42, address: 'http://127.0.0.1:4141', started: '2026-01-01T00:00:00.000Z' }

test('a home on a network file system is refused before anything is written, unless a variable accepts it', async (context) => {
  const home = await temporaryHome(context)
  const options = { readMounts: () => [{ folder: '/', type: 'nfs4' }] }
  const message = `The home ${home} is on a network file system (nfs4), where SQLite can lose what was written: its locks and its shared memory do not reach other machines.`
  await assert.rejects(claimHome(home, info, options), {
    code: 'network-home',
    message,
    hint: /FOREWORD_NETWORK_HOME=1/,
  })
  assert.equal(readClaim(home), undefined)
  const claim = await claimHome(home, info, { ...options, environment: { FOREWORD_NETWORK_HOME: '1' } })
  assert.equal(claim.warning, message)
  claim.release()
  const shared = await claimHome(home, info, { readMounts: () => [{ folder: '/', type: 'virtiofs' }] })
  assert.equal(shared.warning, undefined)
  shared.release()
})

test('a home has one gateway, and a second one gets an error that names the first', async (context) => {
  const home = await temporaryHome(context)
  const claim = await claimHome(home, info)
  assert.deepEqual(readClaim(home), info)
  await assert.rejects(claimHome(home, { ...info, pid: 43 }), {
    code: 'claimed',
    message: `The home ${home} is already used by process 42 at http://127.0.0.1:4141.`,
    hint: 'Stop that gateway first, or choose another home with FOREWORD_HOME.',
  })
  assert.deepEqual(readClaim(home), info)
  claim.release()
  assert.equal(readClaim(home), undefined)
  claim.release()
  const next = await claimHome(home, { ...info, pid: 43 })
  claim.release()
  assert.equal(readClaim(home)?.pid, 43)
  next.release()
})

test('a claim tells its address once it is known, to its own user alone', async (context) => {
  const home = await temporaryHome(context)
  const claim = await claimHome(home, { pid: 42, started: info.started })
  assert.deepEqual(readClaim(home), { pid: 42, started: info.started })
  claim.update(info)
  assert.deepEqual(JSON.parse(await readFile(join(home, 'gateway.json'), 'utf8')), info)
  for (const file of ['gateway.json', 'gateway.lock']) {
    assert.equal((await stat(join(home, file))).mode & 0o777, 0o600)
  }
  claim.release()
})

test('a home that could not be written is not held afterwards', async (context) => {
  const home = await temporaryHome(context)
  // A folder where a file has to be stands in for a disk that refuses: it refuses the owner and root alike.
  await mkdir(join(home, 'gateway.json', 'in-the-way'), { recursive: true })
  await assert.rejects(claimHome(home, info))
  await rm(join(home, 'gateway.json'), { recursive: true })
  ;(await claimHome(home, info)).release()
})

test('a home that was never used is held by nobody', async (context) => {
  assert.equal(readClaim(join(await temporaryHome(context), 'not-there')), undefined)
})

test('a claim ends with its process, however that ends, and its stale file deceives nobody', async (context) => {
  const home = await temporaryHome(context)
  const script = `
    const { claimHome } = await import(${JSON.stringify(import.meta.resolve('./claim-home.ts'))})
    await claimHome(${JSON.stringify(home)}, { pid: process.pid, started: '2026-01-01T00:00:00.000Z' })
    console.log('claimed')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  assert.equal(readClaim(home)?.pid, child.pid)
  await assert.rejects(claimHome(home, info), { code: 'claimed' })
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.equal(JSON.parse(await readFile(join(home, 'gateway.json'), 'utf8')).pid, child.pid)
  assert.equal(readClaim(home), undefined)
  const claim = await claimHome(home, info)
  assert.deepEqual(readClaim(home), info)
  claim.release()
})

async function temporaryHome(context: TestContext): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'foreword-claim-'))
  context.after(() => rm(home, { recursive: true, force: true }))
  return home
}
