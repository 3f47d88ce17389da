import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { createHome, ensureToken, homeAt, readToken } from './home.ts'

test('a home is created with its data folder and missing parents, for the owner alone', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-home-'))
  context.after(() => rm(folder, { recursive: true }))
  const home = homeAt(join(folder, 'one/two/three'))

  await createHome(home)
  await createHome(home)

  assert.equal((await stat(home.root)).mode & 0o777, 0o700)
  assert.equal((await stat(home.data)).mode & 0o777, 0o700)
})

test('homes that are made at once in a folder that is not there are all made', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-home-'))
  context.after(() => rm(folder, { recursive: true }))
  for (let round = 0; round < 20; round += 1)
    await Promise.all(
      Array.from({ length: 8 }, (_, each) => createHome(homeAt(join(folder, `${round}/people/person-${each % 4}`)))),
    )
})

test('a home that cannot be made is an error that says what to do, and no endless try', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-home-'))
  context.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'file'), '')
  const impossible = [
    join(folder, 'file'),
    join(folder, 'file/below'),
    ...(process.platform === 'linux' ? ['/proc/no/home'] : []),
  ]

  for (const root of impossible) {
    await assert.rejects(createHome(homeAt(root)), { message: /^Cannot create the home /, hint: /FOREWORD_HOME/ })
  }
})

test('many homes below one folder that is not there yet are made at once', async (context) => {
  const root = await mkdtemp(join(tmpdir(), 'foreword-homes-'))
  context.after(() => rm(root, { recursive: true }))
  for (let round = 0; round < 20; round += 1) {
    const names = Array.from({ length: 16 }, (_, person) => join(root, String(round), 'people', `person-${person}`))
    await Promise.all(names.map((name) => createHome(homeAt(name))))
  }
})

const folder = mkdtempSync(join(tmpdir(), 'foreword-token-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('the first start makes a token for the owner alone, and later ones keep it', async () => {
  const home = join(folder, 'first')
  assert.equal(await readToken(home), undefined)
  const token = await ensureToken({ home, random: (bytes) => new Uint8Array(bytes).fill(7) })
  assert.equal(token, 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc')
  assert.equal(await ensureToken({ home, random: () => assert.fail('no second token') }), token)
  assert.equal(await readToken(home), token)
  if (process.platform === 'win32') return
  assert.equal(statSync(join(home, 'data', 'token')).mode & 0o777, 0o600)
  assert.equal(statSync(home).mode & 0o777, 0o700)
})

test('a configured token is the one that the commands on this machine find', async () => {
  const home = join(folder, 'configured')
  const random = (bytes: number) => new Uint8Array(bytes)
  await ensureToken({ home, random })
  assert.equal(await ensureToken({ home, random, configured: 'chosen' }), 'chosen')
  assert.equal(await readToken(home), 'chosen')
})
