import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { after as afterAll, type TestContext } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { extract, pack } from 'tar-stream'
import { storePath } from './cli/store-path.ts'
import { claimHome, openBlobs, openStore } from '../src/session.ts'
import { spawnForeword } from './cli/gateway-process.ts'
import { temporaryHome } from './cli/home.ts'
import { run, type RunOptions } from './cli/recorded-io.ts'
import { systemClock } from '../src/platform.ts'

/** A home with two sessions, a file, skills with a link, and odd names; a copy of one that was lived in once. */
async function livedInHome(context: TestContext) {
  lived ??= live()
  const { home: whole, session } = await lived
  const { home, environment } = temporaryHome(context)
  cpSync(whole, home, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  const foreword = (words: readonly string[], options: RunOptions = {}) => run(words, { environment, ...options })
  return { home, environment, foreword, session, archive: join(home, '..', 'saved.tar.gz') }
}

let lived: ReturnType<typeof live> | undefined
afterAll(async () => lived && rmSync(join((await lived).home, '..'), { recursive: true, force: true }))

async function live() {
  const home = join(mkdtempSync(join(tmpdir(), 'foreword-lived-')), 'home')
  const environment = { FOREWORD_HOME: home, FOREWORD_MODEL: 'rehearsal', NO_COLOR: '1' }
  const foreword = (words: readonly string[]) => run(words, { environment })
  const session = (await said(foreword, ['send', '--json', 'Good morning'])).sessionId
  await said(foreword, ['send', '--json', '--session', session, 'Tell me more'])
  await said(foreword, ['send', '--json', 'Another talk'])
  mkdirSync(join(home, 'skills/greet'), { recursive: true })
  writeFileSync(join(home, 'skills/greet/SKILL.md'), '---\nname: greet\n---\n# Greet\n')
  writeFileSync(join(home, 'skills/greet/run.sh'), '#!/bin/sh\n')
  chmodSync(join(home, 'skills/greet/run.sh'), 0o750)
  symlinkSync('greet', join(home, 'skills/hello'))
  mkdirSync(join(home, 'workspace/empty'), { recursive: true })
  writeFileSync(join(home, 'workspace/Grüße 🎉.txt'), 'x'.repeat(300))
  writeFileSync(join(home, `workspace/${'long-'.repeat(40)}.txt`), '')
  const note = join(home, '..', 'note.txt')
  writeFileSync(note, 'A note about the reef.')
  assert.equal((await foreword(['files', 'add', note])).code, 0)
  return { home, session }
}

async function said(foreword: (words: readonly string[]) => ReturnType<typeof run>, words: readonly string[]) {
  const { code, stdout, stderr } = await foreword(words)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as { sessionId: string }
}

/** Path, type, permissions and content of everything in a home that lasts. */
function contentOf(home: string): Readonly<Record<string, string>> {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).toSorted()
  const entries = names.flatMap((name): [string, string][] => {
    if (/^gateway\.|^data\/\w+\.sqlite|^data\/files\/incoming$|^before-restore-/.test(name)) return []
    // A restore has a checkpoint of its own.
    if (name.includes('audit-checkpoints.json')) return []
    const facts = lstatSync(join(home, name))
    if (facts.isSymbolicLink()) return [[name, `-> ${readlinkSync(join(home, name))}`]]
    if (facts.isDirectory()) return [[name, 'folder']]
    const digest = createHash('sha256')
      .update(readFileSync(join(home, name)))
      .digest('hex')
    return [[name, `${(facts.mode & 0o777).toString(8)} ${digest}`]]
  })
  return Object.fromEntries(entries)
}

