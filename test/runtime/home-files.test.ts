import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import * as fc from 'fast-check'
import { systemClock, writeFileAtomically } from '../../src/platform.ts'
import { openHomeFiles } from '../../src/runtime/home/home-files.ts'
import { openStore } from '../../src/session.ts'
import { forAllStored } from '../arbitrary/for-all.ts'

/** One home at gateways with a folder each, over one store. */
async function homes(t: TestContext, count: number) {
  const store = await openStore({ path: ':memory:', clock: systemClock })
  const roots = Array.from({ length: count }, () => mkdtempSync(join(tmpdir(), 'foreword-home-files-')))
  for (const root of roots) mkdirSync(join(root, 'data'))
  t.after(async () => {
    for (const root of roots) rmSync(root, { recursive: true })
    await store.close()
  })
  const warnings: string[] = []
  return {
    roots,
    warnings,
    store,
    open: (at: number) =>
      openHomeFiles({
        home: roots[at]!,
        store,
        clock: systemClock,
        folders: [join(roots[at]!, 'subjects')],
        warn: (text) => warnings.push(text),
      }),
  }
}

function byHand(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const read = (root: string, path: string) =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined

test('what a gateway writes in a home is there at the next one, which may have an older copy', async (t) => {
  const { roots, open, warnings } = await homes(t, 2)
  const [one, other] = roots as [string, string]
  byHand(one, 'context/system_prompt.md', 'You are kind.')
  byHand(other, 'context/system_prompt.md', 'You are kind.')
  let files = await open(0)
  mkdirSync(join(one, 'subjects', 'reef'), { recursive: true })
  await writeFileAtomically(join(one, 'subjects/reef/notes.md'), 'It is low at noon.')
  await writeFileAtomically(join(one, 'context/system_prompt.md'), 'You are kind and short.')
  for (const path of ['data/token', 'work/plan.md', 'config.json', 'subjects/.lock'])
    byHand(one, path, 'of this machine')
  await files.close()

  files = await open(1)
  assert.equal(read(other, 'subjects/reef/notes.md'), 'It is low at noon.')
  assert.equal(read(other, 'context/system_prompt.md'), 'You are kind and short.')
  for (const path of ['data/token', 'work/plan.md', 'config.json', 'subjects/.lock'])
    assert.equal(read(other, path), undefined)
  await writeFileAtomically(join(other, 'subjects/reef/notes.md'), 'It is low at one.')
  await files.close()
  // A file that both had is no conflict where it was the same.
  const aside = warnings.length
  await open(0).then(({ close }) => close())
  assert.equal(read(one, 'subjects/reef/notes.md'), 'It is low at one.')
  assert.equal(warnings.length, aside)
})

test('a file that was removed does not come back, unless it was changed in the other place', async (t) => {
  const { roots, open, store } = await homes(t, 2)
  const [one, other] = roots as [string, string]
  const paths = ['context/system_prompt.md', 'context/a.md', 'subjects/reef/notes.md', 'subjects/tide/notes.md']
  for (const path of paths) byHand(one, path, `text of ${path}`)
  for (const at of [0, 1]) await open(at).then(({ close }) => close())
  // While the home is open, and by hand while it is not.
  const files = await open(0)
  rmSync(join(one, 'subjects/reef'), { recursive: true })
  await files.close()
  rmSync(join(one, 'context/a.md'))
  await open(0).then(({ close }) => close())
  for (const path of ['subjects/reef/notes.md', 'context/a.md']) {
    assert.equal(read(one, path), undefined)
    assert.equal(await store.value(`home-file:${path}`), null)
  }
  // Elsewhere one of them was changed.
  byHand(other, 'context/a.md', 'changed there')
  for (const at of [1, 0]) await open(at).then(({ close }) => close())
  for (const root of roots) {
    assert.equal(read(root, 'subjects/reef/notes.md'), undefined)
    assert.equal(read(root, 'context/a.md'), 'changed there')
    assert.equal(read(root, 'subjects/tide/notes.md'), 'text of subjects/tide/notes.md')
  }
  // Where all of them are gone, it is a new machine.
  for (const folder of ['context', 'subjects']) rmSync(join(one, folder), { recursive: true })
  await open(0).then(({ close }) => close())
  assert.equal(read(one, 'subjects/tide/notes.md'), 'text of subjects/tide/notes.md')
})

test('of several that write at once, each goes on when the store has what is in its file, and a write that failed is made up for', async (t) => {
  const { roots, open, store } = await homes(t, 1)
  const [root] = roots as [string]
  mkdirSync(join(root, 'context'))
  const files = await open(0)
  const storedText = async (path: string) => {
    const { bytes } = (await store.value(`home-file:${path}`)) as { readonly bytes: string }
    return Buffer.from(bytes, 'base64').toString()
  }
  const paths = ['context/a.md', 'context/b.md', 'context/c.md']
  await Promise.all(
    Array.from({ length: 30 }, (_, at) => writeFileAtomically(join(root, paths[at % 3]!), `text ${at}`)),
  )
  for (const path of paths) assert.equal(await storedText(path), read(root, path))
  t.mock.method(store, 'transaction', async () => Promise.reject(new Error('the database does not answer')), {
    times: 1,
  })
  await assert.rejects(writeFileAtomically(join(root, paths[0]!), 'not stored'), /does not answer/)
  await files.close()
  assert.equal(await storedText(paths[0]!), 'not stored')
})

test('whoever changes files of a home at whichever gateway: the store has what the gateway has, and nothing that was written is gone', async (t) => {
  const step = fc.record({
    at: fc.nat(2),
    changes: fc.array(fc.record({ path: fc.constantFrom('context/a.md', 'subjects/b/c.md'), hand: fc.boolean() })),
  })
  await forAllStored(
    fc.array(step, { minLength: 2, maxLength: 8 }),
    async (steps) => {
      const { roots, open, store } = await homes(t, 3)
      const storedText = async (path: string) => {
        const stored = (await store.value(`home-file:${path}`)) as { readonly bytes: string } | undefined
        return stored && Buffer.from(stored.bytes, 'base64').toString()
      }
      let count = 0
      for (const { at, changes } of steps) {
        const root = roots[at]!
        // By hand while no gateway has it here, or by the gateway that has.
        const byHandHere = new Map<string, string>()
        for (const { path } of changes.filter(({ hand }) => hand)) {
          byHandHere.set(path, `text ${(count += 1)}`)
          byHand(root, path, `text ${count}`)
        }
        const files = await open(at)
        const everywhere = readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
        for (const text of byHandHere.values()) assert.ok(everywhere.includes(text), `${text} is gone`)
        for (const { path } of changes.filter(({ hand }) => !hand)) {
          mkdirSync(dirname(join(root, path)), { recursive: true })
          await writeFileAtomically(join(root, path), `text ${(count += 1)}`)
          assert.equal(await storedText(path), `text ${count}`, 'it is stored before who wrote it goes on')
        }
        await files.close()
        for (const path of ['context/a.md', 'subjects/b/c.md']) {
          assert.equal(await storedText(path), read(root, path))
        }
      }
    },
    40,
  )
})
