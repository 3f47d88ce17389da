import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createHome, homeAt } from './home.ts'

test('a home is made with its data folder, for the owner alone, however deep it stands', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-home-'))
  context.after(() => rm(folder, { recursive: true }))
  const home = homeAt(join(folder, 'one/two/three'))

  await createHome(home)
  await createHome(home)

  assert.equal((await stat(home.root)).mode & 0o777, 0o700)
  assert.equal((await stat(home.data)).mode & 0o777, 0o700)
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
    await assert.rejects(createHome(homeAt(root)), /The home .* cannot be made \(.*FOREWORD_HOME/s)
  }
})