test('a home comes back from its archive as it was: replays are identical, the audit is whole, files are there', async (context) => {
  const { home, foreword, session, archive } = await livedInHome(context)
  const before = contentOf(home)
  const replayed = await foreword(['replay', session])

  const saved = await foreword(['backup', archive, '--json'])
  assert.equal(saved.code, 0, saved.stderr)
  assert.deepEqual(JSON.parse(saved.stdout).leftOut, [])
  assert.equal(statSync(archive).mode & 0o777, 0o600)
  assert.deepEqual(
    readdirSync(join(home, 'data')).filter((name) => name.startsWith('backup-')),
    [],
  )

  const other = join(home, '..', 'other')
  const restored = await foreword(['restore', archive, '--home', other])
  assert.equal(restored.code, 0, restored.stderr)
  assert.match(restored.stdout, /Restored .* files to .*, saved just now, .* UTC by Foreword/)
  assert.deepEqual(contentOf(other), before)
  assert.deepEqual(await foreword(['replay', session, '--home', other]), replayed)
  assert.match(replayed.stdout, /^(\d+) of \1 identical/)
  assert.match((await foreword(['audit', 'verify', '--home', other])).stdout, /^whole/)
  assert.equal((await foreword(['files', '--home', other])).stdout, (await foreword(['files'])).stdout)
  assert.equal((await foreword(['send', '--session', session, '--home', other, 'Still there?'])).code, 0)
})

test('an archive is made while the gateway runs and writes, and holds one moment of it', async (context) => {
  const { home, environment, foreword, archive } = await livedInHome(context)
  const gateway = spawnForeword(context, ['start', '--json'], environment)
  await gateway.line(/address/)
  const talking = new AbortController()
  const talk = (async () => {
    let talks = 0
    for (; !talking.signal.aborted; talks += 1) await said(foreword, ['send', '--json', `Talk ${talks}`])
    return talks
  })()
  for (let round = 1; round <= 3; round += 1) {
    const saved = await foreword(['backup', archive, '--force'])
    assert.equal(saved.code, 0, saved.stderr)
    const other = join(home, '..', `other-${round}`)
    assert.equal((await foreword(['restore', archive, '--home', other])).code, 0)
    const store = await openStore({ clock: systemClock, path: storePath(other), readOnly: true })
    for (const { id, entries } of await store.sessions()) {
      const log = await store.entries(id)
      assert.deepEqual(
        log.map(({ seq }) => seq),
        Array.from({ length: entries }, (_, index) => index + 1),
      )
    }
    await store.close()
    assert.match((await foreword(['audit', 'verify', '--home', other])).stdout, /^whole/)
  }
  talking.abort()
  assert.ok((await talk) > 0)
  gateway.child.kill('SIGTERM')
  assert.equal(await gateway.ended, 0)
})

const isRoot = process.getuid?.() === 0

test(
  'a folder that cannot be read is named, and the rest is saved',
  { skip: isRoot && 'root reads it' },
  async (context) => {
    const { home, foreword, archive } = await livedInHome(context)
    const closed = join(home, 'workspace/empty')
    chmodSync(closed, 0)
    const saved = await foreword(['backup', archive, '--json'])
    chmodSync(closed, 0o700)
    assert.equal(saved.code, 0, saved.stderr)
    const { leftOut } = JSON.parse(saved.stdout) as { leftOut: readonly string[] }
    assert.deepEqual(
      leftOut.map((line) => line.split(':')[0]),
      ['workspace/empty'],
    )
    const other = join(home, '..', 'other')
    assert.equal((await foreword(['restore', archive, '--home', other])).code, 0)
    assert.ok(existsSync(join(other, 'workspace/Grüße 🎉.txt')))
  },
)

test('a file that is removed while an archive is made is in it whole, or not named in it', async (context) => {
  const { home, foreword, archive } = await livedInHome(context)
  const blobs = openBlobs(join(home, 'data/files'))
  const store = await openStore({ clock: systemClock, path: storePath(home) })
  const [row] = await store.files()
  const big = await blobs.put([randomBytes(1024)], { maxBytes: 2048 })
  await store.putFile({ ...row!, id: 'file_gone', hash: big.hash, bytes: big.bytes })
  await blobs.remove(big.hash)
  const saving = foreword(['backup', archive])
  await store.deleteFile('file_gone')
  await store.close()
  const saved = await saving
  assert.equal(saved.code, 0)
  const other = join(home, '..', 'other')
  await foreword(['restore', archive, '--home', other])
  const copy = await openStore({ clock: systemClock, path: storePath(other), readOnly: true })
  const missing = (await copy.files()).filter(
    ({ hash }) => !existsSync(openBlobs(join(other, 'data/files')).path(hash)),
  )
  await copy.close()
  assert.deepEqual(
    missing.map(({ hash }) => saved.stderr.includes(hash)),
    missing.map(() => true),
  )
})

test('an archive that exists stays, unless it is to be replaced', async (context) => {
  const { foreword, archive } = await livedInHome(context)
  writeFileSync(archive, 'precious')
  const refused = await foreword(['backup', archive])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /exists already.*--force/s)
  assert.equal(readFileSync(archive, 'utf8'), 'precious')
  assert.equal((await foreword(['backup', archive, '--force'])).code, 0)
})

test('a home that holds something is replaced only when that is asked for, and what was there is kept', async (context) => {
  const { home, foreword, session, archive } = await livedInHome(context)
  await foreword(['backup', archive])
  const before = contentOf(home)
  await said(foreword, ['send', '--json', '--session', session, 'Said after the backup'])
  writeFileSync(join(home, 'later.txt'), 'later')

  const refused = await foreword(['restore', archive])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /not empty.*--replace/s)
  assert.equal(readFileSync(join(home, 'later.txt'), 'utf8'), 'later')

  const replaced = await foreword(['restore', archive, '--replace', '--json'])
  assert.equal(replaced.code, 0, replaced.stderr)
  const { aside } = JSON.parse(replaced.stdout) as { aside: string }
  const present = Object.entries(contentOf(home))
  assert.deepEqual(Object.fromEntries(present), before)
  assert.equal(readFileSync(join(aside, 'later.txt'), 'utf8'), 'later')
  const kept = await openStore({ clock: systemClock, path: join(aside, 'data/foreword.sqlite') })
  assert.equal((await kept.session(session))?.turns, 3)
  await kept.close()
})

test('a gateway that runs is neither replaced nor compacted under its feet', async (context) => {
  const { home, foreword, archive } = await livedInHome(context)
  await foreword(['backup', archive])
  const before = contentOf(home)
  const claim = await claimHome(home, { pid: process.pid, started: new Date().toISOString() })
  for (const words of [['restore', archive, '--replace'], ['compact']]) {
    const refused = await foreword(words)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /is in use by process .*Stop it, then/s)
  }
  claim.release()
  assert.deepEqual(contentOf(home), before)
})

test('an archive that was cut off, changed or made by somebody else changes nothing', async (context) => {
  const { home, foreword, archive } = await livedInHome(context)
  await foreword(['backup', archive])
  const whole = readFileSync(archive)
  const other = join(home, '..', 'other')
  const restore = async (bytes: Uint8Array) => {
    writeFileSync(archive, bytes)
    const { code, stderr } = await foreword(['restore', archive, '--home', other])
    assert.equal(code, 1)
    const left = existsSync(other) ? readdirSync(other).filter((name) => !name.startsWith('gateway.')) : []
    assert.deepEqual(left, [])
    return stderr
  }
  for (const share of [0, 0.001, 0.3, 0.7, 0.99]) {
    assert.match(
      await restore(whole.subarray(0, Math.floor(whole.length * share))),
      /cut off|not an archive of `foreword backup`/,
    )
  }
  const flipped = Buffer.from(whole)
  flipped[Math.floor(whole.length / 2)]! ^= 0x10
  assert.match(await restore(flipped), /damaged|cut off/)
  assert.match(await restore(Buffer.from('a letter')), /not an archive/)
  // A size that is none, and a folder in the place of the first entry.
  for (const [at, word] of [
    [124, '99999999999\0'],
    [156, '5'],
  ] as const) {
    const tar = gunzipSync(whole)
    tar.write(word, at, 'latin1')
    tar.write('        ', 148, 'latin1')
    const sum = tar.subarray(0, 512).reduce((all, byte) => all + byte, 0)
    tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
    assert.match(await restore(gzipSync(tar)), /not an archive/)
  }
  assert.match(await restore(await forged({ 'home/a.txt': 'changed' }, [])), /a\.txt has changed since/)
  const digest = { path: 'b.txt', bytes: 1, sha256: createHash('sha256').update('b').digest('hex') }
  assert.match(await restore(await forged({}, [digest])), /b\.txt has changed since/)
  for (const name of ['home/../../escaped', '/escaped', 'escaped', 'home//escaped', 'home/./escaped', 'home/C:/x']) {
    assert.match(await restore(await forged({ [name]: '' }, [])), /which no backup contains/)
  }
  assert.match(await restore(await forged({}, [], { format: 3 })), /newer Foreword.*Update/s)
  assert.equal(existsSync(join(home, '..', 'escaped')), false)
})

test('an archive cannot write through a link that it brings', async (context) => {
  const { home } = temporaryHome(context)
  const outside = join(home, '..', 'outside')
  mkdirSync(outside)
  const archive = join(home, '..', 'evil.tar.gz')
  const tries: readonly Parameters<typeof forged>[0][] = [
    { 'home/way': { link: outside }, 'home/way/in.txt': 'in' },
    { 'home/way/in.txt': 'in', 'home/way': { link: outside } },
    { 'home/way': { link: outside }, 'home/way/in': { link: 'anything' } },
    { 'home/way/in': { link: 'anything' }, 'home/way': { link: outside } },
    { 'home/a': { link: '..' }, 'home/a/outside/in': { link: 'anything' } },
    { 'home/way': { link: outside }, 'home/way/deeper/in': { link: 'anything' } },
  ]
  const sha256 = createHash('sha256').update('in').digest('hex')
  for (const entries of tries) {
    const digests = 'home/way/in.txt' in entries ? [{ path: 'way/in.txt', bytes: 2, sha256 }] : []
    writeFileSync(archive, await forged(entries, digests))
    const { code, stderr } = await run(['restore', archive, '--home', home], { environment: { FOREWORD_HOME: home } })
    assert.equal(code, 1, stderr)
    assert.deepEqual(readdirSync(outside), [])
    assert.equal(existsSync(join(home, 'way')), false)
  }
  // Nor is a store opened that lies elsewhere.
  for (const link of ['home/data', 'home/data/foreword.sqlite']) {
    writeFileSync(archive, await forged({ [link]: { link: link === 'home/data' ? outside : join(outside, 'a') } }, []))
    writeFileSync(join(outside, 'a'), '')
    writeFileSync(join(outside, 'foreword.sqlite'), '')
    const { code, stderr } = await run(['restore', archive, '--home', home], { environment: { FOREWORD_HOME: home } })
    assert.equal(code, 1, stderr)
    assert.match(stderr, /is a link to /)
    assert.deepEqual(readdirSync(outside), ['a', 'foreword.sqlite'])
  }
})

/** The same archive with files added or changed, and every digest right: whoever does that has no key. */
async function rewritten(archive: string, files: Readonly<Record<string, string>>, keepsSignature: boolean) {
  const reading = extract()
  const packing = pack()
  const digests: { path: string; bytes: number; sha256: string }[] = []
  const add = (path: string, text: Buffer) => {
    packing.entry({ name: `home/${path}` }, text)
    digests.push({ path, bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') })
  }
  reading.end(gunzipSync(readFileSync(archive)))
  let signature: Buffer | undefined
  for await (const entry of reading) {
    const { name, type } = entry.header
    const pieces: Buffer[] = []
    for await (const piece of entry as AsyncIterable<Buffer>) pieces.push(piece)
    const path = name.slice('home/'.length)
    if (name === 'signature.json') signature = Buffer.concat(pieces)
    else if (type === 'file' && name.startsWith('home/')) add(path, Buffer.from(files[path] ?? Buffer.concat(pieces)))
    else if (name !== 'digests.json') packing.entry(entry.header, Buffer.concat(pieces))
  }
  for (const [path, text] of Object.entries(files))
    if (!digests.some((each) => each.path === path)) add(path, Buffer.from(text))
  packing.entry({ name: 'home/way', type: 'symlink', linkname: '/etc' })
  packing.entry({ name: 'digests.json' }, JSON.stringify(digests))
  if (keepsSignature && signature) packing.entry({ name: 'signature.json' }, signature)
  packing.finalize()
  const pieces: Uint8Array[] = []
  for await (const piece of packing as AsyncIterable<Uint8Array>) pieces.push(piece)
  writeFileSync(archive, gzipSync(Buffer.concat(pieces)))
}

test('an archive that the key of the home signed comes back with what was accepted, and no other counts as signed', async (context) => {
  const { home, foreword, archive } = await livedInHome(context)
  assert.equal((await foreword(['tools', 'allow', 'read_file'])).code, 0)
  await foreword(['backup', archive])
  const { id } = JSON.parse((await foreword(['audit', 'key', '--json'])).stdout) as { readonly id: string }
  const restored = await foreword(['restore', archive, '--replace'])
  assert.match(restored.stderr, new RegExp(`signed with the key ${id}, as asked for or that of this home`))
  assert.doesNotMatch(restored.stderr, /foreword accept/)
  assert.match((await foreword(['accept', '--json'])).stdout, /^\s*$/)

  const other = join(home, '..', 'other')
  const wrong = await foreword(['restore', archive, '--home', other, '--key', 'ed25519-0'])
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /is signed with the key ed25519-\w+, not with ed25519-0\. Nothing was changed/)
  assert.equal((await foreword(['restore', archive, '--home', other, '--key', id])).code, 0)
  assert.match((await foreword(['accept', '--json', '--home', other])).stdout, /^\s*$/)

  await rewritten(archive, { 'tool-access.json': '{"global": {"mode": "full"}}' }, true)
  const changed = await foreword(['restore', archive, '--replace'])
  assert.equal(changed.code, 1)
  assert.match(changed.stderr, /was changed since it was signed/)
})

test('what an archive brings is shown before it is put in place, asks on a terminal, and its policy waits', async (context) => {
  const { home, foreword, archive } = await livedInHome(context)
  assert.equal((await foreword(['tools', 'allow', 'read_file'])).code, 0)
  await foreword(['backup', archive])
  const policy = '{"global": {"mode": "full"}, "sandbox": {"enabled": false}}'
  const plugin = { 'config.json': '{"plugins": ["./evil.mjs"]}', 'evil.mjs': 'export default {}' }
  await rewritten(archive, { 'tool-access.json': policy, ...plugin }, false)
  const before = contentOf(home)
  const refused = await foreword(['restore', archive, '--replace'], { person: true, input: 'n\n' })
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /The archive has no signature\./)
  assert.match(refused.stderr, /Its policy lets through more than this home has accepted: /)
  assert.match(refused.stderr, /Not in a sandbox: the plugin .*evil\.mjs runs in the gateway\./)
  assert.match(refused.stderr, /A link: way -> \/etc/)
  assert.match(refused.stderr, /Nothing was restored/)
  assert.deepEqual(contentOf(home), before)

  const agreed = await foreword(['restore', archive, '--replace'], { person: true, input: 'y\n' })
  assert.equal(agreed.code, 0, agreed.stderr)
  assert.match(agreed.stderr, /waits until you accept it: `foreword accept`/)
  writeFileSync(join(home, 'config.json'), '{}')
  const tools = (await foreword(['tools', '--json'])).stdout
  assert.match(tools, /"name":"read_file"[^\n]*"access":"allowed"/)
  assert.match(tools, /"name":"write_file"[^\n]*"access":"refused"/)
  const waiting = await foreword(['accept', '--json'])
  assert.match(waiting.stdout, /tool-access\.json/)
  assert.match(waiting.stdout, /it came with a backup that the key of this home did not sign/)
})

/** An archive in the right form with whatever in it. */
async function forged(
  entries: Readonly<Record<string, string | { readonly link: string }>>,
  digests: readonly unknown[],
  { format = 1 }: { readonly format?: number } = {},
): Promise<Uint8Array> {
  const packing = pack()
  packing.entry(
    { name: 'backup.json' },
    JSON.stringify({ format, version: '9.9.9', created: '2026-01-01T00:00:00.000Z' }),
  )
  for (const [name, entry] of Object.entries(entries)) {
    if (typeof entry === 'string') packing.entry({ name }, entry)
    else packing.entry({ name, type: 'symlink', linkname: entry.link })
  }
  packing.entry({ name: 'digests.json' }, JSON.stringify(digests))
  packing.finalize()
  const pieces: Uint8Array[] = []
  for await (const piece of packing as AsyncIterable<Uint8Array>) pieces.push(piece)
  return gzipSync(Buffer.concat(pieces))
}

test('a restore that was killed at any step is completed by the next start', async (context) => {
  const { foreword, home, archive } = await livedInHome(context)
  await foreword(['backup', archive])
  const before = contentOf(home)
  const { decideRestore, arrivingHome } = await import('../src/runtime/restore/pending-restore.ts')
  const { renameSync } = await import('node:fs')
  for (const stop of ['decided', 'some put aside', 'all put aside', 'some in place'] as const) {
    const other = join(home, '..', `killed while ${stop}`)
    const staged = join(home, '..', `staged ${stop}`)
    assert.equal((await foreword(['restore', archive, '--home', staged])).code, 0)
    mkdirSync(other)
    writeFileSync(join(other, 'former.txt'), 'former')
    writeFileSync(join(other, 'config.json'), '{}')
    mkdirSync(arrivingHome(other), { recursive: true })
    for (const name of readdirSync(staged)) renameSync(join(staged, name), join(arrivingHome(other), name))
    const aside = 'before-restore-20260101T000000Z'
    await decideRestore(other, aside)
    if (stop !== 'decided') {
      mkdirSync(join(other, aside))
      renameSync(join(other, 'former.txt'), join(other, aside, 'former.txt'))
    }
    if (stop === 'all put aside' || stop === 'some in place') {
      renameSync(join(other, 'config.json'), join(other, aside, 'config.json'))
      writeFileSync(join(other, '.restoring/restore.json'), JSON.stringify({ step: 'put-in-place', aside }))
    }
    if (stop === 'some in place') renameSync(join(arrivingHome(other), 'data'), join(other, 'data'))
    assert.match((await foreword(['doctor', '--home', other])).stdout, /a restore was interrupted/)

    const sent = await foreword(['send', '--home', other, '--json', 'Hello again'])
    assert.equal(sent.code, 0, sent.stderr)
    assert.match(sent.stderr, /Completed an interrupted restore/)
    const after = contentOf(other)
    for (const [name, content] of Object.entries(before)) if (name !== 'data') assert.equal(after[name], content, name)
    assert.equal(existsSync(join(other, '.restoring')), false)
    assert.equal(readFileSync(join(other, aside, 'former.txt'), 'utf8'), 'former')
  }
})

test('compacting removes what a deleted session and file left, gives the space back, and nothing else', async (context) => {
  const { home, foreword, session } = await livedInHome(context)
  const secret = 'The password is swordfish '
  const long = (await said(foreword, ['send', '--json', secret.repeat(600)])).sessionId
  for (let times = 601; times < 607; times += 1) {
    await said(foreword, ['send', '--json', '--session', long, secret.repeat(times)])
  }
  const { id } = JSON.parse((await foreword(['files', '--json'])).stdout.split('\n')[0]!)
  assert.equal((await foreword(['files', 'remove', id, '--yes'])).code, 0)
  const orphan = await openBlobs(join(home, 'data/files')).put([randomBytes(4096)], { maxBytes: 8192 })
  mkdirSync(join(home, 'data/files/incoming'), { recursive: true })
  writeFileSync(join(home, 'data/files/incoming/half'), 'an upload that a crash cut off')
  const replayed = await foreword(['replay', session])
  assert.equal((await foreword(['sessions', 'delete', long, '--yes'])).code, 0)

  const compacted = await foreword(['compact', '--json'])
  assert.equal(compacted.code, 0, compacted.stderr)
  const { contents, files, before, after } = JSON.parse(compacted.stdout)
  assert.ok(contents > 0)
  assert.equal(files, 2, 'the bytes that nothing names, and the upload that was cut off')
  assert.ok(after < before - 100_000, `${before} before, ${after} after`)
  assert.equal(existsSync(openBlobs(join(home, 'data/files')).path(orphan.hash)), false)
  for (const name of readdirSync(join(home, 'data'))) {
    if (name.startsWith('foreword.sqlite'))
      assert.equal(readFileSync(join(home, 'data', name)).includes('swordfish'), false)
  }
  assert.deepEqual(await foreword(['replay', session]), replayed)
  assert.match((await foreword(['audit', 'verify'])).stdout, /^whole/)
  assert.deepEqual(JSON.parse((await foreword(['compact', '--json'])).stdout).contents, 0)
})

test('a damaged store is not saved as if it were whole, and doctor names the way back', async (context) => {
  const { home, foreword, archive } = await livedInHome(context)
  const path = storePath(home)
  const database = new DatabaseSync(path)
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
  truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)
  const { code, stderr } = await foreword(['backup', archive])
  assert.equal(code, 1)
  assert.match(stderr, /damaged/)
  assert.equal(existsSync(archive), false)
  assert.match((await foreword(['doctor'])).stdout, /foreword restore FILE --replace/)
})

test('a missing path is named, and nothing is created', async (context) => {
  const { home, foreword } = await livedInHome(context)
  assert.match((await foreword(['backup', join(home, '../nowhere/a.tar.gz')])).stderr, /There is no folder .*nowhere/)
  const other = join(home, '../other')
  assert.match((await foreword(['restore', join(home, '../a.tar.gz'), '--home', other])).stderr, /No archive at/)
  assert.equal(existsSync(other), false)
})

test('a folder in the place of an archive is refused at once', async (context) => {
  const { home, foreword } = await livedInHome(context)
  const folder = join(home, '..', 'folder')
  mkdirSync(folder)
  for (const options of [[], ['--force']]) {
    const { code, stderr } = await foreword(['backup', folder, ...options])
    assert.equal(code, 1)
    assert.match(stderr, /folder is a folder\. Name a file in it, such as .*foreword\.tar\.gz/)
  }
  assert.deepEqual(readdirSync(folder), [])
  const restored = await foreword(['restore', folder, '--home', join(home, '../other')])
  assert.match(restored.stderr, /folder is not a file\. Name the archive itself\./)
})

test('what a killed backup left is removed by the next one, and what another one is writing is not', async (context) => {
  const { home, foreword, archive } = await livedInHome(context)
  const gone = 2 ** 30
  const leave = (path: string, pid: number, hours: number) => {
    writeFileSync(path, `left by ${pid}`)
    const touched = new Date(Date.now() - hours * 3_600_000)
    utimesSync(path, touched, touched)
    return path
  }
  const left = [
    leave(`${archive}.${gone}.partial`, gone, 2),
    leave(join(home, `data/backup-${gone}-abcdef`), gone, 2),
    leave(`${archive}.${process.pid}0.other`, gone, 2),
    leave(`${archive}.${process.ppid}.partial`, process.ppid, 2),
    leave(`${archive}.${gone + 1}.partial`, gone + 1, 0),
  ]
  assert.equal((await foreword(['backup', archive])).code, 0)
  assert.deepEqual(
    left.map((path) => existsSync(path)),
    [false, false, true, true, true],
  )
})

test('a tool can neither save, restore nor compact the home', async (context) => {
  const { home, environment } = temporaryHome(context)
  for (const words of [['backup', join(home, 'x')], ['restore', join(home, 'x')], ['compact']]) {
    const { code, stderr } = await run(words, { environment: { ...environment, FOREWORD_TOOL: '1' } })
    assert.equal(code, 1)
    assert.match(stderr, /a model cannot/)
  }
})
